//===- HeaderText.h - An artefact's functions in C --------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_HEADERTEXT_H
#define TC_LIB_RUNNER_HEADERTEXT_H

#include "TC/Compiler/Manifest.h"
#include <string>

namespace tc::runner {

/// A C header with a function for each of the program's, which calls it in an
/// artefact. Names begin with `prefix`, made to one that C knows: "m".
std::string makeHeader(const Manifest &manifest, llvm::StringRef prefix);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_HEADERTEXT_H
