//===- CompileArtefact.h - From a module to a file --------------*- C++ -*-===//

#ifndef TC_COMPILER_COMPILEARTEFACT_H
#define TC_COMPILER_COMPILEARTEFACT_H

#include "TC/Compiler/Compiler.h"

namespace tc {

/// Compiles `module`, which stays as it is, for each of `targets` with
/// otherwise these options, and writes the artefact `path`. Targets are CPUs of
/// x86-64.
llvm::Error compileArtefact(mlir::ModuleOp module,
                            llvm::ArrayRef<std::string> targets,
                            const CompileOptions &options,
                            const std::string &path);

} // namespace tc

#endif // TC_COMPILER_COMPILEARTEFACT_H
