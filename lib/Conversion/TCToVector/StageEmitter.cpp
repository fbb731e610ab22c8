//===- StageEmitter.cpp - Reductions and contractions as loops ------------===//
//
// A reduction is init, step, combine and finish over a tuple of states. The
// lanes of the vector dimension fold separately and are combined in a tree at
// the end, so the order depends on sizes and lanes alone. Sums of floats are
// sums of sums of blocks: the error of one chain of additions grows with its
// length.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// What is folded, and how: a reduce_stage, or a contract_stage as a sum.
struct Monoid {
  explicit Monoid(Operation *stage) : stage(stage) {
    if (auto reduce = dyn_cast<ReduceStageOp>(stage)) {
      kind = reduce.getKind();
      meaning = reduce.getValue().getType();
    } else {
      kind = ReductionKind::Sum;
      meaning = cast<ContractStageOp>(stage).getResult().getType();
    }
    compute = getComputeType(meaning);
  }

  bool isArg() const {
    return kind == ReductionKind::ArgMax || kind == ReductionKind::ArgMin;
  }
  bool isFloat() const { return isa<FloatType>(meaning); }
  bool isFloatSum() const { return isFloat() && kind == ReductionKind::Sum; }
  unsigned numStates() const { return isArg() ? 2 : 1; }
  ArrayRef<int64_t> over() const {
    if (auto reduce = dyn_cast<ReduceStageOp>(stage))
      return reduce.getOver();
    return cast<ContractStageOp>(stage).getOver();
  }

  TypedAttr identity(OpBuilder &b) const;
  SmallVector<Value> init(OpBuilder &b, Location loc, int64_t lanes) const;
  /// `a` and `b` folded; `a` comes first in the order of elements.
  SmallVector<Value> combine(OpBuilder &b, Location loc, ValueRange first,
                             ValueRange second) const;

  Operation *stage;
  ReductionKind kind;
  Type meaning, compute;

private:
  Value fold(OpBuilder &b, Location loc, Value x, Value y) const;
  Value takesSecond(OpBuilder &b, Location loc, ValueRange first,
                    ValueRange second) const;
};
} // namespace

/// The value that changes nothing when folded with.
TypedAttr Monoid::identity(OpBuilder &b) const {
  bool isMax = kind == ReductionKind::Max || kind == ReductionKind::ArgMax;
  bool isExtreme =
      isMax || kind == ReductionKind::Min || kind == ReductionKind::ArgMin;
  if (isFloat()) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(compute).getFloatSemantics();
    if (isExtreme)
      return b.getFloatAttr(compute,
                            APFloat::getInf(semantics, /*Negative=*/isMax));
    return b.getFloatAttr(compute, kind == ReductionKind::Prod ? 1.0 : 0.0);
  }
  unsigned width = compute.getIntOrFloatBitWidth();
  bool isUnsigned = meaning.isUnsignedInteger() || width == 1;
  if (isExtreme) {
    APInt low = isUnsigned ? APInt::getMinValue(width)
                           : APInt::getSignedMinValue(width);
    APInt high = isUnsigned ? APInt::getMaxValue(width)
                            : APInt::getSignedMaxValue(width);
    return b.getIntegerAttr(compute, isMax ? low : high);
  }
  bool one = kind == ReductionKind::Prod || kind == ReductionKind::All;
  return b.getIntegerAttr(compute, APInt(width, one ? 1 : 0));
}

SmallVector<Value> Monoid::init(OpBuilder &b, Location loc,
                                int64_t lanes) const {
  auto splat = [&](TypedAttr value) -> Value {
    if (lanes == 1)
      return arith::ConstantOp::create(b, loc, value);
    auto type = VectorType::get({lanes}, value.getType());
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(value)));
  };
  SmallVector<Value> states{splat(identity(b))};
  // An index above all others: the first real element takes over.
  if (isArg())
    states.push_back(
        splat(b.getI64IntegerAttr(std::numeric_limits<int64_t>::max())));
  return states;
}

