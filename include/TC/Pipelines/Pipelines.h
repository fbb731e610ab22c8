//===- Pipelines.h - What each phase runs -----------------------*- C++ -*-===//
//
// One table of phases feeds tc-opt, tc-run, Python and the documentation.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PIPELINES_PIPELINES_H
#define TC_PIPELINES_PIPELINES_H

#include "TC/Dialect/TC/IR/Phase.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>

namespace tc {

/// Options of the phases, forwarded by name to the passes that have them.
struct PhaseOptions : public mlir::PassPipelineOptions<PhaseOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("what code is generated for: cpu, cpu:NAME or cuda:sm_NN"),
      llvm::cl::init("cpu")};
  Option<std::string> libraries{
      *this, "libraries",
      llvm::cl::desc("libraries of the target that kernels may call: none, "
                     "host for those of this machine, or cublaslt, cudnn or "
                     "cublaslt,cudnn"),
      llvm::cl::init("")};
  Option<std::string> schedules{
      *this, "schedules",
      llvm::cl::desc("file of a module with schedules of kernels"),
      llvm::cl::init("")};
  ListOption<std::string> specialize{
      *this, "specialize",
      llvm::cl::desc("versions of functions to make, each as "
                     "FUNCTION:SYMBOL=VALUE")};
  /// Told of the PTX of each kernel once it is made, from several threads; no
  /// option of the text.
  std::function<void(llvm::StringRef)> onPTX;
};

struct PhaseInfo {
  Phase phase;
  /// What the IR holds afterwards, as one sentence.
  llvm::StringLiteral description;
  void (*build)(mlir::OpPassManager &, const PhaseOptions &);
  /// Adds the verifier of what the IR holds.
  void (*verify)(mlir::OpPassManager &);

  llvm::StringLiteral name() const { return stringifyPhase(phase); }
};

/// All phases, in order.
llvm::ArrayRef<PhaseInfo> getPhases();

} // namespace tc

#endif // TC_PIPELINES_PIPELINES_H
