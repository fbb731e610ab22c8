//===- Selections.cpp - where, masked_fill, clamp -------------------------===//

#include "Elementwise.h"

#include <limits>

using namespace mlir;
using namespace tc;

namespace tc::aten {

// Pattern: aten.where(condition, x, y) -> tc.select condition, x, y
static LogicalResult convertWhere(AtenCall &call) {
  Value condition =
      call.cast(call.getTensor("condition"), call.builder.getI1Type());
  condition = call.broadcast(condition, getSizes(call.getResultType()));
  return convertElementwise(
      call, {"self", "other"}, Promotion::Choice,
      [&](ValueRange v) { return call.select(condition, v[0], v[1]); });
}

// Pattern: aten.masked_fill(x, mask, value) -> tc.select mask, value, x
static LogicalResult convertMaskedFill(AtenCall &call) {
  Value x = call.getTensor("self");
  Sizes sizes = getSizes(call.getResultType());
  Value mask = call.broadcast(
      call.cast(call.getTensor("mask"), call.builder.getI1Type()), sizes);
  Value value = call.materialize(call.getOperand("value"), elementOf(x), sizes);
  x = call.broadcast(x, sizes);
  if (call.hasFailed())
    return failure();
  return call.replace(call.select(mask, value, x));
}

/// x kept in [min, max], either of which may be None; NaN stays.
static LogicalResult clamp(AtenCall &call, StringRef low, StringRef high) {
  SmallVector<StringRef> names{"self"};
  bool hasLow = !low.empty() && !call.isNone(low);
  if (hasLow)
    names.push_back(low);
  if (!high.empty() && !call.isNone(high))
    names.push_back(high);
  return convertElementwise(call, names, Promotion::Common, [&](ValueRange v) {
    Value x = v[0];
    if (hasLow)
      x = call.binary<MaximumOp>(x, v[1]);
    if (v.size() > (hasLow ? 2u : 1u))
      x = call.binary<MinimumOp>(x, v.back());
    return x;
  });
}

// Pattern: aten.clamp(x, min, max) -> tc.minimum (tc.maximum x, min), max
static LogicalResult convertClamp(AtenCall &call) {
  return clamp(call, "min", "max");
}

// Pattern: aten.clamp_min(x, min) -> tc.maximum x, min
static LogicalResult convertClampMin(AtenCall &call) {
  return clamp(call, "min", "");
}

// Pattern: aten.clamp_max(x, max) -> tc.minimum x, max
static LogicalResult convertClampMax(AtenCall &call) {
  return clamp(call, "", "max");
}

// Pattern: aten.max(x, y) -> tc.maximum x, y
template <typename OpTy> static LogicalResult convertExtreme(AtenCall &call) {
  return convertElementwise(
      call, {"self", "other"}, Promotion::Common,
      [&](ValueRange v) { return call.binary<OpTy>(v[0], v[1]); });
}

/// The largest finite number of a float type.
static double getLargest(Type element) {
  llvm::APFloat value =
      llvm::APFloat::getLargest(cast<FloatType>(element).getFloatSemantics());
  bool losesInformation;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInformation);
  return value.convertToDouble();
}

// Pattern: aten.nan_to_num(x) -> tc.select for NaN and both infinities
static LogicalResult convertNanToNum(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!isa<FloatType>(elementOf(x)))
    return call.replace(x);
  double largest = getLargest(elementOf(x));
  auto get = [&](StringRef name, double otherwise) {
    return call.isNone(name) ? otherwise : call.getReal(name);
  };
  double nan = get("nan", 0.0), positive = get("posinf", largest),
         negative = get("neginf", -largest);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value result = call.select(call.unary<IsNanOp>(x), call.fill(nan, x), x);
  result = call.select(call.binary<EqOp>(x, infinity), call.fill(positive, x),
                       result);
  result = call.select(call.binary<EqOp>(x, -infinity), call.fill(negative, x),
                       result);
  return call.replace(result);
}

void addSelections(AtenTable &table) {
  table.add(
      {"where.self", "where.Scalar", "where.ScalarOther", "where.ScalarSelf"},
      convertWhere);
  table.add({"masked_fill.Scalar", "masked_fill.Tensor"}, convertMaskedFill);
  table.add({"clamp.default", "clamp.Tensor", "clip.default", "clip.Tensor"},
            convertClamp);
  table.add({"clamp_min.default", "clamp_min.Tensor"}, convertClampMin);
  table.add({"clamp_max.default", "clamp_max.Tensor"}, convertClampMax);
  table.add({"max.other"}, convertExtreme<MaximumOp>);
  table.add({"min.other"}, convertExtreme<MinimumOp>);
  table.add({"nan_to_num.default"}, convertNanToNum);
}

} // namespace tc::aten
