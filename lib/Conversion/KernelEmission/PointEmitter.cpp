//===- PointEmitter.cpp - Loops and pointwise values ----------------------===//

#include "PointEmitter.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/DiscardableAttributes.h"
#include "TeamLoop.h"
#include "UniformDivision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// A GPU loads what is between lanes where vectors are aligned, and no more.
static int64_t getMaxStride(KernelOp kernel) {
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  if (!schedule)
    return MachineModel().maxStride;
  return schedule.getDeviceKind() == "cuda" ? 1 : schedule.getMaxStride();
}

PointEmitter::PointEmitter(KernelFrame &frame,
                           std::optional<unsigned> vectorDim, int64_t laneCount)
    : frame(frame), vectorDim(vectorDim), laneCount(laneCount),
      maxStride(getMaxStride(frame.kernel)) {}

SmallVector<unsigned> PointEmitter::loopOrder(const DimSet &dims) const {
  DimSet scanned = getScannedDims(frame.kernel);
  SmallVector<unsigned> order;
  for (unsigned dim : dims.set_bits())
    if (dim != vectorDim && !scanned.test(dim))
      order.push_back(dim);
  if (vectorDim && dims.test(*vectorDim))
    order.push_back(*vectorDim);
  for (unsigned dim : dims.set_bits())
    if (dim != vectorDim && scanned.test(dim))
      order.push_back(dim);
  return order;
}

Value PointEmitter::emit(Value value, Scope &scope) {
  Scope &where = getHome(frame, value, scope);
  if (Value known = where.values.lookup(value))
    return known;
  OpBuilder::InsertionGuard guard(frame.builder);
  moveInto(frame, where);
  Value result =
      kept.contains(value) ? kept.emit(value, where) : compute(value, where);
  where.values[value] = result;
  return result;
}

Value PointEmitter::emitVector(Value value, Scope &scope) {
  Value result = emit(value, scope);
  return scope.lanes ? broadcast(frame, result, scope.lanes->count) : result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> PointEmitter::emitLoop(Scope &scope, unsigned dim,
                                          ValueRange init, LoopBody body,
                                          const SumSteps *sum) {
  if (isShared(scope, dim)) {
    if (holdsRow && kept.iteration == &scope)
      return emitHeldRow(scope, dim, init, body);
    SmallVector<Value> carried =
        TeamLoop(*this, scope, dim).emit(init, body, sum);
    kept.markFilled(scope, dim);
    return carried;
  }
  auto [low, high] = getLimits(dim);
  return emitLoop(scope, dim, low, high, init, body);
}

bool PointEmitter::areShared(const Scope &scope, ArrayRef<unsigned> dims) {
  if (!team || holdsRow || scope.isDistributed)
    return false;
  DimSet shared(frame.kernel.getNumDims()), wanted(shared);
  for (unsigned dim : team->dims)
    shared.set(dim);
  for (unsigned dim : dims)
    wanted.set(dim);
  return shared == wanted;
}

std::pair<Value, Value> PointEmitter::getLimits(unsigned dim) {
  auto found = limits.find(dim);
  if (found != limits.end())
    return found->second;
  return {frame.constant(0), frame.dimSize(dim)};
}

/// Whether [low, high) is known to be a multiple of `step` long.
static bool dividesEvenly(Value low, Value high, int64_t step) {
  auto from = getConstantIntValue(low), to = getConstantIntValue(high);
  if (step == 1 || (from && to))
    return step == 1 || (*to - *from) % step == 0;
  auto add = high.getDefiningOp<arith::AddIOp>();
  auto length = add && add.getLhs() == low ? getConstantIntValue(add.getRhs())
                                           : std::nullopt;
  return length && *length % step == 0;
}

SmallVector<Value> PointEmitter::emitPart(Scope &scope, unsigned dim, Value low,
                                          Value high, bool masked,
                                          ValueRange init, LoopBody body) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  bool vectorised = vectorDim == dim && laneCount > 1;
  int64_t step = vectorised ? laneCount : 1;
  auto loop =
      scf::ForOp::create(builder, loc, low, high, frame.constant(step), init);
  OpBuilder::InsertionGuard guard(builder);
  Operation *previous = std::exchange(scope.openLoop, loop);
  Scope inner(scope);
  inner.bind(dim, loop.getInductionVar());
  if (init.empty()) // made with a terminator
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToStart(loop.getBody());
  if (vectorised) {
    Value mask;
    if (masked) {
      Value limit =
          broadcast(frame, frame.sub(high, loop.getInductionVar()), step);
      mask = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                   laneNumbers(frame, step), limit);
    }
    inner.lanes = Lanes{dim, step, mask};
  }
  SmallVector<Value> results = body(inner, loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(builder, loc, results);
  scope.openLoop = previous;
  return SmallVector<Value>(loop.getResults());
}

