//===- Dump.h - Folders of what a compilation goes through ------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_DUMP_H
#define TC_LIB_RUNNER_DUMP_H

#include "TC/Compiler/Compiler.h"
#include <string>
#include <vector>

namespace tc::runner {

/// Writes a module as text.
llvm::Error writeModule(llvm::StringRef path, mlir::ModuleOp module);

/// What is compiled, and the options of tc-run that repeat it.
struct DumpedSource {
  std::string file;    ///< "-" for standard input
  std::string options; ///< " --target=cuda:sm_90a": where each phase runs on
  std::string more;    ///< those that the source needs besides
};

/// A numbered folder for one program: what is compiled, the module after each
/// phase, the code that is generated, and the commands that repeat it.
class Dump {
public:
  /// Makes the next folder of `directory`, which other processes may use too.
  static llvm::Expected<Dump> start(const std::string &directory);

  /// Notes what is compiled, before it runs a phase.
  llvm::Error addSource(const DumpedSource &given, mlir::ModuleOp module);
  llvm::Error addPhase(const PhaseInfo &phase, mlir::ModuleOp module);
  llvm::Error addCode(const CompiledModule &compiled, bool isForGPU);

private:
  explicit Dump(std::string folder) : folder(std::move(folder)) {}
  std::string pathOf(llvm::StringRef name) const;
  llvm::Error writeText(llvm::StringRef name, llvm::StringRef text) const;
  llvm::Error addCommand(llvm::StringRef file, const std::string &options);

  std::string folder, options, commands;
};

} // namespace tc::runner

#endif // TC_LIB_RUNNER_DUMP_H
