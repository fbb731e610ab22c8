//===- Compiler.h - From a module to code that runs -------------*- C++ -*-===//

#ifndef TC_COMPILER_COMPILER_H
#define TC_COMPILER_COMPILER_H

#include "TC/Compiler/Manifest.h"
#include "TC/Compiler/Mode.h"
#include "TC/Pipelines/Phases.h"
#include "TC/Runtime/ABI.h"
#include "TC/Target/CPU/ObjectCode.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>

namespace tc {

class LoadedCode;
namespace runtime {
class ArtefactCode;
}

struct CompileOptions {
  /// What code is generated for: "cpu", "cpu:NAME", "cpu:NAME:+feature",
  /// "cuda:CHIP".
  std::string target = "cpu";
  /// The CPU of the host functions of code for a GPU.
  std::string hostTarget = "cpu";
  /// What calls are tuned for. The code is the same in each mode; whoever calls
  /// it does what the mode says.
  Mode mode = Mode::Default;
  /// Libraries of the target that kernels may call: "none", "host" for those of
  /// this machine, or "cublaslt", "cudnn" or "cublaslt,cudnn"; empty for those
  /// that the module lists.
  std::string libraries;
  /// File of a module with schedules of kernels; empty for none.
  std::string schedules;
  /// Versions of functions to make, each as "FUNCTION:SYMBOL=VALUE".
  std::vector<std::string> specialize;
  /// Called after each phase with the module that it made.
  std::function<void(const PhaseInfo &, mlir::ModuleOp)> afterPhase;
  /// Called with the PTX of each kernel of a GPU once it is made, from several
  /// threads, while others are still being made.
  std::function<void(llvm::StringRef)> onPTX;
  /// Whether a phase that fails or crashes leaves a file that reproduces it,
  /// named in the diagnostics.
  bool reproducer = true;
  /// Directory of that file; empty for the system's temporary directory.
  std::string reproducerDirectory;
  /// Diagnostics become part of the error's text instead of going to the
  /// handlers of the module's context.
  bool collectDiagnostics = false;
  ObjectCodeOptions objectCode;
  /// Whether the code is to run in this process; if not, any target is
  /// accepted.
  bool load = true;
};

/// Time of a phase, or of one of the steps after the last phase.
struct PhaseTiming {
  std::string name;
  double seconds = 0;
};

struct CompileStatistics {
  std::vector<PhaseTiming> timings;
  int64_t launches = 0; ///< in all functions
  int64_t kernels = 0;  ///< different ones
  uint64_t codeBytes = 0;

  double totalSeconds() const;
};

/// The PTX of one kernel, without a zero behind it.
struct KernelText {
  std::string kernel, ptx;
};

/// Compiled functions, ready to run in this process.
class CompiledModule {
public:
  CompiledModule();
  /// The code of an artefact.
  explicit CompiledModule(std::unique_ptr<runtime::ArtefactCode> artefact);
  CompiledModule(CompiledModule &&);
  CompiledModule &operator=(CompiledModule &&);
  ~CompiledModule();

  const Manifest &manifest() const { return content; }
  const CompileStatistics &statistics() const { return counts; }
  /// Adds a step to the statistics.
  void addTiming(PhaseTiming timing) {
    counts.timings.push_back(std::move(timing));
  }
  /// The text of the LLVM IR or the assembly, when it was asked for; for a
  /// GPU, the assembly is the kernels' PTX.
  const std::string &llvmIR() const { return llvmIRText; }
  const std::string &assembly() const { return assemblyText; }
  /// The object code, when it was asked for: host functions, then each kernel.
  const std::vector<ObjectCode> &objects() const { return objectCode; }
  /// The kernels of a GPU, when the object code was asked for, which has them
  /// too.
  const std::vector<KernelText> &kernelTexts() const { return texts; }

  /// The function of that name; null when the manifest has none, and when the
  /// code was not to be loaded.
  tc_function function(const std::string &name) const;
  /// @tc.prepare; null when the module has none, or no code was loaded.
  tc_function prepareFunction() const { return prepare; }

private:
  friend llvm::Expected<CompiledModule> compile(mlir::ModuleOp,
                                                const CompileOptions &);
  Manifest content;
  CompileStatistics counts;
  std::string llvmIRText, assemblyText;
  std::vector<ObjectCode> objectCode;
  std::vector<KernelText> texts;
  std::unique_ptr<LoadedCode> code;
  std::unique_ptr<runtime::ArtefactCode> artefact;
  std::vector<tc_function> functions; ///< as in the manifest
  tc_function prepare = nullptr;
};

/// Runs the phases that `module` has still to go through, up to `to`, and adds
/// their times to `timings` when it is given. Fails with the name of the phase;
/// what went wrong are diagnostics, unless the options collect them.
llvm::Error runPhases(mlir::ModuleOp module, Phase to,
                      const CompileOptions &options,
                      std::vector<PhaseTiming> *timings = nullptr);

/// Compiles `module`, from whatever phase it is at, and loads the code. The
/// module is left as the emit phase made it.
llvm::Expected<CompiledModule> compile(mlir::ModuleOp module,
                                       const CompileOptions &options = {});

} // namespace tc

#endif // TC_COMPILER_COMPILER_H
