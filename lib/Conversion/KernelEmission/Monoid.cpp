//===- Monoid.cpp - What reductions, scans and scatters fold with ---------===//

#include "Monoid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

Monoid::Monoid(ReductionKind kind, Type meaning)
    : kind(kind), meaning(meaning), compute(getComputeType(meaning)) {}

static ReductionKind getReduction(CombineKind kind) {
  switch (kind) {
  case CombineKind::Prod:
    return ReductionKind::Prod;
  case CombineKind::Max:
    return ReductionKind::Max;
  case CombineKind::Min:
    return ReductionKind::Min;
  default: // what replaces is not folded
    return ReductionKind::Sum;
  }
}

Monoid::Monoid(CombineKind kind, Type meaning)
    : Monoid(getReduction(kind), meaning) {}

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

/// `value`, or a vector of it.
static Value splat(OpBuilder &b, Location loc, TypedAttr value, int64_t lanes) {
  if (lanes == 1)
    return arith::ConstantOp::create(b, loc, value);
  auto type = VectorType::get({lanes}, value.getType());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, Attribute(value)));
}

static int64_t countLanes(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

/// The integer type of a float's bits.
static Type getBitsType(Type type) {
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

static Value getBits(OpBuilder &b, Location loc, Value value) {
  Type type = getBitsType(getElementTypeOrSelf(value.getType()));
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::BitcastOp::create(b, loc, type, value);
}

SmallVector<Value> Monoid::init(OpBuilder &b, Location loc,
                                int64_t lanes) const {
  SmallVector<Value> states(numStates(), splat(b, loc, identity(b), lanes));
  // An index above all others: the first real element takes over.
  if (isArg())
    states[1] =
        splat(b, loc, b.getI64IntegerAttr(std::numeric_limits<int64_t>::max()),
              lanes);
  if (tracksSigns)
    states[1] = splat(b, loc,
                      b.getIntegerAttr(getBitsType(compute),
                                       kind == ReductionKind::Max ? -1 : 0),
                      lanes);
  return states;
}

SmallVector<Value> Monoid::ofElement(OpBuilder &b, Location loc, Value element,
                                     Value position) const {
  if (isArg())
    return {element, position};
  if (tracksSigns)
    return {element, getBits(b, loc, element)};
  if (!isWelford())
    return {element};
  int64_t lanes = countLanes(element);
  return {element, splat(b, loc, b.getFloatAttr(compute, 0.0), lanes),
          splat(b, loc, b.getFloatAttr(compute, 1.0), lanes)};
}

/// The larger (smaller) of x and y, NaN if one is, and of zeros of both signs
/// any. x86 takes six instructions for IEEE's order of zeros, three without it,
/// and only one of these waits for the second operand; the signs, where they
/// matter, take one more.
static Value foldMagnitude(OpBuilder &b, Location loc, bool isMax, Value x,
                           Value y) {
  if (isMax)
    return arith::MaximumFOp::create(b, loc, y, x, arith::FastMathFlags::nsz);
  return arith::MinimumFOp::create(b, loc, y, x, arith::FastMathFlags::nsz);
}

Value Monoid::combineSigns(OpBuilder &b, Location loc, Value x, Value y) const {
  if (kind == ReductionKind::Max)
    return arith::AndIOp::create(b, loc, x, y);
  return arith::OrIOp::create(b, loc, x, y);
}

SmallVector<Value> Monoid::finish(OpBuilder &b, Location loc,
                                  ValueRange states) const {
  if (!tracksSigns)
    return llvm::to_vector(states);
  unsigned width = compute.getIntOrFloatBitWidth();
  int64_t lanes = countLanes(states[0]);
  Value sign = splat(
      b, loc, b.getIntegerAttr(getBitsType(compute), APInt::getSignMask(width)),
      lanes);
  Value signedZero =
      arith::BitcastOp::create(b, loc, states[0].getType(),
                               arith::AndIOp::create(b, loc, states[1], sign));
  Value zero = splat(b, loc, b.getFloatAttr(compute, 0.0), lanes);
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, states[0], zero);
  return {arith::SelectOp::create(b, loc, isZero, signedZero, states[0])};
}

Value Monoid::fold(OpBuilder &b, Location loc, Value x, Value y) const {
  bool isUnsigned = meaning.isUnsignedInteger();
  switch (kind) {
  case ReductionKind::Sum:
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
      return arith::MaximumFOp::create(b, loc, y, x);
    if (meaning.isInteger(1))
      return arith::OrIOp::create(b, loc, x, y);
    return isUnsigned ? Value(arith::MaxUIOp::create(b, loc, x, y))
                      : Value(arith::MaxSIOp::create(b, loc, x, y));
  default: // Min
    if (isFloat())
      return arith::MinimumFOp::create(b, loc, y, x);
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

/// Chan, Golub and LeVeque, Updating Formulae and a Pairwise Algorithm for
/// Computing Sample Variances (1979).
SmallVector<Value> Monoid::mergeMoments(OpBuilder &b, Location loc,
                                        ValueRange first,
                                        ValueRange second) const {
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, loc, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  Value count = add(first[2], second[2]);
  int64_t lanes = countLanes(count);
  Value zero = splat(b, loc, b.getFloatAttr(compute, 0.0), lanes);
  Value empty =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, count, zero);
  Value share = arith::DivFOp::create(b, loc, second[2], count);
  share = arith::SelectOp::create(b, loc, empty, zero, share);
  Value delta = arith::SubFOp::create(b, loc, second[0], first[0]);
  Value mean = add(first[0], mul(delta, share));
  Value between = mul(mul(delta, delta), mul(first[2], share));
  return {mean, add(add(first[1], second[1]), between), count};
}

SmallVector<Value> Monoid::combine(OpBuilder &b, Location loc, ValueRange first,
                                   ValueRange second) const {
  if (isWelford())
    return mergeMoments(b, loc, first, second);
  if (isFloat() && isExtreme() && !usesOrder) {
    SmallVector<Value> states{
        foldMagnitude(b, loc, kind == ReductionKind::Max, first[0], second[0])};
    if (tracksSigns)
      states.push_back(combineSigns(b, loc, first[1], second[1]));
    return states;
  }
  if (!isArg())
    return {fold(b, loc, first[0], second[0])};
  Value isSecond = takesSecond(b, loc, first, second);
  return {arith::SelectOp::create(b, loc, isSecond, second[0], first[0]),
          arith::SelectOp::create(b, loc, isSecond, second[1], first[1])};
}

/// Folds the lanes of `states` in a tree.
SmallVector<Value> tc::foldLanes(OpBuilder &b, Location loc,
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

Value tc::emitIsBelow(OpBuilder &b, Location loc, Type meaning, Value x,
                      Value y) {
  if (!isa<FloatType>(meaning)) {
    bool isUnsigned = meaning.isUnsignedInteger() || meaning.isInteger(1);
    return arith::CmpIOp::create(b, loc,
                                 isUnsigned ? arith::CmpIPredicate::ult
                                            : arith::CmpIPredicate::slt,
                                 x, y);
  }
  Value less = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  Value xNumber =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, x, x);
  Value yNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, y, y);
  return arith::OrIOp::create(b, loc, less,
                              arith::AndIOp::create(b, loc, xNumber, yNan));
}
