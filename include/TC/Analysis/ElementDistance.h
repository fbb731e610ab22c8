//===- ElementDistance.h - Strides of a kernel's accesses --------*- C++
//-*-===//

#ifndef TC_ANALYSIS_ELEMENTDISTANCE_H
#define TC_ANALYSIS_ELEMENTDISTANCE_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Elements from one point of each dimension of a row-major buffer to the next.
Sizes getRowMajorStrides(mlir::ShapedType type);

/// The stride, in elements of a buffer of `type`, between neighbouring points
/// of `dim` are that `map` takes to it; nothing when that is not the same
/// everywhere.
std::optional<SizeExpr> getElementDistance(mlir::ShapedType type,
                                           mlir::AffineMap map, unsigned dim);

/// Whether neighbouring points of `dims`, walked as one dimension, are
/// `distance` elements of the read's buffer apart everywhere.
bool areApart(KernelOp kernel, ReadOp read, llvm::ArrayRef<unsigned> dims,
              SizeExpr distance);

/// The read that `operand` is if it has no condition and no dynamic indices and
/// the points of `dims`, of which there are some, lie one after the other; null
/// otherwise.
ReadOp getLinearRead(KernelOp kernel, mlir::Value operand,
                     llvm::ArrayRef<unsigned> dims);

} // namespace tc

#endif // TC_ANALYSIS_ELEMENTDISTANCE_H