void PointEmitter::bindHeldUnits(Scope &scope, unsigned dim) {
  auto &builder = frame.builder;
  int64_t step = vectorDim == dim ? laneCount : 1;
  auto size = frame.kernel.getDimSize(dim).getConstant();
  Value width = frame.mul(team->heldStride, frame.constant(step));
  Value index = frame.mul(team->firstHeld, frame.constant(step));
  if (heldOffset)
    index = frame.add(index, heldOffset);
  for (int64_t unit = 0; unit < units; ++unit) {
    Scope &held = *heldUnits.emplace_back(std::make_unique<Scope>(scope));
    held.bind(dim, frame.add(index, frame.mul(width, frame.constant(unit))));
    held.isDistributed = true;
    if (step > 1)
      held.lanes = Lanes{dim, step, /*mask=*/nullptr};
    // The first unit alone may begin before the row.
    Value mask;
    if (heldOffset && unit == 0 && getConstantIntValue(heldOffset) != 0)
      mask = unaligned->lanesFrom(frame.sub(frame.constant(0), index), step);
    if (!size || (unit + 1) * team->workers * step > *size) {
      Value begin = held.indices[dim], end = frame.dimSize(dim);
      restrictTo(frame, held,
                 arith::CmpIOp::create(builder, frame.loc,
                                       arith::CmpIPredicate::slt, begin, end));
      if (heldOffset)
        mask =
            restrictMask(builder, frame.loc, mask,
                         unaligned->lanesBefore(frame.sub(end, begin), step));
    }
    if (mask)
      held.lanes->mask = mask;
  }
}

SmallVector<Value> PointEmitter::emitHeldRow(Scope &scope, unsigned dim,
                                             ValueRange init, LoopBody body) {
  if (heldUnits.empty())
    bindHeldUnits(scope, dim);
  SmallVector<Value> carried(init);
  for (auto &unit : heldUnits) {
    StraightLine line(frame, scope);
    if (holdsPacked)
      unit->values.clear();
    carried = body(*unit, carried);
  }
  return carried;
}

Value PointEmitter::emitVectorEnd(unsigned dim, Value low, Value high) {
  int64_t step = vectorDim == dim ? laneCount : 1;
  if (dividesEvenly(low, high, step))
    return high;
  Value rest = arith::RemSIOp::create(
      frame.builder, frame.loc, frame.sub(high, low), frame.constant(step));
  return frame.sub(high, rest);
}

SmallVector<Value> PointEmitter::emitLoop(Scope &scope, unsigned dim, Value low,
                                          Value high, ValueRange init,
                                          LoopBody body) {
  // Whole vectors, then at most one masked iteration for the rest.
  Value middle = emitVectorEnd(dim, low, high);
  SmallVector<Value> carried =
      emitPart(scope, dim, low, middle, /*masked=*/false, init, body);
  if (middle != high)
    carried =
        emitPart(scope, dim, middle, high, /*masked=*/true, carried, body);
  kept.markFilled(scope, dim);
  return carried;
}

SmallVector<Value> PointEmitter::emitLoops(Scope &scope,
                                           ArrayRef<unsigned> dims,
                                           ValueRange init, LoopBody body) {
  if (dims.empty())
    return body(scope, init);
  return emitLoop(scope, dims.front(), init,
                  [&](Scope &inner, ValueRange carried) {
                    return emitLoops(inner, dims.drop_front(), carried, body);
                  });
}

SmallVector<Value> PointEmitter::emitBlocks(Scope &scope, Value low, Value high,
                                            int64_t size, ValueRange init,
                                            BlockBody body) {
  auto &builder = frame.builder;
  Value length = frame.constant(size);
  auto loop = scf::ForOp::create(builder, frame.loc, low, high, length, init);
  OpBuilder::InsertionGuard guard(builder);
  Operation *previous = std::exchange(scope.openLoop, loop);
  Scope inner(scope);
  inner.blockOf = scope.blockOf ? scope.blockOf : &scope;
  builder.setInsertionPointToStart(loop.getBody());
  Value begin = loop.getInductionVar();
  Value end = arith::MinSIOp::create(builder, frame.loc,
                                     frame.add(begin, length), high);
  scf::YieldOp::create(builder, frame.loc,
                       body(inner, begin, end, loop.getRegionIterArgs()));
  scope.openLoop = previous;
  return SmallVector<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whether `value` is computed from a fold of what `number` is needed for.
static bool isFoldOf(Value value, Value number) {
  Operation *maker = value.getDefiningOp(), *wanted = number.getDefiningOp();
  return maker && wanted && anyProducer(maker, [&](Operation *fold) {
           return isa<ReduceStageOp>(fold) &&
                  anyProducer(fold, [&](Operation *producer) {
                    return producer == wanted;
                  });
         });
}

static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  return value;
}

