//===- TeamLoop.cpp - A loop that a team's workers share ------------------===//

#include "TeamLoop.h"
#include "Loops.h"
#include "PointEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

TeamLoop::TeamLoop(PointEmitter &points, Scope &scope, ArrayRef<unsigned> dims)
    : points(points), frame(points.frame), scope(scope), dims(dims),
      lanes(points.vectorDim == dims.back() ? points.laneCount : 1),
      count(points.team->count) {
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(frame.kernel.getContext(), value);
  };
  SizeExpr outer = constant(1), last = frame.kernel.getDimSize(dims.back());
  for (unsigned dim : dims.drop_back())
    outer = outer.mul(frame.kernel.getDimSize(dim));
  if (hasRows())
    ends = kRowEnds;
  else if (lanes == 1 && points.beginsAnywhere())
    ends = 1;
  size = frame.size(outer.mul(last));
  begin = frame.constant(hasRows() ? lanes : 0);
  if (ends == 0) {
    all = vectors = divide(size, frame.constant(lanes));
  } else {
    if (hasRows())
      last = last.add(constant(2 * lanes - 2)).floorDiv(constant(lanes));
    rowPoints = last.mul(constant(lanes));
    all = frame.size(outer.mul(last));
    vectors = frame.size(outer.mul(last).sub(constant(ends)).max(constant(0)));
  }
  step = frame.mul(count, frame.constant(points.units));
  sweep = frame.mul(step, points.countParts());
  swept = frame.mul(divide(vectors, sweep), sweep);
}

Value TeamLoop::divide(Value x, Value y) {
  auto dividend = getConstantIntValue(x), divisor = getConstantIntValue(y);
  if (divisor == 1)
    return x;
  if (dividend && divisor)
    return frame.constant(*dividend / *divisor);
  return arith::DivUIOp::create(frame.builder, frame.loc, x, y);
}

