//===- OutputFile.h - Files and streams that tools write --------*- C++ -*-===//

#ifndef TC_COMPILER_OUTPUTFILE_H
#define TC_COMPILER_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tc {

/// Writes a file, or the standard output for "-". Fails when the system does
/// not take all of it.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Makes the process end with an error of `tool` and status 1 when the standard
/// output cannot be written in full, or when memory runs out; LLVM's
/// own handlers would abort it.
void checkOutputAtExit(const char *tool);

} // namespace tc

#endif // TC_COMPILER_OUTPUTFILE_H
