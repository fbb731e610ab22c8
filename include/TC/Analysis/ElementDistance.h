//===- ElementDistance.h - Strides of a kernel's accesses -------*- C++ -*-===//

#ifndef TC_ANALYSIS_ELEMENTDISTANCE_H
#define TC_ANALYSIS_ELEMENTDISTANCE_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The strides of a row-major buffer of `type`, in elements, one a dimension.
Sizes getRowMajorStrides(mlir::ShapedType type);

/// The stride, in elements of a row-major buffer of `type`, from one point of
/// `dim` to the next, where `map` takes points to elements; nothing when it is
/// not the same everywhere.
std::optional<SizeExpr> getElementDistance(mlir::ShapedType type,
                                           mlir::AffineMap map, unsigned dim);

/// Whether the read's stride along `dims`, walked as one dimension, is
/// `distance` elements everywhere.
bool areApart(KernelOp kernel, ReadOp read, llvm::ArrayRef<unsigned> dims,
              SizeExpr distance);

/// The read that `operand` is if it has no condition and no dynamic indices and
/// its stride along `dims`, of which there is at least one, is 1; null
/// otherwise.
ReadOp getLinearRead(KernelOp kernel, mlir::Value operand,
                     llvm::ArrayRef<unsigned> dims);

} // namespace tc

#endif // TC_ANALYSIS_ELEMENTDISTANCE_H