Value Monoid::fold(OpBuilder &b, Location loc, Value x, Value y) const {
  bool isUnsigned = meaning.isUnsignedInteger();
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Welford:
    return isFloat() ? Value(arith::AddFOp::create(b, loc, x, y))
                     : Value(arith::AddIOp::create(b, loc, x, y));
  case ReductionKind::Prod:
    return isFloat() ? Value(arith::MulFOp::create(b, loc, x, y))
                     : Value(arith::MulIOp::create(b, loc, x, y));
  case ReductionKind::Any:
    return arith::OrIOp::create(b, loc, x, y);
  case ReductionKind::All:
    return arith::AndIOp::create(b, loc, x, y);
  case ReductionKind::Max:
    if (isFloat())
      return arith::MaximumFOp::create(b, loc, x, y);
    if (meaning.isInteger(1))
      return arith::OrIOp::create(b, loc, x, y);
    return isUnsigned ? Value(arith::MaxUIOp::create(b, loc, x, y))
                      : Value(arith::MaxSIOp::create(b, loc, x, y));
  default: // Min
    if (isFloat())
      return arith::MinimumFOp::create(b, loc, x, y);
    if (meaning.isInteger(1))
      return arith::AndIOp::create(b, loc, x, y);
    return isUnsigned ? Value(arith::MinUIOp::create(b, loc, x, y))
                      : Value(arith::MinSIOp::create(b, loc, x, y));
  }
}

/// Of two (value, index) pairs, whether the second is the extreme: better, or
/// equal and earlier; NaN is better than any number.
Value Monoid::takesSecond(OpBuilder &b, Location loc, ValueRange first,
                          ValueRange second) const {
  bool isMax = kind == ReductionKind::ArgMax;
  Value x = first[0], y = second[0], better, equal;
  if (isFloat()) {
    better = arith::CmpFOp::create(
        b, loc, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
        y, x);
    equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, y, x);
    Value xNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    Value yNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y, y);
    better = arith::OrIOp::create(
        b, loc, better,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, yNan, xNan));
    equal = arith::OrIOp::create(b, loc, equal,
                                 arith::AndIOp::create(b, loc, xNan, yNan));
  } else {
    bool isUnsigned = meaning.isUnsignedInteger() || meaning.isInteger(1);
    auto above =
        isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    auto below =
        isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    better = arith::CmpIOp::create(b, loc, isMax ? above : below, y, x);
    equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, y, x);
  }
  Value earlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        second[1], first[1]);
  return arith::OrIOp::create(b, loc, better,
                              arith::AndIOp::create(b, loc, equal, earlier));
}

SmallVector<Value> Monoid::combine(OpBuilder &b, Location loc, ValueRange first,
                                   ValueRange second) const {
  if (!isArg())
    return {fold(b, loc, first[0], second[0])};
  Value second_ = takesSecond(b, loc, first, second);
  return {arith::SelectOp::create(b, loc, second_, second[0], first[0]),
          arith::SelectOp::create(b, loc, second_, second[1], first[1])};
}

//===----------------------------------------------------------------------===//
// Which stages share a loop
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> getOver(Operation *stage) {
  return Monoid(stage).over();
}

/// Whether the value of `op` needs a result of `stage`.
static bool dependsOn(Operation *op, Operation *stage) {
  SmallVector<Operation *> pending{op};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (next == stage)
      return true;
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && seen.insert(producer).second)
        pending.push_back(producer);
  }
  return false;
}

SmallVector<Operation *> PointEmitter::stagesTogether(Operation *stage,
                                                      Scope &scope) {
  SmallVector<Operation *> together{stage};
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (!isa<ReduceStageOp, ContractStageOp>(op) || &op == stage ||
        getOver(&op) != getOver(stage))
      continue;
    Value result = op.getResult(0);
    bool here =
        &home(result, scope) == &scope && !scope.values.contains(result);
    // Everything it needs that is not in the loop must come before the loop.
    bool independent = llvm::none_of(together, [&](Operation *other) {
      return dependsOn(&op, other) || dependsOn(other, &op);
    });
    if (here && independent &&
        frame.dims.of(result) == frame.dims.of(stage->getResult(0)))
      together.push_back(&op);
  }
  return together;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Folds the lanes of `states` in a tree.
static SmallVector<Value> foldLanes(OpBuilder &b, Location loc,
                                    const Monoid &monoid, ValueRange states) {
  SmallVector<Value> result(states);
  int64_t lanes = cast<VectorType>(result[0].getType()).getNumElements();
  while (lanes > 1) {
    int64_t half = llvm::divideCeil(lanes, 2);
    SmallVector<Value> low, high;
    for (Value state : result) {
      low.push_back(vector::ExtractStridedSliceOp::create(b, loc, state, {0},
                                                          {half}, {1}));
      high.push_back(vector::ExtractStridedSliceOp::create(
          b, loc, state, {lanes - half}, {half}, {1}));
    }
    result = monoid.combine(b, loc, low, high);
    lanes = half;
  }
  for (Value &state : result)
    state = vector::ExtractOp::create(b, loc, state, ArrayRef<int64_t>{0});
  return result;
}

