//===- ElementStrides.h - Strides of a kernel's accesses --------*- C++ -*-===//

#ifndef TC_ANALYSIS_ELEMENTSTRIDES_H
#define TC_ANALYSIS_ELEMENTSTRIDES_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The strides, in elements, of a row-major buffer of `type`, one for each of
/// its dimensions.
Sizes getRowMajorStrides(mlir::ShapedType type);

/// By how much `expr`, an index of so many dimensions and symbols, grows where
/// `input`, one of them, is one more; nothing where that varies.
std::optional<int64_t> getIndexStep(mlir::AffineExpr expr,
                                    mlir::AffineExpr input, unsigned numDims,
                                    unsigned numSymbols);

/// The stride of an access along the dimension `dim` of a kernel's domain: how
/// many elements of a row-major buffer of `type` are from the element of one
/// point to that of the next, where `map` takes points to elements. Nothing
/// where two points have another stride than two others.
std::optional<SizeExpr> getElementStride(mlir::ShapedType type,
                                         mlir::AffineMap map, unsigned dim);

/// Whether the stride of an access along `dims`, walked as one dimension with
/// the last of `dims` the fastest, is `stride` elements everywhere.
bool hasStride(KernelOp kernel, mlir::ShapedType type, mlir::AffineMap map,
               llvm::ArrayRef<unsigned> dims, SizeExpr stride);

/// Whether the stride of `read` along `dims`, walked as one dimension with the
/// last of `dims` the fastest, is `stride` elements everywhere.
bool hasStride(KernelOp kernel, ReadOp read, llvm::ArrayRef<unsigned> dims,
               SizeExpr stride);

/// That stride of `read`, 0 where `dims` have one point; nothing where two
/// points have another stride than two others.
std::optional<SizeExpr> getFlatStride(KernelOp kernel, ReadOp read,
                                      llvm::ArrayRef<unsigned> dims);

/// The read whose result `operand` is, where it has no condition and no dynamic
/// indices, and its stride along `dims`, at least one dimension, is 1; null
/// otherwise.
ReadOp getLinearRead(KernelOp kernel, mlir::Value operand,
                     llvm::ArrayRef<unsigned> dims);

} // namespace tc

#endif // TC_ANALYSIS_ELEMENTSTRIDES_H
