//===- AccessMap.cpp - Index maps of kernels on concrete sizes ------------===//

#include "AccessMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tc::reference {

std::optional<int64_t> evaluateAffine(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt; // a symbol without a value
  std::optional<int64_t> lhs = evaluateAffine(binary.getLHS(), dims);
  std::optional<int64_t> rhs = evaluateAffine(binary.getRHS(), dims);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (expr.getKind() == AffineExprKind::Mul)
    return *lhs * *rhs;
  if (*rhs <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return llvm::divideFloorSigned(*lhs, *rhs);
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return llvm::divideCeilSigned(*lhs, *rhs);
  return llvm::mod(*lhs, *rhs);
}

/// Adds `expr * scale`; fails where it is not linear or beyond 64 bits.
static bool addLinear(AffineExpr expr, int64_t scale, LinearForm &form) {
  auto addTo = [](int64_t &sum, int64_t value) {
    return !llvm::AddOverflow(sum, value, sum);
  };
  int64_t product;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return !llvm::MulOverflow(scale, constant.getValue(), product) &&
           addTo(form.constant, product);
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return addTo(form.coefficients[dim.getPosition()], scale);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), scale, form) &&
           addLinear(binary.getRHS(), scale, form);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         !llvm::MulOverflow(scale, factor.getValue(), product) &&
         addLinear(binary.getLHS(), product, form);
}

std::optional<LinearForm> getLinearForm(AffineExpr expr, unsigned dimCount) {
  LinearForm form;
  form.coefficients.assign(dimCount, 0);
  if (!addLinear(expr, 1, form))
    return std::nullopt;
  return form;
}

static SmallVector<AffineExpr> getConstants(MLIRContext *context,
                                            ArrayRef<int64_t> symbols) {
  SmallVector<AffineExpr> constants;
  for (int64_t symbol : symbols)
    constants.push_back(getAffineConstantExpr(symbol, context));
  return constants;
}

AffineMap bindMapSymbols(AffineMap map, ArrayRef<int64_t> symbols) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    results.push_back(
        result.replaceSymbols(getConstants(map.getContext(), symbols)));
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

IntegerSet bindSetSymbols(IntegerSet set, ArrayRef<int64_t> symbols) {
  SmallVector<AffineExpr> constraints;
  for (AffineExpr constraint : set.getConstraints())
    constraints.push_back(
        constraint.replaceSymbols(getConstants(set.getContext(), symbols)));
  return IntegerSet::get(set.getNumDims(), 0, constraints, set.getEqFlags());
}

bool contains(IntegerSet set, ArrayRef<int64_t> dims) {
  for (auto [constraint, isEquality] :
       llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    std::optional<int64_t> value = evaluateAffine(constraint, dims);
    if (!value || (isEquality ? *value != 0 : *value < 0))
      return false;
  }
  return true;
}

} // namespace tc::reference
