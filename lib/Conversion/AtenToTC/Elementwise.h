//===- Elementwise.h - calls whose operands are brought together -*- C++
//-*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_ELEMENTWISE_H
#define TC_LIB_CONVERSION_ATENTOTC_ELEMENTWISE_H

#include "AtenTable.h"

namespace tc::aten {

/// How the common element type of operands is found.
enum class Promotion {
  Common,  ///< PyTorch's result type
  Choice,  ///< the same, complex numbers too: elements are chosen and moved
  Number,  ///< the same, bools as i8
  Float,   ///< PyTorch's, integers and bools as the default float type
  Formula, ///< the same, bf16 and f16 as f32: PyTorch rounds the result only
};

/// Replaces an elementwise call: the operands called `names`, in their common
/// element type and the sizes of the result, go through `build`.
inline llvm::LogicalResult
convertElementwise(AtenCall &call, llvm::ArrayRef<llvm::StringRef> names,
                   Promotion promotion,
                   llvm::function_ref<mlir::Value(mlir::ValueRange)> build) {
  llvm::SmallVector<Operand> operands;
  for (llvm::StringRef name : names)
    operands.push_back(call.getOperand(name));
  mlir::Type element =
      promotion == Promotion::Float || promotion == Promotion::Formula
          ? promoteToFloat(operands)
          : promoteOperands(operands);
  if (llvm::isa<mlir::ComplexType>(element) && promotion != Promotion::Choice)
    return call.refuse("complex numbers");
  if (promotion == Promotion::Number && element.isInteger(1))
    element = call.builder.getIntegerType(8);
  // PyTorch does not round numbers and 0-d tensors to bf16 or f16 before the
  // operation, only its result.
  bool hasScalar = llvm::any_of(operands, [](const Operand &operand) {
    return !operand.tensor || rankOf(operand.tensor) == 0;
  });
  if ((hasScalar || promotion == Promotion::Formula) &&
      (element.isBF16() || element.isF16()))
    element = call.builder.getF32Type();
  Sizes sizes = getSizes(call.getResultType());
  llvm::SmallVector<mlir::Value> values;
  for (const Operand &operand : operands)
    values.push_back(call.materialize(operand, element, sizes));
  if (call.hasFailed())
    return llvm::failure();
  mlir::Value result = build(values);
  return call.hasFailed() ? llvm::failure() : call.replace(result);
}

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_ELEMENTWISE_H
