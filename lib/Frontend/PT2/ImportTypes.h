//===- ImportTypes.h - types and sizes of the archive in MLIR ---*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_IMPORTTYPES_H
#define TC_LIB_FRONTEND_PT2_IMPORTTYPES_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Frontend/PT2/ExportedProgram.h"

#include "mlir/IR/Location.h"

namespace tc::pt2 {

/// The element type of a ScalarType, or null for one that tc has not.
mlir::Type getElementType(ScalarType type, mlir::MLIRContext *context);

/// The expression of an input's size, stride or value in a condition; null
/// when there is none.
using InputLookup = llvm::function_ref<SizeExpr(const Expression &)>;

/// The integer expression as a SizeExpr, or null when it is none (real
/// numbers, functions tc does not have). `lookup` resolves input properties.
SizeExpr convertSize(const Expression &expression, mlir::MLIRContext *context,
                     InputLookup lookup = {});

/// An expression that is at least 0 exactly when `condition` holds, or null
/// when the condition is not about integers alone.
SizeExpr convertCondition(const Expression &condition,
                          mlir::MLIRContext *context, InputLookup lookup = {});

/// Whether a condition is about the strides of an input, or about the tensor of
/// which it is a view, such as L['x']._base. Where the elements of inputs are
/// says `tc.strides`, and no result depends on it.
bool isAboutStrides(const Expression &condition);

/// The tensor type of a value; emits an error at `location` and returns null
/// when tc has no such type.
mlir::RankedTensorType convertTensorType(const TensorMeta &meta,
                                         llvm::StringRef name,
                                         mlir::Location location);

/// The user's innermost frame of a stack trace under the name of the call:
/// frames of PyTorch's own files are passed over where there is another.
mlir::Location convertLocation(llvm::StringRef stackTrace, llvm::StringRef name,
                               mlir::MLIRContext *context);

/// The strides of a weight, or none when it is contiguous.
mlir::DenseI64ArrayAttr getWeightStrides(const TensorMeta &meta,
                                         mlir::MLIRContext *context);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_IMPORTTYPES_H
