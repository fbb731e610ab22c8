//===- RegionImporter.h - Calls that hold graphs ----------------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_REGIONIMPORTER_H
#define TC_LIB_FRONTEND_PT2_REGIONIMPORTER_H

#include "ImporterBase.h"

namespace tc::pt2 {

/// Imports the graphs of torch.no_grad and autocast, which are inlined, and of
/// torch.cond, which becomes tc.if.
class RegionImporter : NestedGraphImporter {
public:
  RegionImporter(CallImporter &calls, GraphImporter &graphs)
      : NestedGraphImporter(calls, graphs) {}

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
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_REGIONIMPORTER_H
