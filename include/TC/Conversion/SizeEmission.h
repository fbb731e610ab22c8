//===- SizeEmission.h - Size expressions as code ----------------*- C++ -*-===//
//
// What a node of a size expression computes, for host functions (the llvm
// dialect) and kernels (arith) alike.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_SIZEEMISSION_H
#define TC_CONVERSION_SIZEEMISSION_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/IR/Matchers.h"

namespace tc {

/// Emits a node of kind `kind`, no constant and no symbol, with the constant
/// `value` (see SizeExprAttr) on i64 `operands`. `Arithmetic` has constant(),
/// add(), mul(), floorDiv(), mod(), min() and max(); the division and the
/// remainder round towards minus infinity and have a divisor of at least 1.
///
/// A divisor counts as 1 where it is less: sizes are computed ahead of the
/// guard that it is at least 1, and a division by zero ends the process.
template <typename Arithmetic>
mlir::Value emitSizeNode(SizeExprKind kind, int64_t value,
                         llvm::ArrayRef<mlir::Value> operands,
                         Arithmetic emit) {
  switch (kind) {
  case SizeExprKind::Sum:
  case SizeExprKind::Product: {
    bool isSum = kind == SizeExprKind::Sum;
    mlir::Value result;
    if (value != (isSum ? 0 : 1))
      result = emit.constant(value);
    for (mlir::Value operand : operands)
      result = !result ? operand
               : isSum ? emit.add(result, operand)
                       : emit.mul(result, operand);
    return result;
  }
  case SizeExprKind::FloorDiv:
  case SizeExprKind::Mod: {
    mlir::Value divisor = operands[1];
    llvm::APInt known;
    if (!matchPattern(divisor, mlir::m_ConstantInt(&known)))
      divisor = emit.max(divisor, emit.constant(1));
    else if (!known.isStrictlyPositive())
      divisor = emit.constant(1);
    return kind == SizeExprKind::FloorDiv ? emit.floorDiv(operands[0], divisor)
                                          : emit.mod(operands[0], divisor);
  }
  case SizeExprKind::Min:
    return emit.min(operands[0], operands[1]);
  case SizeExprKind::Max:
    return emit.max(operands[0], operands[1]);
  case SizeExprKind::Constant:
  case SizeExprKind::Symbol:
    break;
  }
  llvm_unreachable("constants and symbols are no nodes");
}

} // namespace tc

#endif // TC_CONVERSION_SIZEEMISSION_H
