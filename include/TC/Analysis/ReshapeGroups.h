//===- ReshapeGroups.h - Which dimensions a reshape mixes -------*- C++ -*-===//

#ifndef TC_ANALYSIS_RESHAPEGROUPS_H
#define TC_ANALYSIS_RESHAPEGROUPS_H

#include "TC/Dialect/TC/IR/KernelBuilder.h"

namespace tc {

/// Consecutive dimensions [begin, end) of a reshape's operand and of its
/// result that hold the same elements; the smallest such.
struct ReshapeGroup {
  unsigned sourceBegin, sourceEnd, resultBegin, resultEnd;
};

/// The groups of a reshape between these sizes, in order. They cover all
/// dimensions.
llvm::SmallVector<ReshapeGroup>
getReshapeGroups(llvm::ArrayRef<SizeExprAttr> source,
                 llvm::ArrayRef<SizeExprAttr> result);

/// The operand's indices of the element that the result has at `indices`.
/// Fails where a stride is no constant.
mlir::FailureOr<llvm::SmallVector<mlir::AffineExpr>>
mapThroughReshape(llvm::ArrayRef<SizeExprAttr> source,
                  llvm::ArrayRef<SizeExprAttr> result,
                  llvm::ArrayRef<mlir::AffineExpr> indices);

} // namespace tc

#endif // TC_ANALYSIS_RESHAPEGROUPS_H
