//===- IndexMaps.cpp - Index arithmetic, scalar or on lanes ---------------===//

#include "IndexMaps.h"
#include "LaneAccess.h"
#include "TC/Analysis/AccessBounds.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

Value tc::broadcast(KernelFrame &frame, Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(frame.builder, frame.loc,
                                     VectorType::get({lanes}, value.getType()),
                                     value);
}

Value tc::laneNumbers(KernelFrame &frame, int64_t count) {
  auto &builder = frame.builder;
  SmallVector<int64_t> numbers = llvm::to_vector(llvm::seq<int64_t>(0, count));
  auto type = VectorType::get({count}, builder.getI64Type());
  return arith::ConstantOp::create(
      builder, frame.loc,
      DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
}

SmallVector<Value> tc::indexInputs(KernelFrame &frame, const Scope &scope,
                                   bool lanesAsVector) {
  SmallVector<Value> inputs(scope.indices);
  if (lanesAsVector && scope.lanes && scope.lanes->count > 1) {
    Value base = broadcast(frame, inputs[scope.lanes->dim], scope.lanes->count);
    inputs[scope.lanes->dim] = arith::AddIOp::create(
        frame.builder, frame.loc, base, laneNumbers(frame, scope.lanes->count));
  }
  return inputs;
}

/// Makes both vectors if one of them is; whether they are.
static bool matchLanes(KernelFrame &frame, Value &a, Value &b) {
  auto vector = dyn_cast<VectorType>(a.getType());
  if (!vector)
    vector = dyn_cast<VectorType>(b.getType());
  if (!vector)
    return false;
  a = broadcast(frame, a, vector.getNumElements());
  b = broadcast(frame, b, vector.getNumElements());
  return true;
}

Value tc::addIndices(KernelFrame &frame, Value a, Value b) {
  if (!matchLanes(frame, a, b))
    return frame.add(a, b);
  return arith::AddIOp::create(frame.builder, frame.loc, a, b);
}

Value tc::mulIndices(KernelFrame &frame, Value a, Value b) {
  if (!matchLanes(frame, a, b))
    return frame.mul(a, b);
  return arith::MulIOp::create(frame.builder, frame.loc, a, b);
}

static Value emitFloorDiv(KernelFrame &frame, Value value, Value divisor) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    divisor = broadcast(frame, divisor, vector.getNumElements());
  return arith::FloorDivSIOp::create(frame.builder, frame.loc, value, divisor);
}

Value tc::emitAffine(KernelFrame &frame, AffineExpr expr,
                     ArrayRef<Value> inputs) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return frame.constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    Value index = inputs[dim.getPosition()];
    return index ? index : frame.reportUnboundDim(dim.getPosition());
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return frame.size(frame.affineSymbol(symbol.getPosition()));
  auto operation = cast<AffineBinaryOpExpr>(expr);
  Value left = emitAffine(frame, operation.getLHS(), inputs),
        right = emitAffine(frame, operation.getRHS(), inputs);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return addIndices(frame, left, right);
  case AffineExprKind::Mul:
    return mulIndices(frame, left, right);
  case AffineExprKind::FloorDiv:
    return emitFloorDiv(frame, left, right);
  case AffineExprKind::CeilDiv: {
    Value negative = mulIndices(frame, left, frame.constant(-1));
    return mulIndices(frame, emitFloorDiv(frame, negative, right),
                      frame.constant(-1));
  }
  default: { // mod
    Value whole = mulIndices(frame, emitFloorDiv(frame, left, right), right);
    return addIndices(frame, left,
                      mulIndices(frame, whole, frame.constant(-1)));
  }
  }
}