Value tc::addLanes(KernelFrame &frame, Value vector) {
  Value sum = vector;
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  for (; lanes > 1; lanes /= 2) {
    Value low = vector::ExtractStridedSliceOp::create(
        frame.builder, frame.loc, sum, {0}, {lanes / 2}, {1});
    Value high = vector::ExtractStridedSliceOp::create(
        frame.builder, frame.loc, sum, {lanes / 2}, {lanes / 2}, {1});
    sum = arith::AddFOp::create(frame.builder, frame.loc, low, high);
  }
  return vector::ExtractOp::create(frame.builder, frame.loc, sum,
                                   ArrayRef<int64_t>{0});
}

/// Row-major position of the scope's point within `over`, on lanes if bound.
static Value positionWithin(KernelFrame &frame, ArrayRef<int64_t> over,
                            ArrayRef<Value> inputs, int64_t lanes) {
  Value position = frame.constant(0);
  auto &b = frame.builder;
  auto spread = [&](Value value) -> Value {
    if (lanes == 1 || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        b, frame.loc, VectorType::get({lanes}, value.getType()), value);
  };
  for (int64_t dim : over) {
    Value scaled = arith::MulIOp::create(b, frame.loc, spread(position),
                                         spread(frame.dimSize(dim)));
    position = arith::AddIOp::create(b, frame.loc, scaled, spread(inputs[dim]));
  }
  return spread(position);
}

/// The states of several monoids, one after the other.
static SmallVector<Value> initStates(OpBuilder &b, Location loc,
                                     ArrayRef<Monoid> monoids, int64_t lanes) {
  SmallVector<Value> states;
  for (const Monoid &monoid : monoids)
    llvm::append_range(states, monoid.init(b, loc, lanes));
  return states;
}

static SmallVector<Value> combineStates(OpBuilder &b, Location loc,
                                        ArrayRef<Monoid> monoids,
                                        ValueRange before, ValueRange after) {
  SmallVector<Value> states;
  for (const Monoid &monoid : monoids) {
    size_t at = states.size(), count = monoid.numStates();
    llvm::append_range(states, monoid.combine(b, loc, before.slice(at, count),
                                              after.slice(at, count)));
  }
  return states;
}

/// Terms that one chain of additions has, as in PyTorch's sums.
static constexpr int64_t kChain = 16;

/// How often a sum of `terms` terms is cut into blocks of blocks of chains.
static unsigned getSumLevels(std::optional<int64_t> terms) {
  constexpr unsigned kLevelsOfUnknown = 2, kMaxLevels = 4;
  unsigned levels = 0;
  for (int64_t reach = 2 * kChain;
       terms && reach < *terms && levels < kMaxLevels; reach *= kChain)
    ++levels;
  return terms ? levels : kLevelsOfUnknown;
}

SmallVector<Value> PointEmitter::emitSumLevels(Scope &scope, unsigned dim,
                                               Value low, Value high,
                                               unsigned levels,
                                               const SumSteps &steps,
                                               ValueRange carried) {
  if (levels == 0)
    return emitPart(scope, dim, low, high, /*masked=*/false, carried,
                    steps.step);
  int64_t size = vectorDim == dim ? laneCount : 1;
  for (unsigned level = 0; level < levels; ++level)
    size *= kChain;
  return emitBlocks(scope, low, high, size, carried,
                    [&](Scope &inner, Value low, Value high, ValueRange sums) {
                      return steps.combine(
                          sums, emitSumLevels(inner, dim, low, high, levels - 1,
                                              steps, steps.init()));
                    });
}

