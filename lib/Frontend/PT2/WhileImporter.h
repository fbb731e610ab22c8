//===- WhileImporter.h - torch.while_loop as tc.while -----------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_WHILEIMPORTER_H
#define TC_LIB_FRONTEND_PT2_WHILEIMPORTER_H

#include "RegionImporter.h"

namespace tc::pt2 {

/// Imports torch.while_loop, which becomes tc.while.
class WhileImporter : ImporterBase {
public:
  WhileImporter(CallImporter &calls, RegionImporter &regions)
      : ImporterBase(calls), regions(regions) {}

  mlir::LogicalResult import(Scope &scope, const Node &node,
                             mlir::Location location);

private:
  mlir::LogicalResult importLoopRegion(const Graph &graph,
                                       llvm::ArrayRef<mlir::Value> inputs,
                                       llvm::StringRef what,
                                       mlir::Location location);
  /// Gives an input of a graph its value: a tensor, or an integer as a 0-d i64.
  mlir::LogicalResult bindInput(Scope &scope, const Argument &input,
                                mlir::Value value, mlir::Location location);

  RegionImporter &regions;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_WHILEIMPORTER_H
