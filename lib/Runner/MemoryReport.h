//===- MemoryReport.h - Memory of a call ------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_MEMORYREPORT_H
#define TC_LIB_RUNNER_MEMORYREPORT_H

#include "TC/Runner/Entry.h"
#include "TC/Runner/Execution.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace tc::runner {

/// The bytes that a call of a compiled function allocates, and those that the
/// same call would take op by op.
class MemoryReport {
public:
  /// Takes the graph before it is compiled, and the sizes of a call's inputs.
  void setCall(mlir::ModuleOp module, const Entry &entry,
               const Tensors &inputs);
  /// Reads the module after phase generate.
  void afterPhase(const PhaseInfo &phase, mlir::ModuleOp module);

  /// Whether arena, results and workspaces are known: not of a module that has
  /// run phase emit.
  bool isKnown() const { return isPlanKnown; }
  /// Of the call's intermediates. Of the versions of a function, the largest.
  int64_t arena() const { return arenaBytes; }
  /// Of its outputs.
  int64_t results() const { return resultBytes; }
  /// Most that one launch's threads take of their stacks for packed
  /// operands
  /// and values they keep.
  int64_t workspaces() const { return workspaceBytes; }
  /// Most bytes live, results among them, when the captured graph runs op by
  /// op; nothing for a module that came with kernels made already.
  std::optional<int64_t> opByOpPeak() const { return opByOpBytes; }
  /// The same without the results.
  std::optional<int64_t> opByOpIntermediatePeak() const {
    return opByOpIntermediateBytes;
  }
  /// "arena 12 KB, workspaces 3.4 KB, results 1.0 MB; op by op 4.2 MB,
  /// without results 3.1 MB"
  std::string str() const;
  /// The value that a symbolic size has in the call.
  std::optional<int64_t> getSymbol(llvm::StringRef name) const;

private:
  int64_t evaluate(SizeExpr expr) const;
  int64_t getStackBytes(mlir::func::FuncOp kernel) const;
  void addVersions(mlir::ModuleOp module);
  void addFunction(mlir::ModuleOp module, mlir::func::FuncOp version);

  std::string function;
  llvm::StringMap<int64_t> symbols;
  std::optional<int64_t> opByOpBytes, opByOpIntermediateBytes;
  bool isPlanKnown = false;
  int64_t arenaBytes = 0, resultBytes = 0, workspaceBytes = 0;
};

} // namespace tc::runner

#endif // TC_LIB_RUNNER_MEMORYREPORT_H