/// Whether sizes and constants of `set` are so small that 32 bits hold its
/// expressions: no terms but dimensions and constants.
static bool isSmall(KernelFrame &frame, const IntegerSet &set,
                    AffineExpr expr) {
  constexpr int64_t kMost = int64_t(1) << 28;
  bool small = true;
  expr.walk([&](AffineExpr part) {
    if (auto constant = dyn_cast<AffineConstantExpr>(part))
      small &= std::abs(constant.getValue()) < kMost;
    else if (auto dim = dyn_cast<AffineDimExpr>(part))
      small &= dim.getPosition() < frame.kernel.getNumDims() &&
               frame.kernel.getDimSize(dim.getPosition())
                       .getConstant()
                       .value_or(kMost) < kMost;
    else if (part.getKind() == AffineExprKind::Mul)
      small &= cast<AffineBinaryOpExpr>(part).getRHS() ==
               getAffineConstantExpr(-1, part.getContext());
    else
      small &= part.getKind() == AffineExprKind::Add;
  });
  return small && set.getNumSymbols() == 0;
}

/// How much `expr` changes from lane to lane; nothing where that varies.
static std::optional<int64_t> getLaneStep(AffineExpr expr, unsigned lanesDim,
                                          const IntegerSet &set) {
  return getIndexStep(expr, getAffineDimExpr(lanesDim, expr.getContext()),
                      set.getNumDims(), set.getNumSymbols());
}

/// The mask of the lanes where `expr`, plus one or minus one from lane to lane,
/// is not negative; nothing where it is neither.
static Value emitLanesInside(KernelFrame &frame, AffineExpr expr,
                             const IntegerSet &set, const Scope &scope,
                             const UnalignedAccess &masks) {
  const Lanes &lanes = *scope.lanes;
  auto step = getLaneStep(expr, lanes.dim, set);
  if (!step || std::abs(*step) != 1)
    return {};
  Value first = emitAffine(frame, expr,
                           indexInputs(frame, scope, /*lanesAsVector=*/false));
  bool isBefore = *step < 0;
  Value lane = isBefore ? frame.add(first, frame.constant(1))
                        : frame.sub(frame.constant(0), first);
  if (isSmall(frame, set, expr))
    lane = arith::TruncIOp::create(frame.builder, frame.loc,
                                   frame.builder.getI32Type(), lane);
  return isBefore ? masks.lanesBefore(lane, lanes.count)
                  : masks.lanesFrom(lane, lanes.count);
}

/// Whether all lanes, the first of which is at a multiple of their number,
/// agree on `expr` being at least 0: it changes by one from lane to lane, and
/// by multiples of that number from vector to vector.
static bool doLanesAgree(AffineExpr expr, const IntegerSet &set,
                         const Lanes &lanes) {
  MLIRContext *context = expr.getContext();
  unsigned dims = set.getNumDims(), symbols = set.getNumSymbols();
  auto isMultiple = [&](AffineExpr input) {
    auto step = getIndexStep(expr, input, dims, symbols);
    return step && *step % lanes.count == 0;
  };
  for (unsigned dim = 0; dim < dims; ++dim)
    if (dim != lanes.dim && !isMultiple(getAffineDimExpr(dim, context)))
      return false;
  for (unsigned symbol = 0; symbol < symbols; ++symbol)
    if (!isMultiple(getAffineSymbolExpr(symbol, context)))
      return false;
  auto step = getLaneStep(expr, lanes.dim, set);
  SmallVector<AffineExpr> zeros(std::max(dims, symbols),
                                getAffineConstantExpr(0, context));
  auto first = dyn_cast<AffineConstantExpr>(expr.replaceDimsAndSymbols(
      ArrayRef(zeros).take_front(dims), ArrayRef(zeros).take_front(symbols)));
  if (!step || !first)
    return false;
  // The last lane that it holds for is the last one of a vector.
  int64_t rest = step == -1 ? first.getValue() + 1 : first.getValue();
  return std::abs(*step) == 1 && rest % lanes.count == 0;
}

