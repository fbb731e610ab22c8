//===- RegionImporter.h - Calls that hold graphs ----------------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_REGIONIMPORTER_H
#define TC_LIB_FRONTEND_PT2_REGIONIMPORTER_H

#include "CallImporter.h"

namespace tc::pt2 {

class GraphImporter;

/// Imports the graphs of torch.no_grad and autocast, which are inlined, and of
/// torch.cond, which becomes tc.if.
class RegionImporter {
public:
  RegionImporter(CallImporter &calls, GraphImporter &graphs)
      : calls(calls), graphs(graphs), builder(calls.getBuilder()),
        tensors(calls.getTensors()) {}

  mlir::LogicalResult importInlined(Scope &scope, const Node &node,
                                    mlir::Location location);
  mlir::LogicalResult importCond(Scope &scope, const Node &node,
                                 mlir::Location location);
  /// Imports a graph, of which `inner` names the inputs, into the block of a
  /// region, which yields its outputs; `what` is the graph in messages.
  mlir::LogicalResult importRegion(Scope &inner, llvm::StringRef what,
                                   mlir::Location location);

private:
  mlir::LogicalResult importBranch(Scope &scope, const Node &node,
                                   const Graph &branch, mlir::Region &region,
                                   mlir::Location location);

  CallImporter &calls;
  GraphImporter &graphs;
  mlir::OpBuilder &builder;
  TensorTable &tensors;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_REGIONIMPORTER_H
