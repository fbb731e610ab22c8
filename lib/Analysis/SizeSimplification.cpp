//===- SizeSimplification.cpp - What ranges say of sizes ------------------===//

#include "TC/Analysis/SizeSimplification.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"

using namespace mlir;
using namespace tc;

/// The smaller of two sizes, or the larger, of which ranges may know which.
static SizeExpr simplifyExtreme(SizeExpr a, SizeExpr b, bool isMinimum,
                                const SizeRanges &ranges) {
  SizeRange difference = ranges.of(a.sub(b));
  if (difference.max <= 0)
    return isMinimum ? a : b;
  if (difference.min >= 0)
    return isMinimum ? b : a;
  return isMinimum ? a.min(b) : a.max(b);
}

SizeExpr tc::simplifySize(SizeExpr expr, const SizeRanges &ranges) {
  if (expr.isConstant())
    return expr;
  if (SizeRange range = ranges.of(expr); range.min == range.max)
    return SizeExpr::constant(expr.getContext(), range.min);
  SmallVector<SizeExpr> operands;
  for (Attribute operand : expr.getOperands())
    operands.push_back(simplifySize(cast<SizeExpr>(operand), ranges));
  if (expr.getKind() == SizeExprKind::Min ||
      expr.getKind() == SizeExprKind::Max)
    return simplifyExtreme(operands[0], operands[1],
                           expr.getKind() == SizeExprKind::Min, ranges);
  return withOperands(expr, operands);
}
