//===- TCDialect.h - The tc dialect, its attributes and enums --*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_TCDIALECT_H
#define TC_DIALECT_TC_IR_TCDIALECT_H

#include "TC/Dialect/TC/IR/DiscardableAttributes.h"
#include "TC/Dialect/TC/IR/ScheduleDefaults.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

#include "TC/Dialect/TC/IR/TCEnums.h.inc"

#include "TC/Dialect/TC/IR/TCAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TC/Dialect/TC/IR/TCAttributes.h.inc"

#include "TC/Dialect/TC/IR/TCDialect.h.inc"

namespace tc {

using SizeExpr = SizeExprAttr;
using Sizes = llvm::SmallVector<SizeExprAttr, 6>;

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

/// Whether the symbol is data-dependent, by its name (u0, u1): known from its
/// `tc.size_from` on, and not from the sizes of arguments.
bool isDataDependent(llvm::StringRef symbol);
/// Whether the expression names a data-dependent symbol.
bool isDataDependent(SizeExprAttr size);
/// The data-dependent symbols that the sizes of `type` name, each once.
llvm::SmallVector<mlir::StringAttr> getDataDependentSymbols(mlir::Type type);

/// Bytes of one element as stored: 1 for i1.
int64_t getElementBytes(mlir::Type elementType);

/// What a kernel sets the status of a launch to.
enum KernelStatus : int64_t { kIndexOutOfRange = 1, kSingularMatrix = 2 };

} // namespace tc

#endif // TC_DIALECT_TC_IR_TCDIALECT_H
