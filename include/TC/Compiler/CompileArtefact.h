//===- CompileArtefact.h - From a module to a file --------------*- C++ -*-===//

#ifndef TC_COMPILER_COMPILEARTEFACT_H
#define TC_COMPILER_COMPILEARTEFACT_H

#include "TC/Compiler/Compiler.h"
#include "TC/Runtime/Artefact.h"

namespace tc {

/// Called with a target before the module is compiled for it.
using BeforeTarget = std::function<llvm::Error(const std::string &)>;
/// Called with a target and what was compiled for it.
using AfterTarget =
    std::function<llvm::Error(const std::string &, const CompiledModule &)>;

/// The files that compileArtefact writes.
struct ArtefactOutput {
  std::string path;
  /// For what @tc.prepare makes of the parameters, which are in `directory`: of
  /// the first target; that of a later one has its number behind the name. Of
  /// targets that run on this machine's CPU alone. Empty for none.
  std::string preparedPath;
  std::string directory;
  /// Of files in the place of those that the module names.
  std::vector<runtime::ParameterFile> parameters = {};
  std::string versions = {}; ///< as makeArtefact takes them
  BeforeTarget beforeTarget = {};
  AfterTarget afterTarget = {};
};

/// Compiles `module`, which stays as it is, for each of `targets` with
/// otherwise these options, and writes an artefact. Targets are CPUs of x86-64
/// and CUDA chips; host code for the latter is for any x86-64, and the cubins
/// of their kernels are written beside the PTX where CUDA's assembler is here
/// (assembleWholeProgram). Gives the manifest of the first target.
llvm::Expected<Manifest> compileArtefact(mlir::ModuleOp module,
                                         llvm::ArrayRef<std::string> targets,
                                         const CompileOptions &options,
                                         const ArtefactOutput &output);

/// What an artefact has of a module that was compiled for `target` with its
/// object code kept: borrows that code. `hostTarget` is as in the options.
llvm::Expected<runtime::ArtefactProgram>
describeProgram(const CompiledModule &compiled, const std::string &target,
                const std::string &hostTarget);

} // namespace tc

#endif // TC_COMPILER_COMPILEARTEFACT_H
