//===- SplatValue.h - Tensors of one value ----------------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_SPLATVALUE_H
#define TC_DIALECT_TC_IR_SPLATVALUE_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace tc {

/// The value that all elements of `value` have, when that is known: of a
/// `tc.full`, a `tc.constant` that is a splat, a `tc.scalar`, and of views of
/// these. Null otherwise. The attribute has the element type.
mlir::TypedAttr getSplatValue(mlir::Value value);

/// The splat value of a float tensor or scalar as a double, which holds every
/// value of the narrower types.
std::optional<double> getSplatFloat(mlir::Value value);

/// The splat value of a tensor or scalar of integers, sign- or zero-extended as
/// its type says; 0 or 1 for i1.
std::optional<int64_t> getSplatInteger(mlir::Value value);

/// 0 of a number, bool, float8 or complex type.
mlir::TypedAttr getZero(mlir::Type elementType);

} // namespace tc

#endif // TC_DIALECT_TC_IR_SPLATVALUE_H