/// Whether `op` is of a row less its maximum.
static bool isOfRowBelowMaximum(ExpOp op) {
  auto sub = op.getX().getDefiningOp<SubOp>();
  auto fold =
      sub ? skipCasts(sub.getY()).getDefiningOp<ReduceStageOp>() : nullptr;
  return fold && fold.getKind() == ReductionKind::Max &&
         skipCasts(fold.getValue()) == skipCasts(sub.getX());
}

/// Without casts to wider floats, which change no value.
static Value skipWidening(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    auto from = dyn_cast<FloatType>(cast.getX().getType()),
         to = dyn_cast<FloatType>(cast.getResult().getType());
    if (!from || !to || (from != to && 2 * from.getWidth() > to.getWidth()))
      break;
    value = cast.getX();
  }
  return value;
}

/// Whether `value` is the sum of exponentials of a row below its maximum: at
/// least that of the maximum, 1, and at most the number of points; or NaN.
static bool isSumOfRowBelowMaximum(Value value) {
  auto sum = skipWidening(value).getDefiningOp<ReduceStageOp>();
  auto exp =
      sum ? skipWidening(sum.getValue()).getDefiningOp<ExpOp>() : ExpOp();
  auto below = exp ? exp.getX().getDefiningOp<SubOp>() : SubOp();
  auto maximum = below
                     ? skipWidening(below.getY()).getDefiningOp<ReduceStageOp>()
                     : ReduceStageOp();
  return maximum && sum.getKind() == ReductionKind::Sum &&
         maximum.getKind() == ReductionKind::Max &&
         skipWidening(maximum.getValue()) == skipWidening(below.getX()) &&
         getFoldedDims(sum) == getFoldedDims(maximum);
}

/// A statistic of numbers that are computed again for each use is of rounded
/// ones: what is subtracted from it, or it from, must be the same numbers. A
/// row less its maximum is then 0 or below, whatever the numbers' size. It
/// varies over less than they do, or is that of a single one.
std::optional<unsigned> PointEmitter::findRounded(SubOp op) const {
  if (!isa<FloatType>(op.getX().getType()))
    return std::nullopt;
  Value whole[] = {op.getX(), op.getY()};
  for (unsigned index : {0, 1}) {
    const DimSet &own = frame.dims.of(whole[index]),
                 &other = frame.dims.of(whole[1 - index]);
    if (whole[index].getDefiningOp<ReadOp>() || other.test(own))
      continue;
    if (own != other || isFoldOf(whole[1 - index], whole[index]))
      return index;
  }
  return std::nullopt;
}

/// Whether nothing but multiples of `value` is used, and these are added up:
/// then what `value` is off by is small next to the error of the sum.
static bool isAddedUp(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto reduce = dyn_cast<ReduceStageOp>(user))
      return reduce.getKind() == ReductionKind::Sum;
    return isa<MulOp, NegOp>(user) && isAddedUp(user->getResult(0));
  });
}

/// Whether the result of `op` has 16 bits, or is rounded to them.
static bool isRoundedTo16Bits(Operation *op) {
  auto has16Bits = [](Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 16;
  };
  Value result = op->getResult(0);
  return op->hasAttr(kRoundedAttr) || has16Bits(result) ||
         llvm::all_of(result.getUsers(), [&](Operation *user) {
           return isa<CastOp>(user) && has16Bits(user->getResult(0));
         });
}

/// Whether `value` is the same for all lanes of a vector, or, where registers
/// hold a reciprocal, for all points of a loop.
bool PointEmitter::isOfOuterScope(Value value, bool vector, Scope &scope) {
  if (vector && !isVector(frame, value, scope))
    return true;
  return frame.builder.options.hasSpecialFunctions &&
         &getHome(frame, value, scope) != &scope &&
         !value.getDefiningOp<ScalarOp>();
}

