//===- SizeAlgebra.cpp - Solving and replacing size symbols ---------------===//

#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace tc;

bool tc::isPolynomial(SizeExpr expr) {
  switch (expr.getKind()) {
  case SizeExprKind::Constant:
  case SizeExprKind::Symbol:
    return true;
  case SizeExprKind::Sum:
  case SizeExprKind::Product:
    return llvm::all_of(expr.getOperands(), [](Attribute operand) {
      return isPolynomial(cast<SizeExpr>(operand));
    });
  default:
    return false;
  }
}

SizeExpr tc::withOperands(SizeExpr expr, ArrayRef<SizeExpr> operands) {
  SizeExpr result = SizeExpr::constant(expr.getContext(), expr.getValue());
  switch (expr.getKind()) {
  case SizeExprKind::Constant:
  case SizeExprKind::Symbol:
    return expr;
  case SizeExprKind::Sum:
    for (SizeExpr operand : operands)
      result = result.add(operand);
    return result;
  case SizeExprKind::Product:
    for (SizeExpr operand : operands)
      result = result.mul(operand);
    return result;
  case SizeExprKind::FloorDiv:
    return operands[0].floorDiv(operands[1]);
  case SizeExprKind::Mod:
    return operands[0].mod(operands[1]);
  case SizeExprKind::Min:
    return operands[0].min(operands[1]);
  case SizeExprKind::Max:
    return operands[0].max(operands[1]);
  }
  llvm_unreachable("all kinds are listed");
}

SmallVector<std::pair<SizeExpr, int64_t>> tc::getTerms(SizeExpr expr) {
  SmallVector<SizeExpr> parts{expr};
  if (expr.getKind() == SizeExprKind::Sum)
    parts = llvm::map_to_vector(expr.getOperands(), [](Attribute term) {
      return cast<SizeExpr>(term);
    });
  return llvm::map_to_vector(parts, [](SizeExpr part) {
    if (part.getKind() == SizeExprKind::Product &&
        part.getOperands().size() == 1)
      return std::pair(cast<SizeExpr>(part.getOperands()[0]), part.getValue());
    return std::pair(part, int64_t(1));
  });
}

SmallVector<SizeExpr> tc::getFactors(SizeExpr expr) {
  if (expr.getKind() != SizeExprKind::Product || expr.getValue() < 1)
    return {expr};
  return llvm::map_to_vector(expr.getOperands(), [](Attribute factor) {
    return cast<SizeExpr>(factor);
  });
}

std::optional<SizeExpr> tc::solveFor(StringRef symbol, SizeExpr zero) {
  SizeExpr unknown = SizeExpr::named(zero.getContext(), symbol);
  SizeExpr rest = zero.substitute([&](StringRef name) {
    return name == symbol ? SizeExpr::constant(zero.getContext(), 0)
                          : SizeExpr();
  });
  // The canonical form shows that the symbol occurs nowhere else.
  if (zero == rest.add(unknown))
    return rest.mul(-1);
  if (zero == rest.sub(unknown))
    return rest;
  return std::nullopt;
}

void tc::replaceSizes(Operation *op,
                      function_ref<SizeExpr(SizeExpr)> replacement) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](SizeExpr expr) -> std::pair<Attribute, WalkResult> {
        return {replacement(expr), WalkResult::skip()};
      });
  // A type without symbolic sizes has no encoding.
  replacer.addReplacement(
      [&](RankedTensorType type) -> std::pair<Type, WalkResult> {
        if (!isa_and_nonnull<SizesAttr>(type.getEncoding()))
          return {type, WalkResult::skip()};
        Sizes sizes = getSizes(type);
        for (SizeExpr &size : sizes)
          size = replacement(size);
        return {getTensorType(sizes, type.getElementType()),
                WalkResult::skip()};
      });
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  op->walk([](KernelOp kernel) { updateSymbols(kernel); });
}

void tc::substituteSymbols(Operation *op,
                           function_ref<SizeExpr(StringRef)> valueOf) {
  replaceSizes(op, [&](SizeExpr expr) { return expr.substitute(valueOf); });
}
