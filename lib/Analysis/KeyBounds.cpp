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

/// Adds the bounds that a condition of the key has, alone or among others that
/// must hold; whether these are all that it says.
static bool addBounds(Value condition, unsigned keyDim,
                      SmallVectorImpl<KeyBound> &bounds) {
  if (auto both = condition.getDefiningOp<BitwiseAndOp>()) {
    bool isFirstAll = addBounds(both.getX(), keyDim, bounds);
    return addBounds(both.getY(), keyDim, bounds) && isFirstAll;
  }
  auto within = condition.getDefiningOp<WithinOp>();
  auto own = within ? findBounds(within.getSet(), keyDim) : std::nullopt;
  if (own)
    llvm::append_range(bounds, *own);
  return own.has_value();
}

/// Takes selections between a value and -inf by bounds alone off `scores`, and
/// adds the bounds of these and of those below.
static Value removeMasks(Value scores, unsigned keyDim,
                         SmallVectorImpl<KeyBound> &bounds) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  Value unmasked = scores;
  bool isByBounds = true;
  while (auto select = scores.getDefiningOp<SelectOp>()) {
    if (!isScalar(select.getY(), kLowest))
      break;
    isByBounds &= addBounds(select.getCondition(), keyDim, bounds);
    scores = select.getX();
    if (isByBounds)
      unmasked = scores;
  }
  return unmasked;
}

BoundedScores BoundedScores::find(Value scores, unsigned keyDim) {
  BoundedScores found;
  found.unmasked = removeMasks(scores, keyDim, found.bounds);
  // Masks in what is added stay: without them it would be another sum.
  if (auto sum = found.unmasked.getDefiningOp<AddOp>())
    for (Value part : sum->getOperands())
      removeMasks(part, keyDim, found.bounds);
  return found;
}
