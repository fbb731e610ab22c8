//===- ProgramReport.h - What became of a program, as JSON ------*- C++ -*-===//

#ifndef TC_RUNNER_PROGRAMREPORT_H
#define TC_RUNNER_PROGRAMREPORT_H

#include "TC/Pipelines/Phases.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <string>

namespace tc::runner {

struct RemarkLine;

/// Collects what the phases make of a module, for programs to read: the
/// kernels, with the calls of the user's program in each, what each reads and
/// writes, and where that comes from; what passes remark; memory plans; guards.
/// One at a time for a context.
class ProgramReport {
public:
  /// Takes the remarks of what is compiled in `context` while this lives, and
  /// hands them on to `takeRemark`.
  explicit ProgramReport(
      mlir::MLIRContext &context,
      std::function<void(const RemarkLine &)> takeRemark = {});
  ~ProgramReport();
  ProgramReport(const ProgramReport &) = delete;
  ProgramReport &operator=(const ProgramReport &) = delete;

  /// Reads the captured graph, before it runs a phase.
  void addSource(mlir::ModuleOp module);
  /// Reads the module after a phase.
  void afterPhase(const PhaseInfo &phase, mlir::ModuleOp module);
  /// An object with the lists `graphs`, `kernels`, `remarks`, `memory_plans`
  /// and `guards`. Bytes and operations are expressions in the functions'
  /// symbols, as text.
  llvm::json::Object object() const;
  std::string json() const;

private:
  void addKernels(mlir::ModuleOp module);
  void addMemoryPlans(mlir::ModuleOp module);

  mlir::MLIRContext &context;
  llvm::json::Array graphs, kernels, remarks, plans, guards;
};

} // namespace tc::runner

#endif // TC_RUNNER_PROGRAMREPORT_H
