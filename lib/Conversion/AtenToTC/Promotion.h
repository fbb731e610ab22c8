//===- Promotion.h - common types, converted numbers ------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_PROMOTION_H
#define TC_LIB_CONVERSION_ATENTOTC_PROMOTION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace tc::aten {

/// An operand of an elementwise call: a tensor, or a number (i64, f64, bool or
/// #tc.expr). A number that only the call knows is a 0-d tensor.
struct Operand {
  mlir::Value tensor;
  mlir::Attribute number;
  bool isNumber = false; ///< the tensor counts as a number in promotion
};

/// PyTorch's common type of two element types.
mlir::Type promoteTypes(mlir::Type a, mlir::Type b);

/// PyTorch's result type of the operands: of tensors with dimensions, then of
/// 0-d tensors, then of numbers, where a later group counts only for its
/// category (bool < integer < float).
mlir::Type promoteOperands(llvm::ArrayRef<Operand> operands);
/// The same, with integers and bools as the default float type.
mlir::Type promoteToFloat(llvm::ArrayRef<Operand> operands);

/// The number as an attribute of an element type, converted as PyTorch does.
mlir::TypedAttr convertNumber(mlir::Attribute number, mlir::Type element);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_PROMOTION_H
