//===- UnrolledLoopImporter.h - A graph run once a step ---------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_UNROLLEDLOOPIMPORTER_H
#define TC_LIB_FRONTEND_PT2_UNROLLEDLOOPIMPORTER_H

#include "ImporterBase.h"

namespace tc::pt2 {

/// Imports torch.scan and torch.map over a number of steps that is a constant:
/// the graph is imported once for each, and the steps' results are joined.
class UnrolledLoopImporter : NestedGraphImporter {
public:
  UnrolledLoopImporter(CallImporter &calls, GraphImporter &graphs)
      : NestedGraphImporter(calls, graphs) {}

  /// Imports a call; `name` is "scan" or "map".
  mlir::LogicalResult import(Scope &scope, const Node &node,
                             llvm::StringRef name, mlir::Location location);

private:
  /// A graph that runs once a step. Its inputs: the values carried from step
  /// to step, one element of each stepped tensor, and values of all steps.
  struct Loop {
    const Graph *graph = nullptr;
    llvm::ArrayRef<Argument> carried, stepped, further;
    int64_t steps = 0;
  };
  mlir::FailureOr<Loop> readLoop(Scope &scope, const Node &node,
                                 llvm::StringRef name, mlir::Location location);
  mlir::LogicalResult importStep(Scope &scope, const Loop &loop,
                                 llvm::ArrayRef<mlir::Value> carried,
                                 int64_t step,
                                 llvm::SmallVectorImpl<mlir::Value> &results,
                                 mlir::Location location);
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_UNROLLEDLOOPIMPORTER_H
