//===- StageEmitter.cpp - Reductions and contractions as loops ------------===//
//
// A reduction is init, step, combine and finish over a tuple of states. The
// lanes of the vector dimension fold separately and are combined in a tree at
// the end, so the order depends on sizes and lanes alone. Sums of floats are
// sums of sums of blocks: the error of one chain of additions grows with its
// length.
//
//===----------------------------------------------------------------------===//

#include "Monoid.h"
#include "PointEmitter.h"
#include "TeamLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Whether nothing that is computed of `value` depends on the sign of a zero:
/// it is compared, or goes into an exponential, as that of a softmax.
static bool ignoresSignOfZero(Value value, unsigned depth = 0) {
  constexpr unsigned kMostSteps = 6;
  return depth < kMostSteps &&
         llvm::all_of(
             value.getUsers(),
             [&](Operation *user) {
               if (isa<EqOp, NeOp, LtOp, LeOp, GtOp, GeOp, ExpOp, Exp2Op>(user))
                 return true;
               return isa<AddOp, SubOp, MulOp, SelectOp, CastOp>(user) &&
                      ignoresSignOfZero(user->getResult(0), depth + 1);
             });
}

namespace tc {
/// A stage that folds: a reduce_stage, or a contract_stage as a sum.
struct Folding : public Monoid {
  Folding(Operation *stage, const vectormath::VectorMathOptions &options)
      : Monoid(getKind(stage), getMeaning(stage)), stage(stage) {
    if (!ignoresSignOfZero(stage->getResult(0)))
      keepZeroSigns(options.ordersZeros);
  }

  bool isFloatSum() const {
    return isa<FloatType>(meaning) && kind == ReductionKind::Sum;
  }
  ArrayRef<int64_t> over() const { return getFoldedDims(stage); }

  Operation *stage;

private:
  static ReductionKind getKind(Operation *stage) {
    auto reduce = dyn_cast<ReduceStageOp>(stage);
    return reduce ? reduce.getKind() : ReductionKind::Sum;
  }
  static Type getMeaning(Operation *stage) {
    if (auto reduce = dyn_cast<ReduceStageOp>(stage))
      return reduce.getValue().getType();
    return cast<ContractStageOp>(stage).getResult().getType();
  }
};
} // namespace tc

//===----------------------------------------------------------------------===//
// Which stages share a loop
//===----------------------------------------------------------------------===//

/// Whether the value of `op` needs a result of `stage`.
static bool dependsOn(Operation *op, Operation *stage) {
  return anyProducer(
      op, [stage](Operation *producer) { return producer == stage; });
}

StageEmitter::StageEmitter(PointEmitter &points)
    : points(points), frame(points.frame) {}

SmallVector<Operation *> StageEmitter::stagesTogether(Operation *stage,
                                                      Scope &scope) {
  SmallVector<Operation *> together{stage};
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (!isa<ReduceStageOp, ContractStageOp>(op) || &op == stage ||
        getFoldedDims(&op) != getFoldedDims(stage))
      continue;
    Value result = op.getResult(0);
    bool here = &getHome(frame, result, scope) == &scope &&
                !scope.values.contains(result);
    // Everything it needs that is not in the loop must come before the loop,
    // also before those that this loop is emitted for.
    bool independent = llvm::none_of(together, [&](Operation *other) {
      return dependsOn(&op, other) || dependsOn(other, &op);
    });
    bool comesBefore = llvm::none_of(
        unfinished, [&](Operation *other) { return dependsOn(&op, other); });
    if (here && independent && comesBefore &&
        frame.dims.of(result) == frame.dims.of(stage->getResult(0)))
      together.push_back(&op);
  }
  return together;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

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
                                     ArrayRef<Folding> monoids, int64_t lanes) {
  SmallVector<Value> states;
  for (const Folding &monoid : monoids)
    llvm::append_range(states, monoid.init(b, loc, lanes));
  return states;
}

static SmallVector<Value> combineStates(OpBuilder &b, Location loc,
                                        ArrayRef<Folding> monoids,
                                        ValueRange before, ValueRange after) {
  SmallVector<Value> states;
  for (const Folding &monoid : monoids) {
    size_t at = states.size(), count = monoid.numStates();
    llvm::append_range(states, monoid.combine(b, loc, before.slice(at, count),
                                              after.slice(at, count)));
  }
  return states;
}

