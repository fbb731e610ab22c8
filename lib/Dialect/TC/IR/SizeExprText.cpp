//===- SizeExprText.cpp - Sizes as text -----------------------------------===//

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;
using namespace tc;

/// Prints `expr`, in parentheses when it binds less tightly than a product.
static void printOperand(SizeExpr expr, raw_ostream &os) {
  bool atom = expr.getKind() == SizeExprKind::Symbol ||
              expr.getKind() == SizeExprKind::Min ||
              expr.getKind() == SizeExprKind::Max ||
              (expr.isConstant() && expr.getValue() >= 0);
  os << (atom ? "" : "(");
  expr.printExpression(os);
  os << (atom ? "" : ")");
}

static void printSum(SizeExpr expr, raw_ostream &os) {
  bool first = true;
  for (Attribute operand : expr.getOperands()) {
    auto term = cast<SizeExpr>(operand);
    // A negative product prints as a subtraction.
    bool negative = !first && term.getKind() == SizeExprKind::Product &&
                    term.getValue() < 0;
    os << (first ? "" : negative ? " - " : " + ");
    (negative ? term.mul(-1) : term).printExpression(os);
    first = false;
  }
  if (expr.getValue() != 0)
    os << (expr.getValue() < 0 ? " - " : " + ") << std::abs(expr.getValue());
}

void SizeExprAttr::printExpression(raw_ostream &os) const {
  switch (getKind()) {
  case SizeExprKind::Constant:
    os << getValue();
    return;
  case SizeExprKind::Symbol:
    os << getSymbol().getValue();
    return;
  case SizeExprKind::Sum:
    printSum(*this, os);
    return;
  case SizeExprKind::Product:
    llvm::interleave(
        getOperands(), os,
        [&](Attribute operand) { printOperand(cast<SizeExpr>(operand), os); },
        " * ");
    if (getValue() != 1)
      os << " * " << getValue();
    return;
  case SizeExprKind::FloorDiv:
  case SizeExprKind::Mod:
    printOperand(cast<SizeExpr>(getOperands()[0]), os);
    os << (getKind() == SizeExprKind::FloorDiv ? " floordiv " : " mod ");
    printOperand(cast<SizeExpr>(getOperands()[1]), os);
    return;
  case SizeExprKind::Min:
  case SizeExprKind::Max:
    os << stringifySizeExprKind(getKind()) << "(";
    cast<SizeExpr>(getOperands()[0]).printExpression(os);
    os << ", ";
    cast<SizeExpr>(getOperands()[1]).printExpression(os);
    os << ")";
  }
}

std::string SizeExprAttr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExpression(os);
  return text;
}
