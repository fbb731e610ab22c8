//===- PositionStages.cpp - Conditions on positions as sets ---------------===//
//
// Masks are comparisons of position numbers: a causal one, a sliding window,
// the ends of rows. As sets of points they cost next to nothing, and attention
// leaves out the keys that none of its queries sees.
//
//===----------------------------------------------------------------------===//

#include "TC/Transforms/Fuse/PositionStages.h"
#include "TC/Analysis/KeyBounds.h"

using namespace mlir;
using namespace tc;

/// The integer of 64 bits that `value` is at each point: an index, or a number.
static AffineExpr getPosition(Value value) {
  if (auto index = value.getDefiningOp<DimIndexOp>())
    return index.getMap().getResult(0);
  auto scalar = value.getDefiningOp<ScalarOp>();
  auto number = scalar ? dyn_cast<IntegerAttr>(scalar.getValue()) : nullptr;
  return number ? getAffineConstantExpr(number.getInt(), value.getContext())
                : AffineExpr();
}

static unsigned countSymbols(ArrayRef<AffineExpr> exprs) {
  unsigned count = 0;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        count = std::max(count, symbol.getPosition() + 1);
    });
  return count;
}

/// Whether the numbers in `expr` are so small that it is far from where
/// integers of 64 bits wrap, as hashes of positions do: its indices are below
/// 2^38, as there is memory for no more elements.
static bool isFarFromWrapping(AffineExpr expr) {
  constexpr int64_t kMost = int64_t(1) << 20;
  bool isSmall = true;
  expr.walk([&](AffineExpr part) {
    auto number = dyn_cast<AffineConstantExpr>(part);
    isSmall &=
        !number || (number.getValue() >= -kMost && number.getValue() <= kMost);
  });
  return isSmall;
}

/// `op`, an integer of 64 bits, as an index expression of the points, or null.
static AffineExpr computePosition(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!type.isSignlessInteger(64) || op->getNumOperands() == 0)
    return {};
  AffineExpr x = getPosition(op->getOperand(0)),
             y = op->getNumOperands() > 1 ? getPosition(op->getOperand(1))
                                          : AffineExpr();
  if (!x)
    return {};
  if (isa<NegOp>(op))
    return -x;
  if (!y || op->getNumOperands() != 2)
    return {};
  if (isa<AddOp>(op))
    return x + y;
  if (isa<SubOp>(op))
    return x - y;
  if (isa<MulOp>(op) &&
      (isa<AffineConstantExpr>(x) || isa<AffineConstantExpr>(y)))
    return x * y;
  return {};
}

/// What is at least 0 where the comparison `op` of positions holds, or null.
static AffineExpr compareToZero(Operation *op) {
  if (!isa<LtOp, LeOp, GtOp, GeOp>(op) ||
      !op->getOperand(0).getType().isSignlessInteger(64))
    return {};
  AffineExpr x = getPosition(op->getOperand(0)),
             y = getPosition(op->getOperand(1));
  if (!x || !y)
    return {};
  if (isa<LtOp>(op))
    return y - x - 1;
  if (isa<LeOp>(op))
    return y - x;
  return isa<GtOp>(op) ? x - y - 1 : x - y;
}

/// The constraints of the points at which `op` holds, all at least 0; none
/// where they are not known.
static SmallVector<AffineExpr> getConstraints(Operation *op) {
  if (AffineExpr constraint = compareToZero(op))
    return {constraint};
  auto getSet = [](Value value) {
    auto within = value.getDefiningOp<WithinOp>();
    return within && llvm::none_of(within.getSet().getEqFlags(),
                                   [](bool isEqual) { return isEqual; })
               ? within
               : WithinOp();
  };
  SmallVector<AffineExpr> constraints;
  if (isa<BitwiseAndOp>(op)) {
    for (Value operand : op->getOperands()) {
      WithinOp within = getSet(operand);
      if (!within)
        return {};
      llvm::append_range(constraints, within.getSet().getConstraints());
    }
  } else if (isa<BitwiseNotOp>(op)) {
    WithinOp within = getSet(op->getOperand(0));
    if (within && within.getSet().getNumConstraints() == 1)
      constraints.push_back(-within.getSet().getConstraint(0) - 1);
  }
  return constraints;
}

/// Of a select between something and -inf where sets and other conditions hold:
/// the one by the others, in those by the sets, which are bounds of the keys of
/// attention then; null of any other.
static Value splitCondition(SelectOp select) {
  if (!select.getCondition().getDefiningOp<BitwiseAndOp>() ||
      !isScalar(select.getY(), -std::numeric_limits<double>::infinity()))
    return nullptr;
  SmallVector<Value> waiting{select.getCondition()}, sets, conditions;
  while (!waiting.empty()) {
    Value part = waiting.pop_back_val();
    if (auto both = part.getDefiningOp<BitwiseAndOp>())
      waiting.append({both.getY(), both.getX()});
    else
      (part.getDefiningOp<WithinOp>() ? sets : conditions).push_back(part);
  }
  if (sets.empty() || conditions.empty())
    return nullptr;
  llvm::append_range(conditions, sets);
  OpBuilder builder(select);
  Value kept = select.getX();
  for (Value condition : conditions)
    kept = SelectOp::create(builder, select.getLoc(), select.getType(),
                            condition, kept, select.getY());
  return kept;
}

Value tc::foldPositionStage(Operation *op) {
  if (auto select = dyn_cast<SelectOp>(op))
    return splitCondition(select);
  if (op->getNumResults() != 1 || isa<DimIndexOp, ScalarOp, WithinOp>(op))
    return nullptr;
  auto kernel = cast<KernelOp>(op->getParentOp());
  const unsigned rank = kernel.getNumDims();
  OpBuilder builder(op);
  Type type = op->getResult(0).getType();
  if (AffineExpr position = computePosition(op)) {
    if (isa<AffineConstantExpr>(position) || !isFarFromWrapping(position))
      return nullptr;
    return DimIndexOp::create(
        builder, op->getLoc(), type,
        AffineMap::get(rank, countSymbols(position), position));
  }
  SmallVector<AffineExpr> constraints = getConstraints(op);
  if (constraints.empty() ||
      llvm::all_of(constraints, llvm::IsaPred<AffineConstantExpr>) ||
      !llvm::all_of(constraints, isFarFromWrapping))
    return nullptr;
  SmallVector<bool> areEqual(constraints.size(), false);
  return WithinOp::create(
      builder, op->getLoc(), type,
      IntegerSet::get(rank, countSymbols(constraints), constraints, areEqual));
}
