//===- SizedTypes.h - Sizes of tensor and memref types ----------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_SIZEDTYPES_H
#define TC_DIALECT_TC_IR_SIZEDTYPES_H

#include "TC/Dialect/TC/IR/TCDialect.h"

namespace tc {

/// The sizes of a ranked tensor or memref: constants, or the expressions of
/// its encoding (tensor) or layout (memref).
Sizes getSizes(mlir::ShapedType type);

/// Whether every size of `type` is a constant or named by a #tc.sizes; any
/// other encoding is unknown to TC.
bool hasKnownSizes(mlir::RankedTensorType type);

/// The tensor type of these sizes, with an encoding if one is not constant.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<SizeExprAttr> sizes,
                                     mlir::Type elementType);

/// The row-major memref type of these sizes, with a #tc.sizes layout if one is
/// not constant.
mlir::MemRefType getMemRefType(llvm::ArrayRef<SizeExprAttr> sizes,
                               mlir::Type elementType);

/// `type` with another element type.
mlir::RankedTensorType withElementType(mlir::RankedTensorType type,
                                       mlir::Type elementType);

/// Product of the sizes.
SizeExprAttr getElementCount(llvm::ArrayRef<SizeExprAttr> sizes,
                             mlir::MLIRContext *context);

/// Bytes of one element as stored: 1 for i1.
int64_t getElementBytes(mlir::Type elementType);

/// Whether it is a float of 8 bits, f8E4M3FN or f8E5M2.
bool isFloat8Type(mlir::Type elementType);

} // namespace tc

#endif // TC_DIALECT_TC_IR_SIZEDTYPES_H
