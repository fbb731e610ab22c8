//===- KeyBounds.cpp - Keys of attention that count -----------------------===//

#include "TC/Analysis/KeyBounds.h"

using namespace mlir;
using namespace tc;

bool tc::isScalar(Value value, double number) {
  auto scalar = value.getDefiningOp<ScalarOp>();
  auto attribute =
      scalar ? dyn_cast<FloatAttr>(scalar.getValue()) : FloatAttr();
  return attribute && attribute.getValueAsDouble() == number;
}

/// The constraints of `set` as bounds of the key, in steps of 1; nothing where
/// one of them is none.
static std::optional<SmallVector<KeyBound>> findBounds(IntegerSet set,
                                                       unsigned keyDim) {
  AffineExpr key = getAffineDimExpr(keyDim, set.getContext());
  auto simplify = [&](AffineExpr expr) {
    return simplifyAffineExpr(expr, set.getNumDims(), set.getNumSymbols());
  };
  if (set.getNumSymbols() > 0)
    return std::nullopt;
  SmallVector<KeyBound> bounds;
  for (auto [index, constraint] : llvm::enumerate(set.getConstraints())) {
    AffineExpr upper = simplify(constraint + key),
               lower = simplify(key - constraint);
    bool isUpper = !upper.isFunctionOfDim(keyDim);
    if (set.isEq(index) || !constraint.isPureAffine() ||
        (!isUpper && lower.isFunctionOfDim(keyDim)))
      return std::nullopt;
    bounds.push_back({isUpper ? upper : lower, isUpper});
  }
  return bounds;
}

BoundedScores BoundedScores::find(Value scores, unsigned keyDim) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  BoundedScores found;
  while (auto select = scores.getDefiningOp<SelectOp>()) {
    auto within = select.getCondition().getDefiningOp<WithinOp>();
    if (!within || !isScalar(select.getY(), kLowest))
      break;
    auto bounds = findBounds(within.getSet(), keyDim);
    if (!bounds)
      break;
    llvm::append_range(found.bounds, *bounds);
    scores = select.getX();
  }
  found.unmasked = scores;
  return found;
}
