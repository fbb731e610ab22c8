//===- KernelReport.h - What --print-kernels prints -------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_KERNELREPORT_H
#define TC_LIB_RUNNER_KERNELREPORT_H

#include "KernelFigures.h"
#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"

namespace tc::runner {

/// Collects what --print-kernels and --explain print while phases run.
class KernelReport {
public:
  explicit KernelReport(const RunOptions &options) : options(options) {}
  /// Takes a remark of what is compiled.
  void addRemark(const RemarkLine &remark);
  /// Reads the module after a phase.
  void afterPhase(const PhaseInfo &phase, mlir::ModuleOp module);
  void print(llvm::raw_ostream &os) const;
  /// Arithmetic operations of a call of `function`, two for a multiply-add; 0
  /// where the kernels or a size are not known.
  int64_t countOperations(
      llvm::StringRef function,
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> size) const;

private:
  void addKernels(mlir::ModuleOp module);
  void addMemoryPlan(mlir::ModuleOp module);

  const RunOptions &options;
  std::vector<std::vector<std::string>> kernels; ///< rows of the table
  /// The operations of each kernel, and the function it belongs to.
  std::vector<std::pair<std::string, SizeExpr>> operations;
  std::vector<std::string> remarks, plan, guards;
};

/// Prints rows, the first of them titles, in columns.
void printTable(llvm::raw_ostream &os,
                llvm::ArrayRef<std::vector<std::string>> rows);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_KERNELREPORT_H