Value TeamLoop::isBelow(Value x, Value y) {
  return arith::CmpIOp::create(frame.builder, frame.loc,
                               arith::CmpIPredicate::slt, x, y);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

bool TeamLoop::hasRows() const { return lanes > 1 && points.rowOffset; }

/// Points of dimension `dims[at]`.
Value TeamLoop::getLength(size_t at) {
  return hasRows() && at + 1 == dims.size() ? frame.size(rowPoints)
                                            : frame.dimSize(dims[at]);
}

/// Of dimensions without points, none is computed.
SmallVector<Value> TeamLoop::getIndices(Value point) {
  SmallVector<Value> indices(dims.size());
  for (size_t at = dims.size() - 1; at > 0; --at) {
    Value length = getLength(at);
    if (!getConstantIntValue(length))
      length = arith::MaxSIOp::create(frame.builder, frame.loc, length,
                                      frame.constant(1));
    Value quotient = divide(point, length);
    indices[at] = frame.sub(point, frame.mul(quotient, length));
    point = quotient;
  }
  indices[0] = point;
  return indices;
}

SmallVector<Value> TeamLoop::advance(ValueRange indices, ValueRange distance) {
  SmallVector<Value> next(dims.size());
  Value carry = frame.constant(0);
  for (size_t at = dims.size() - 1; at > 0; --at) {
    Value length = getLength(at);
    Value sum = frame.add(frame.add(indices[at], distance[at]), carry);
    Value isInside = isBelow(sum, length);
    next[at] = arith::SelectOp::create(frame.builder, frame.loc, isInside, sum,
                                       frame.sub(sum, length));
    carry = arith::SelectOp::create(frame.builder, frame.loc, isInside,
                                    frame.constant(0), frame.constant(1));
  }
  next[0] = frame.add(frame.add(indices[0], distance[0]), carry);
  return next;
}

/// The mask of those of `lanes` points from number `index` on that are in
/// [0, size). Numbers of 32 bits take half the instructions.
static Value emitMaskOfRow(KernelFrame &frame, Value index, Value size,
                           int64_t lanes) {
  constexpr int64_t kSmall = int64_t(1) << 30;
  auto &b = frame.builder;
  Location loc = frame.loc;
  Type i32 = b.getI32Type();
  auto spread = [&](Value number) {
    return broadcast(frame, arith::TruncIOp::create(b, loc, i32, number),
                     lanes);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x,
                     Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  Value numbers = arith::TruncIOp::create(b, loc, VectorType::get({lanes}, i32),
                                          laneNumbers(frame, lanes));
  if (getConstantIntValue(size).value_or(kSmall) < kSmall)
    return compare(arith::CmpIPredicate::ult,
                   arith::AddIOp::create(b, loc, numbers, spread(index)),
                   spread(size));
  Value low = arith::MinSIOp::create(b, loc, index, frame.constant(0)),
        high = arith::MinSIOp::create(b, loc, frame.sub(size, index),
                                      frame.constant(lanes));
  low = spread(frame.sub(frame.constant(0), low));
  return arith::AndIOp::create(
      b, loc, compare(arith::CmpIPredicate::sge, numbers, low),
      compare(arith::CmpIPredicate::slt, numbers, spread(high)));
}

/// Binds the lanes from number `index` of the vectors of the row that `inner`
/// binds. Their mask: null where all of them are in the row.
Value TeamLoop::bindInRow(Scope &inner, Value index, bool isInner) {
  index = frame.add(index, points.rowOffset(inner));
  inner.bind(dims.back(), index);
  if (isInner && dims.size() == 1)
    return nullptr;
  return emitMaskOfRow(frame, index, frame.dimSize(dims.back()), lanes);
}

void TeamLoop::bind(Scope &inner, ValueRange indices, Value mask,
                    bool isInner) {
  for (auto [dim, index] : llvm::zip_equal(dims, indices))
    inner.bind(dim, index);
  if (hasRows())
    mask = bindInRow(inner, indices.back(), isInner);
  inner.isDistributed = true;
  inner.hasWholeVectors = isInner && ends > 0;
  if (lanes > 1)
    inner.lanes = Lanes{dims.back(), lanes, mask};
}

/// Of several stages, what the others read is loaded for nothing, and goes as
/// dead code.
void TeamLoop::load(Scope &unit) {
  DimSet walked(frame.kernel.getNumDims());
  for (unsigned dim : dims)
    walked.set(dim);
  for (ReadOp read : frame.kernel.getBodyBlock().getOps<ReadOp>()) {
    DimSet missing = frame.dims.of(read.getResult());
    bool varies = missing.anyCommon(walked);
    missing.reset(unit.bound);
    if (read.getIndices().empty() && varies && missing.none())
      points.emit(read.getResult(), unit);
  }
}

//===----------------------------------------------------------------------===//
// Whole steps
//===----------------------------------------------------------------------===//

SmallVector<Value> TeamLoop::emitFor(Value low, Value high, Value step,
                                     ValueRange init, Loop body) {
  auto &builder = frame.builder;
  auto loop = scf::ForOp::create(builder, frame.loc, low, high, step, init);
  OpBuilder::InsertionGuard guard(builder);
  // What the scope has goes before the outermost loop.
  Operation *previous = scope.openLoop;
  bool isOuter = !std::exchange(isOpen, true);
  if (isOuter)
    scope.openLoop = loop;
  if (init.empty()) // made with a terminator
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(builder, frame.loc, carried);
  isOpen = !isOuter;
  scope.openLoop = previous;
  return SmallVector<Value>(loop.getResults());
}

/// A worker's units from the point `index` on.
SmallVector<Value> TeamLoop::emitStep(Value index, ValueRange init,
                                      LoopBody body) {
  SmallVector<Value> carried(init), indices = getIndices(index);
  SmallVector<std::unique_ptr<Scope>> units;
  for (int64_t unit = 0; unit < points.units; ++unit) {
    if (unit > 0)
      indices = advance(indices, distance);
    units.push_back(std::make_unique<Scope>(scope));
    bind(*units.back(), indices, /*mask=*/nullptr, /*isInner=*/true);
    load(*units.back());
  }
  for (auto &unit : units)
    carried = body(*unit, carried);
  return carried;
}

SmallVector<Value> TeamLoop::emitSteps(Value low, Value high, ValueRange init,
                                       LoopBody body, const SumSteps *sum) {
  Value stride = frame.mul(sweep, frame.constant(lanes));
  return emitFor(low, high, stride, init,
                 [&](Value index, ValueRange carried) -> SmallVector<Value> {
                   if (!sum)
                     return emitStep(index, carried, body);
                   return sum->combine(carried,
                                       emitStep(index, sum->init(), body));
                 });
}

/// Steps of a chain of a sum, which is one of chains of chains of equal length;
/// 1 where there are few steps. More levels would take registers from the
/// loads.
int64_t TeamLoop::getChain() {
  constexpr int64_t kFewSteps = 8, kUnknownChain = 16;
  auto all = getConstantIntValue(swept), own = getConstantIntValue(sweep);
  if (!all || !own)
    return kUnknownChain;
  int64_t steps = *all / *own;
  return steps < kFewSteps
             ? 1
             : static_cast<int64_t>(std::ceil(std::sqrt(double(steps))));
}

SmallVector<Value> TeamLoop::emit(ValueRange init, LoopBody body,
                                  const SumSteps *sum) {
  Value width = frame.constant(lanes);
  distance = getIndices(frame.mul(count, width));
  Value first =
      frame.add(frame.mul(points.getPart(), step), points.team->number);
  Value low = frame.add(frame.mul(first, width), begin),
        high = frame.add(frame.mul(swept, width), begin);
  SmallVector<Value> carried(init);
  if (int64_t chain = sum ? getChain() : 1; chain > 1) {
    Value length = frame.mul(sweep, frame.constant(chain * lanes));
    carried =
        emitFor(low, high, length, init, [&](Value begin, ValueRange sums) {
          Value end = arith::MinSIOp::create(frame.builder, frame.loc,
                                             frame.add(begin, length), high);
          return sum->combine(sums,
                              emitSteps(begin, end, sum->init(), body, sum));
        });
  } else {
    carried = emitSteps(low, high, init, body, sum);
  }
  return emitRest(carried, body, sum);
}

//===----------------------------------------------------------------------===//
// The last step
//===----------------------------------------------------------------------===//

TeamLoop::RestUnit TeamLoop::loadUnit(ValueRange indices, Value present,
                                      Value isAny, Value mask, bool isInner) {
  auto unit = std::make_unique<Scope>(scope);
  bind(*unit, indices, mask, isInner);
  restrictTo(frame, *unit, present);
  load(*unit);
  return {std::move(unit), isAny};
}

/// Parts have equally many vectors of those that are left, as far as lines of
/// memory are not cut, and the first workers of the first part have the points
/// that are no whole vector.
SmallVector<TeamLoop::RestUnit> TeamLoop::loadRest() {
  constexpr int64_t kLineVectors = 8;
  auto &b = frame.builder;
  Location loc = frame.loc;
  SmallVector<RestUnit> rest;
  Value parts = points.countParts(), left = frame.sub(vectors, swept);
  if (getConstantIntValue(left) != 0) {
    int64_t grain = points.vectorDim == dims.back() ? kLineVectors : 1;
    auto roundUp = [&](Value x, Value y) {
      return divide(frame.add(x, frame.sub(y, frame.constant(1))), y);
    };
    Value length = roundUp(roundUp(left, parts), frame.constant(grain));
    length = frame.mul(length, frame.constant(grain));
    Value own = frame.add(swept, frame.mul(points.getPart(), length));
    Value limit =
        arith::MinSIOp::create(b, loc, length, frame.sub(vectors, own));
    int64_t units = points.units;
    if (auto most = getConstantIntValue(length),
        workers = getConstantIntValue(count);
        most && workers)
      units = std::min<int64_t>(units, llvm::divideCeil(*most, *workers));
    Value number = points.team->number;
    Value point = frame.mul(frame.add(own, number), frame.constant(lanes));
    SmallVector<Value> indices = getIndices(frame.add(point, begin));
    for (int64_t unit = 0; unit < units; ++unit) {
      Value before = frame.mul(count, frame.constant(unit));
      if (unit > 0)
        indices = advance(indices, distance);
      rest.push_back(loadUnit(indices,
                              isBelow(frame.add(before, number), limit),
                              isBelow(before, limit), /*mask=*/nullptr,
                              /*isInner=*/true));
    }
  }
  if (ends > 0)
    rest.push_back(loadEnds());
  else if (RestUnit outside = loadOutside(); outside.scope)
    rest.push_back(std::move(outside));
  return rest;
}

Value TeamLoop::isZero(Value x) {
  return arith::CmpIOp::create(frame.builder, frame.loc,
                               arith::CmpIPredicate::eq, x, frame.constant(0));
}

/// The points that are no whole vector; no unit where there are none.
TeamLoop::RestUnit TeamLoop::loadOutside() {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value first = frame.mul(vectors, frame.constant(lanes));
  Value outside = frame.sub(size, first);
  bool isWhole = getConstantIntValue(outside) == 0 || lanes == 1 ||
                 dims.size() > 1 ||
                 (points.aligned && !points.aligned->allowsRest);
  if (isWhole)
    return {};
  Value isAny = arith::AndIOp::create(b, loc, isZero(points.getPart()),
                                      isBelow(frame.constant(0), outside));
  Value present =
      arith::AndIOp::create(b, loc, isAny, isZero(points.team->number));
  Value mask = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                     laneNumbers(frame, lanes),
                                     broadcast(frame, outside, lanes));
  return loadUnit(first, present, isAny, mask, /*isInner=*/false);
}

/// The walk's ends, each of a worker of the first part: vectors 0 and those
/// from number `all - 2` on, or the last point.
TeamLoop::RestUnit TeamLoop::loadEnds() {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value number = points.team->number, zero = frame.constant(0);
  Value vector = frame.add(frame.sub(all, frame.constant(ends)), number);
  if (hasRows())
    vector = arith::SelectOp::create(b, loc, isZero(number), zero, vector);
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(b, loc, x, y);
  };
  // Few vectors are their own ends.
  Value least = arith::MinSIOp::create(b, loc, number, frame.constant(1));
  Value isThere =
      both(isBelow(number, frame.constant(ends)),
           both(isBelow(frame.sub(least, frame.constant(1)), vector),
                isBelow(vector, all)));
  Value isAny = isZero(points.getPart());
  return loadUnit(getIndices(frame.mul(vector, frame.constant(lanes))),
                  both(isAny, isThere), isAny, /*mask=*/nullptr,
                  /*isInner=*/false);
}