Value PointEmitter::emitPointwise(Operation *op, Scope &scope) {
  bool vector = isVector(frame, op->getResult(0), scope);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(vector ? emitVector(operand, scope)
                              : emit(operand, scope));
  if (auto sub = dyn_cast<SubOp>(op))
    if (auto rounded = findRounded(sub))
      return frame.subtractRounded(operands[0], operands[1], *rounded);
  if (auto exp = dyn_cast<ExpOp>(op);
      exp && exp.getResult().getType().isF32() && isOfRowBelowMaximum(exp))
    return vectormath::emitExpOfNonPositive(frame.builder, frame.loc,
                                            operands.front());
  if (isa<LogOp>(op) && op->getResult(0).getType().isF32() &&
      isAddedUp(op->getResult(0)))
    return vectormath::emitLogOfTerm(frame.builder, frame.loc,
                                     operands.front());
  auto cast = dyn_cast<CastOp>(op);
  if (isa<DivOp>(op) && isOfOuterScope(op->getOperand(1), vector, scope))
    if (Value quotient = emitUniformDivision(
            frame, operands[0], emit(op->getOperand(1), scope),
            isSumOfRowBelowMaximum(op->getOperand(1)), isRoundedTo16Bits(op)))
      return quotient;
  if (!cast)
    return emitElementwise(frame.builder, op, operands);
  // Values of bf16 and f16 are held as f32: only the compute types matter.
  Type from = cast.getX().getType(), to = cast.getResult().getType();
  auto held = [](Type type) {
    return isa<FloatType>(type) ? getComputeType(type) : type;
  };
  // What is stored of a rounded value is not converted once more.
  if (cast.getRounds() && held(from) == held(to))
    return widen(frame, narrow(frame, operands.front(), to), to);
  if (cast.getRounds()) {
    Value rounded = vectormath::emitCast(frame.builder, frame.loc,
                                         operands.front(), held(from), to);
    return vectormath::emitCast(frame.builder, frame.loc, rounded, to,
                                held(to));
  }
  if (held(from) == held(to))
    return operands.front();
  return vectormath::emitCast(frame.builder, frame.loc, operands.front(),
                              held(from), held(to));
}

/// An integer, or the bits of a complex number, the real part first.
static APInt getBits(Attribute number) {
  auto complex = dyn_cast<complex::NumberAttr>(number);
  if (!complex)
    return cast<IntegerAttr>(number).getValue();
  APInt imaginary = complex.getImag().bitcastToAPInt();
  return imaginary.concat(complex.getReal().bitcastToAPInt());
}

Value PointEmitter::compute(Value value, Scope &scope) {
  if (auto provider = providers.find(value); provider != providers.end())
    return provider->second(scope);
  Operation *op = value.getDefiningOp();
  auto &builder = frame.builder;
  Location loc = frame.loc;
  if (auto read = dyn_cast<ReadOp>(op))
    return access.emitRead(read, scope);
  if (auto scalar = dyn_cast<ScalarOp>(op)) {
    Type type = getComputeType(scalar.getResult().getType());
    if (auto number = dyn_cast<FloatAttr>(scalar.getValue())) {
      APFloat converted = number.getValue();
      bool losesInfo;
      converted.convert(cast<FloatType>(type).getFloatSemantics(),
                        APFloat::rmNearestTiesToEven, &losesInfo);
      return arith::ConstantOp::create(builder, loc,
                                       FloatAttr::get(type, converted));
    }
    return arith::ConstantOp::create(
        builder, loc, IntegerAttr::get(type, getBits(scalar.getValue())));
  }
  if (auto size = dyn_cast<SizeScalarOp>(op))
    return frame.size(size.getSize());
  if (auto index = dyn_cast<DimIndexOp>(op)) {
    bool vector = isVector(frame, value, scope);
    Value result = emitAffine(frame, index.getMap().getResult(0),
                              indexInputs(frame, scope, vector));
    if (vector)
      result = broadcast(frame, result, scope.lanes->count);
    if (index.getResult().getType().isInteger(64))
      return result;
    return arith::TruncIOp::create(
        builder, loc,
        getLaneType(builder.getI32Type(), vector ? scope.lanes->count : 1),
        result);
  }
  if (auto within = dyn_cast<WithinOp>(op)) {
    Value inside = emitInside(frame, within.getSet(), scope, unaligned,
                              hasAlignedLanes(scope));
    return isVector(frame, value, scope)
               ? broadcast(frame, inside, scope.lanes->count)
               : inside;
  }
  if (isa<ReduceStageOp, ContractStageOp>(op)) {
    stages.emitReductions(op, scope);
    return scope.values.lookup(value);
  }
  if (auto scan = dyn_cast<ScanStageOp>(op))
    return stages.emitScan(scan, scope);
  return emitPointwise(op, scope);
}

LanesAlong::LanesAlong(PointEmitter &emitter, std::optional<unsigned> dim)
    : emitter(emitter), vectorDim(emitter.vectorDim) {
  emitter.vectorDim = dim ? dim : emitter.scheduledDim;
}

LanesAlong::~LanesAlong() { emitter.vectorDim = vectorDim; }