/// How often a sum of `terms` terms is cut into blocks of blocks of chains.
/// This is the numerical contract of a sum, whatever its schedule: its error
/// grows with the logarithm of the number of terms, up to 2^20 of them or 2^12
/// where the number is not constant, and with the number of chains of chains
/// beyond.
static unsigned getSumLevels(std::optional<int64_t> terms, int64_t chain) {
  constexpr unsigned kMostBits = 20, kBitsOfUnknown = 12;
  const unsigned bits = llvm::Log2_64(uint64_t(chain)),
                 most = kMostBits / bits - 1;
  unsigned levels = 0;
  for (int64_t reach = 2 * chain; terms && reach < *terms && levels < most;
       reach *= chain)
    ++levels;
  return terms ? levels : kBitsOfUnknown / bits - 1;
}

SumBlocks StageEmitter::getSumBlocks(unsigned dim) const {
  const int64_t chain = frame.getSumChain();
  std::optional<int64_t> terms = frame.kernel.getDimSize(dim).getConstant();
  if (terms)
    *terms /= countStepPoints(dim);
  return {getSumLevels(terms, chain), chain};
}

SmallVector<Value> StageEmitter::emitSumLevels(Scope &scope, unsigned dim,
                                               Value low, Value high,
                                               SumBlocks blocks,
                                               const SumSteps &steps,
                                               ValueRange carried) {
  if (blocks.levels == 0)
    return points.emitPart(scope, dim, low, high, /*masked=*/false, carried,
                           steps.step);
  int64_t size = countStepPoints(dim);
  for (unsigned level = 0; level < blocks.levels; ++level)
    size *= blocks.chain;
  SumBlocks inside{blocks.levels - 1, blocks.chain};
  auto block = [&](Scope &inner, Value low, Value high, ValueRange sums) {
    return steps.combine(sums, emitSumLevels(inner, dim, low, high, inside,
                                             steps, steps.init()));
  };
  return points.emitBlocks(scope, low, high, size, carried, block);
}

/// Points that one step of a loop over `dim` goes over.
int64_t StageEmitter::countStepPoints(unsigned dim) const {
  return points.vectorDim == dim ? points.laneCount : 1;
}

SmallVector<Value> StageEmitter::emitSumLoops(Scope &scope,
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
    if (rest && *rest < frame.getSumChain())
      return emitSumLoops(inner, dims.drop_front(), steps, sums);
    return steps.combine(
        sums, emitSumLoops(inner, dims.drop_front(), steps, steps.init()));
  };
  if (points.isShared(scope, dim))
    return points.emitLoop(scope, dim, carried, row, &steps);
  SumBlocks blocks = getSumBlocks(dim);
  if (blocks.levels == 0)
    return points.emitLoop(scope, dim, carried, row);
  auto [low, high] = points.getLimits(dim);
  Value middle = points.emitVectorEnd(dim, low, high);
  SmallVector<Value> sums =
      emitSumLevels(scope, dim, low, middle, blocks,
                    {steps.init, row, steps.combine}, carried);
  if (middle != high)
    sums =
        points.emitPart(scope, dim, middle, high, /*masked=*/true, sums, row);
  points.kept.markFilled(scope, dim);
  return sums;
}

SmallVector<Value> StageEmitter::emitFoldLoops(Scope &scope,
                                               ArrayRef<unsigned> dims,
                                               const SumSteps &steps,
                                               bool isSum) {
  if (points.areShared(scope, dims))
    return TeamLoop(points, scope, dims)
        .emit(steps.init(), steps.step, isSum ? &steps : nullptr);
  return isSum ? emitSumLoops(scope, dims, steps, steps.init())
               : points.emitLoops(scope, dims, steps.init(), steps.step);
}

/// Another dimension for the lanes of a sum over one dimension, if there is
/// one; where each lane has a result of its own, the lanes are taken.
std::optional<unsigned> StageEmitter::lanesInsteadOf(ArrayRef<Folding> monoids,
                                                     Scope &scope) {
  SmallVector<Value> roots;
  for (const Folding &monoid : monoids) {
    if (isVector(frame, monoid.stage->getResult(0), scope))
      return std::nullopt;
    llvm::append_range(roots, monoid.stage->getOperands());
  }
  ArrayRef<int64_t> over = monoids.front().over();
  return over.size() == 1 ? points.kept.lanesInstead(scope, over.front(), roots)
                          : std::nullopt;
}