/// Whether `expr` is at least 0 for lanes that are all in their dimension and
/// agree on it, where it follows from the dimension having too few points for
/// them where it is, or where it is not.
static std::optional<bool> getCommonAnswer(KernelFrame &frame, AffineExpr expr,
                                           const IntegerSet &set,
                                           const Lanes &lanes) {
  auto step = getLaneStep(expr, lanes.dim, set);
  if (!step || std::abs(*step) != 1)
    return std::nullopt;
  MLIRContext *context = expr.getContext();
  auto rest = toSize(
      frame.kernel,
      simplifyAffineExpr(expr.replace(getAffineDimExpr(lanes.dim, context),
                                      getAffineConstantExpr(0, context)),
                         set.getNumDims(), set.getNumSymbols()));
  if (!rest)
    return std::nullopt;
  // It holds up to the point `rest`, or from the point `-rest` on.
  SizeExpr one = SizeExpr::constant(context, 1),
           end = *step < 0 ? rest->add(one) : rest->mul(-1),
           after = frame.kernel.getDimSize(lanes.dim).add(end.mul(-1));
  auto isShort = [&](SizeExpr points) {
    auto constant = points.getConstant();
    return constant && *constant < lanes.count;
  };
  if (isShort(*step < 0 ? after : end))
    return true;
  if (isShort(*step < 0 ? end : after))
    return false;
  return std::nullopt;
}

FailureOr<Value> tc::emitDoLanesAgree(KernelFrame &frame, IntegerSet set,
                                      const Scope &scope, bool isAligned) {
  auto &b = frame.builder;
  const Lanes &lanes = *scope.lanes;
  Value differ; // negative where they do
  for (auto [index, constraint] : llvm::enumerate(set.getConstraints())) {
    auto step = getLaneStep(constraint, lanes.dim, set);
    if (!step || (*step != 0 && set.isEq(index)))
      return failure();
    if (*step == 0 || (isAligned && doLanesAgree(constraint, set, lanes)))
      continue;
    Value first = emitAffine(
        frame, constraint, indexInputs(frame, scope, /*lanesAsVector=*/false));
    Value last = frame.add(first, frame.constant(*step * (lanes.count - 1)));
    Value signs = arith::XOrIOp::create(b, frame.loc, first, last);
    differ = differ ? Value(arith::OrIOp::create(b, frame.loc, differ, signs))
                    : signs;
  }
  if (!differ)
    return Value();
  return Value(arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::sge,
                                     differ, frame.constant(0)));
}

Value tc::emitInside(KernelFrame &frame, IntegerSet set, const Scope &scope,
                     const UnalignedAccess *masks, bool isAligned) {
  bool varies =
      scope.lanes && scope.lanes->count > 1 &&
      KernelDims::ofSet(set, frame.kernel.getNumDims()).test(scope.lanes->dim);
  bool areInner = varies && scope.lanes->areInner;
  auto &b = frame.builder;
  Value inside;
  for (auto [index, constraint] : llvm::enumerate(set.getConstraints())) {
    bool vector = varies && !areInner &&
                  !(isAligned && !set.isEq(index) &&
                    doLanesAgree(constraint, set, *scope.lanes));
    Value holds;
    if (areInner && !set.isEq(index))
      if (auto answer = getCommonAnswer(frame, constraint, set, *scope.lanes))
        holds = arith::ConstantIntOp::create(b, frame.loc, *answer, 1);
    if (vector && masks && !set.isEq(index))
      holds = emitLanesInside(frame, constraint, set, scope, *masks);
    if (!holds) {
      Value value =
          emitAffine(frame, constraint, indexInputs(frame, scope, vector));
      Value zero = frame.constant(0);
      if (auto type = dyn_cast<VectorType>(value.getType()))
        zero = broadcast(frame, zero, type.getNumElements());
      auto predicate = set.isEq(index) ? arith::CmpIPredicate::eq
                                       : arith::CmpIPredicate::sge;
      holds = arith::CmpIOp::create(b, frame.loc, predicate, value, zero);
    }
    if (vector)
      holds = broadcast(frame, holds, scope.lanes->count);
    if (inside && inside.getType() != holds.getType()) {
      inside = broadcast(frame, inside, scope.lanes->count);
      holds = broadcast(frame, holds, scope.lanes->count);
    }
    inside = inside ? Value(arith::AndIOp::create(b, frame.loc, inside, holds))
                    : holds;
  }
  return inside ? inside
                : Value(arith::ConstantIntOp::create(b, frame.loc, 1, 1));
}