/// Computes a unit unless no worker has it.
SmallVector<Value> TeamLoop::emitWhere(RestUnit &unit, ValueRange init,
                                       LoopBody body) {
  auto &builder = frame.builder;
  auto branch = scf::IfOp::create(builder, frame.loc, init.getTypes(),
                                  unit.isAny, /*withElseRegion=*/!init.empty());
  OpBuilder::InsertionGuard guard(builder);
  if (init.empty())
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  else
    builder.setInsertionPointToStart(branch.thenBlock());
  Scope inner(*unit.scope);
  for (unsigned dim : dims)
    inner.bind(dim, inner.indices[dim]);
  inner.values = unit.scope->values;
  SmallVector<Value> carried = body(inner, init);
  if (init.empty())
    return {};
  scf::YieldOp::create(builder, frame.loc, carried);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, frame.loc, init);
  return SmallVector<Value>(branch.getResults());
}

SmallVector<Value> TeamLoop::emitRest(ValueRange init, LoopBody body,
                                      const SumSteps *sum) {
  StraightLine line(frame, scope);
  SmallVector<RestUnit> rest = loadRest();
  if (rest.empty())
    return SmallVector<Value>(init);
  SmallVector<Value> carried = sum ? sum->init() : SmallVector<Value>(init);
  for (RestUnit &unit : rest)
    carried = emitWhere(unit, carried, body);
  return sum ? sum->combine(init, carried) : carried;
}