/// Leaves states as they were where `condition` does not hold.
static void keepWhereNot(OpBuilder &b, Location loc, Value condition,
                         MutableArrayRef<Value> states, ValueRange old) {
  for (auto [state, before] : llvm::zip_equal(states, old))
    state = arith::SelectOp::create(b, loc, condition, state, before);
}

/// One step of one monoid: its states folded with the operand's value, in
/// `lanes` lanes, which the step goes over where `lanesFold`.
SmallVector<Value> StageEmitter::emitFoldStep(const Folding &monoid,
                                              Scope &inner, ValueRange states,
                                              int64_t lanes, bool lanesFold) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto operand = [&](Value value) {
    return lanes > 1 ? points.emitVector(value, inner)
                     : points.emit(value, inner);
  };
  SmallVector<Value> next;
  if (auto contract = dyn_cast<ContractStageOp>(monoid.stage)) {
    Value lhs = operand(contract.getLhs()), rhs = operand(contract.getRhs());
    if (isa<FloatType>(monoid.meaning))
      next = {vectormath::emitMultiplyAdd(builder, loc, lhs, rhs, states[0])};
    else
      next = {
          arith::AddIOp::create(builder, loc, states[0],
                                arith::MulIOp::create(builder, loc, lhs, rhs))};
  } else {
    Value element = operand(cast<ReduceStageOp>(monoid.stage).getValue());
    Value position;
    if (monoid.isArg())
      position = positionWithin(frame, monoid.over(),
                                indexInputs(frame, inner, lanesFold), lanes);
    next = monoid.combine(builder, loc, states,
                          monoid.ofElement(builder, loc, element, position));
  }
  if (lanesFold && inner.lanes->mask)
    keepWhereNot(builder, loc, inner.lanes->mask, next, states);
  return next;
}

void StageEmitter::emitReductions(Operation *first, Scope &scope) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  SmallVector<Operation *> together = stagesTogether(first, scope);
  SmallVector<Folding> monoids;
  for (Operation *stage : together)
    monoids.emplace_back(stage, builder.options);
  llvm::append_range(unfinished, together);
  ArrayRef<int64_t> over = monoids.front().over();
  DimSet overDims(frame.kernel.getNumDims());
  for (int64_t dim : over)
    overDims.set(dim);

  std::optional<unsigned> instead = lanesInsteadOf(monoids, scope);
  LanesAlong along(points, instead);
  bool lanesFold = points.vectorDim && overDims.test(*points.vectorDim) &&
                   points.laneCount > 1;
  bool lanesOutside = isVector(frame, first->getResult(0), scope);
  int64_t lanes = lanesFold      ? points.laneCount
                  : lanesOutside ? scope.lanes->count
                                 : 1;

  auto init = [&]() { return initStates(builder, loc, monoids, lanes); };

  auto stepAll = [&](Scope &inner, ValueRange carried) {
    SmallVector<Value> next;
    for (const Folding &monoid : monoids) {
      ValueRange own = carried.slice(next.size(), monoid.numStates());
      SmallVector<Value> folded =
          emitFoldStep(monoid, inner, own, lanes, lanesFold);
      if (inner.present && inner.present != scope.present)
        keepWhereNot(builder, loc, inner.present, folded, own);
      llvm::append_range(next, folded);
    }
    return next;
  };
  auto combineAll = [&](ValueRange before, ValueRange after) {
    return combineStates(builder, loc, monoids, before, after);
  };
  if (points.keptStates) {
    unfinished.pop_back_n(together.size());
    for (const Folding &monoid : monoids)
      takeKept(monoid, lanesFold ? 1 : lanes, scope);
    return;
  }
  SumSteps sum{init, stepAll, combineAll};
  SmallVector<Value> states = emitFoldLoops(
      scope, points.loopOrder(overDims), sum,
      llvm::any_of(monoids, [](const Folding &m) { return m.isFloatSum(); }));
  unfinished.pop_back_n(together.size());

  ArrayRef<Value> rest = states;
  for (const Folding &monoid : monoids) {
    finishReduction(monoid, rest.take_front(monoid.numStates()),
                    lanesFold && lanes > 1, overDims, scope);
    rest = rest.drop_front(monoid.numStates());
  }
}

