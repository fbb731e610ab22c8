//===- ObjectFiles.h - Code as object files ---------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_OBJECTFILES_H
#define TC_LIB_RUNNER_OBJECTFILES_H

#include "TC/Compiler/Compiler.h"

namespace tc::runner {

/// Writes each object to `directory`/NAME.o, where NAME is its first function;
/// nothing where the directory is empty.
llvm::Error writeObjectFiles(llvm::ArrayRef<ObjectCode> objects,
                             llvm::StringRef directory);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_OBJECTFILES_H