SmallVector<Value> PointEmitter::emitSumLoops(Scope &scope,
                                              ArrayRef<unsigned> dims,
                                              const SumSteps &steps,
                                              ValueRange carried) {
  if (dims.empty())
    return steps.step(scope, carried);
  unsigned dim = dims.front();
  std::optional<int64_t> rest = 1;
  for (unsigned inner : dims.drop_front()) {
    auto size = frame.kernel.getDimSize(inner).getConstant();
    rest = rest && size ? std::optional(*rest * *size) : std::nullopt;
  }
  // What a row adds up to is one term of the loop around it.
  auto row = [&](Scope &inner, ValueRange sums) -> SmallVector<Value> {
    if (rest && *rest < kChain)
      return emitSumLoops(inner, dims.drop_front(), steps, sums);
    return steps.combine(
        sums, emitSumLoops(inner, dims.drop_front(), steps, steps.init()));
  };
  int64_t lanes = vectorDim == dim ? laneCount : 1;
  std::optional<int64_t> terms = frame.kernel.getDimSize(dim).getConstant();
  if (terms)
    *terms /= lanes;
  unsigned levels = getSumLevels(terms);
  if (levels == 0)
    return emitLoop(scope, dim, carried, row);
  Value low = frame.constant(0), high = limits.lookup(dim);
  high = high ? high : frame.dimSize(dim);
  Value middle = emitVectorEnd(dim, low, high);
  SmallVector<Value> sums =
      emitSumLevels(scope, dim, low, middle, levels,
                    {steps.init, row, steps.combine}, carried);
  if (middle != high)
    sums = emitPart(scope, dim, middle, high, /*masked=*/true, sums, row);
  markFilled(dim);
  return sums;
}

void PointEmitter::emitReductions(Operation *first, Scope &scope) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  SmallVector<Monoid> monoids;
  for (Operation *stage : stagesTogether(first, scope))
    monoids.emplace_back(stage);
  ArrayRef<int64_t> over = monoids.front().over();
  DimSet overDims(frame.kernel.getNumDims());
  for (int64_t dim : over)
    overDims.set(dim);

  bool lanesFold = vectorDim && overDims.test(*vectorDim) && laneCount > 1;
  bool lanesOutside = isVector(first->getResult(0), scope);
  int64_t lanes = lanesFold ? laneCount : lanesOutside ? scope.lanes->count : 1;

  auto init = [&]() { return initStates(builder, loc, monoids, lanes); };

  // One step of one monoid: its states folded with the operand's value.
  auto step = [&](const Monoid &monoid, Scope &inner,
                  ValueRange states) -> SmallVector<Value> {
    auto operand = [&](Value value) {
      return lanes > 1 ? emitVector(value, inner) : emit(value, inner);
    };
    SmallVector<Value> next;
    if (auto contract = dyn_cast<ContractStageOp>(monoid.stage)) {
      Value lhs = operand(contract.getLhs()), rhs = operand(contract.getRhs());
      if (monoid.isFloat())
        next = {math::FmaOp::create(builder, loc, lhs, rhs, states[0])};
      else
        next = {arith::AddIOp::create(
            builder, loc, states[0],
            arith::MulIOp::create(builder, loc, lhs, rhs))};
    } else {
      SmallVector<Value> element{
          operand(cast<ReduceStageOp>(monoid.stage).getValue())};
      if (monoid.isArg())
        element.push_back(
            positionWithin(frame, over, indexInputs(inner, lanesFold), lanes));
      next = monoid.combine(builder, loc, states, element);
    }
    if (lanesFold && inner.lanes->mask)
      for (auto [state, old] : llvm::zip_equal(next, states))
        state = arith::SelectOp::create(builder, loc, inner.lanes->mask, state,
                                        old);
    return next;
  };

  auto stepAll = [&](Scope &inner, ValueRange carried) {
    SmallVector<Value> next;
    for (const Monoid &monoid : monoids) {
      ValueRange own = carried.slice(next.size(), monoid.numStates());
      llvm::append_range(next, step(monoid, inner, own));
    }
    return next;
  };
  auto combineAll = [&](ValueRange before, ValueRange after) {
    return combineStates(builder, loc, monoids, before, after);
  };
  SmallVector<Value> states =
      llvm::any_of(monoids, [](const Monoid &m) { return m.isFloatSum(); })
          ? emitSumLoops(scope, loopOrder(overDims),
                         {init, stepAll, combineAll}, init())
          : emitLoops(scope, loopOrder(overDims), init(), stepAll);

  size_t offset = 0;
  for (const Monoid &monoid : monoids) {
    SmallVector<Value> own(
        ArrayRef<Value>(states).slice(offset, monoid.numStates()));
    offset += monoid.numStates();
    if (lanesFold && lanes > 1)
      own = foldLanes(builder, loc, monoid, own);
    for (auto [result, value] : llvm::zip(monoid.stage->getResults(), own))
      scope.values[result] = value;
  }
}
