//===- GraphImporter.h - Captured graphs as tc.aten calls -------*- C++ -*-===//
//
// Turns the calls of a graph into ops. Mutation ends here: an in-place call
// becomes its functional counterpart, and every name that shares the memory
// sees the new value.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_FRONTEND_PT2_GRAPHIMPORTER_H
#define TC_LIB_FRONTEND_PT2_GRAPHIMPORTER_H

#include "BatchImporter.h"
#include "MutationImporter.h"
#include "RegionImporter.h"
#include "UnrolledLoopImporter.h"
#include "WhileImporter.h"

namespace tc::pt2 {

/// Imports graphs at the insertion point of its builder. Failures are emitted
/// as diagnostics at the location of the call.
class GraphImporter {
public:
  explicit GraphImporter(mlir::OpBuilder &builder)
      : builder(builder), numbers(builder), calls(builder, tensors, numbers),
        views(calls), mutations(calls, views), batches(calls),
        regions(calls, *this), whileLoops(calls, regions),
        unrolledLoops(calls, *this) {}

  /// Imports all calls of `scope.graph`, whose inputs the scope names.
  mlir::LogicalResult importNodes(Scope &scope);

  TensorTable &getTensors() { return tensors; }
  NumberImporter &getNumbers() { return numbers; }
  CallImporter &getCalls() { return calls; }

private:
  mlir::LogicalResult importNode(Scope &scope, const Node &node);
  mlir::LogicalResult importSizes(Scope &scope, const Node &node,
                                  mlir::Location location);
  mlir::LogicalResult importItem(Scope &scope, const Node &node,
                                 mlir::Location location);
  mlir::LogicalResult importCheck(Scope &scope, const Node &node,
                                  mlir::Location location);
  mlir::LogicalResult importCall(Scope &scope, const Node &node,
                                 mlir::Location location);
  mlir::LogicalResult importHigherOrder(Scope &scope, const Node &node,
                                        mlir::Location location);

  mlir::OpBuilder &builder;
  TensorTable tensors;
  NumberImporter numbers;
  CallImporter calls;
  ViewWriter views;
  MutationImporter mutations;
  BatchImporter batches;
  RegionImporter regions;
  WhileImporter whileLoops;
  UnrolledLoopImporter unrolledLoops;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_GRAPHIMPORTER_H