void StageEmitter::finishReduction(const Folding &monoid,
                                   ArrayRef<Value> states, bool areLanes,
                                   const DimSet &overDims, Scope &scope) {
  auto &builder = frame.builder;
  SmallVector<Value> folded(states);
  if (areLanes)
    folded = foldLanes(builder, frame.loc, monoid, folded);
  if (points.team && !scope.isDistributed && overDims.test(points.team->dim)) {
    auto vector = dyn_cast<VectorType>(folded.front().getType());
    folded = points.team->combine(
        folded,
        monoid.init(builder, frame.loc, vector ? vector.getNumElements() : 1),
        [&](ValueRange first, ValueRange second) {
          return monoid.combine(builder, frame.loc, first, second);
        });
  }
  if (points.keepStates)
    points.keepStates(monoid.stage, folded);
  setResults(monoid, folded, scope);
}

void StageEmitter::setResults(const Folding &monoid, ArrayRef<Value> states,
                              Scope &scope) {
  SmallVector<Value> results = monoid.finish(frame.builder, frame.loc, states);
  for (auto [result, value] : llvm::zip(monoid.stage->getResults(), results))
    scope.values[result] = value;
}

void StageEmitter::takeKept(const Folding &monoid, int64_t lanes,
                            Scope &scope) {
  auto &builder = frame.builder;
  SmallVector<Value> states = points.keptStates(
      monoid.stage, monoid.init(builder, frame.loc, lanes),
      [&](ValueRange first, ValueRange second) {
        return monoid.combine(builder, frame.loc, first, second);
      });
  setResults(monoid, states, scope);
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// The scans along `dim` that `roots` are computed from.
static SmallVector<ScanStageOp> findScans(ArrayRef<Value> roots, unsigned dim) {
  SmallVector<ScanStageOp> scans;
  SmallVector<Value> pending(roots);
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto scan = dyn_cast<ScanStageOp>(op); scan && scan.getAlong() == dim)
      scans.push_back(scan);
    if (!isa<ReduceStageOp, ContractStageOp>(op))
      llvm::append_range(pending, op->getOperands());
  }
  return scans;
}

static Monoid getMonoid(ScanStageOp scan) {
  return Monoid(scan.getKind(), scan.getValue().getType());
}

Value StageEmitter::emitScan(ScanStageOp scan, Scope &scope) {
  Value before;
  for (Scope *outer = &scope; outer && !before; outer = outer->parent)
    before = outer->scanned.lookup(scan.getResult());
  Value element = isVector(frame, scan.getResult(), scope)
                      ? points.emitVector(scan.getValue(), scope)
                      : points.emit(scan.getValue(), scope);
  return getMonoid(scan).fold(frame.builder, frame.loc, before, element);
}

void StageEmitter::emitScanLoops(Scope &scope, ArrayRef<unsigned> dims,
                                 ArrayRef<Value> roots,
                                 function_ref<void(Scope &)> body) {
  if (dims.empty())
    return body(scope);
  SmallVector<ScanStageOp> scans = findScans(roots, dims.front());
  if (points.scanLoop && !scans.empty() &&
      points.isShared(scope, dims.front())) {
    llvm::sort(scans, [](ScanStageOp one, ScanStageOp other) {
      return one->isBeforeInBlock(other);
    });
    points.scanLoop(scope, dims.front(), scans, [&](Scope &inner) {
      emitScanLoops(inner, dims.drop_front(), roots, body);
    });
    return;
  }
  SmallVector<Value> init;
  for (ScanStageOp scan : scans)
    llvm::append_range(
        init, getMonoid(scan).init(frame.builder, frame.loc,
                                   isVector(frame, scan.getResult(), scope)
                                       ? scope.lanes->count
                                       : 1));
  points.emitLoop(scope, dims.front(), init,
                  [&](Scope &inner, ValueRange carried) {
                    for (auto [scan, value] : llvm::zip_equal(scans, carried))
                      inner.scanned[scan.getResult()] = value;
                    emitScanLoops(inner, dims.drop_front(), roots, body);
                    SmallVector<Value> next;
                    for (ScanStageOp scan : scans)
                      next.push_back(points.emit(scan.getResult(), inner));
                    return next;
                  });
}
