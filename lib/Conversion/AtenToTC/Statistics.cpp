//===- Statistics.cpp - quantiles and histograms --------------------------===//

#include "AtenTable.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

namespace {
enum class Between { Linear, Lower, Higher, Nearest, Midpoint };
} // namespace

/// a + (b - a) * w as PyTorch rounds it: from the nearer end.
static Value interpolate(AtenCall &call, Value a, Value b, Value w) {
  Value difference = call.binary<SubOp>(b, a);
  Value fromA = call.binary<AddOp>(a, call.binary<MulOp>(difference, w));
  Value rest = call.binary<SubOp>(call.fill(1.0, w), w);
  Value fromB = call.binary<SubOp>(b, call.binary<MulOp>(difference, rest));
  return call.select(call.binary<LtOp>(w, 0.5), fromA, fromB);
}

/// Rows sorted along the last dimension, [rows..., size], at positions [count]
/// in [0, size - 1]: [count, rows...].
static Value pickQuantiles(AtenCall &call, Value sorted, Value positions,
                           Between between) {
  Sizes rows = sizesOf(sorted);
  rows.pop_back();
  Sizes sizes = rows;
  sizes.push_back(sizesOf(positions)[0]);
  auto pick = [&](Value at) { // [rows..., count]
    Value index = call.cast(at, call.builder.getI64Type());
    return IndexOp::create(call.builder, call.location,
                           getTensorType(sizes, elementOf(sorted)), sorted,
                           index, rankOf(sorted) - 1)
        .getResult();
  };
  Value low = call.unary<FloorOp>(positions),
        high = call.unary<CeilOp>(positions), result;
  switch (between) {
  case Between::Lower:
    result = pick(low);
    break;
  case Between::Higher:
    result = pick(high);
    break;
  case Between::Nearest:
    result = pick(call.unary<RoundOp>(positions));
    break;
  case Between::Linear:
  case Between::Midpoint: {
    Value weight = between == Between::Linear
                       ? call.binary<SubOp>(positions, low)
                       : call.fill(0.5, low);
    // Whole positions have nothing between.
    result =
        interpolate(call, pick(low), pick(high), call.broadcast(weight, sizes));
    break;
  }
  }
  SmallVector<int64_t> permutation{rankOf(result) - 1};
  for (int64_t dim = 0; dim < rankOf(result) - 1; ++dim)
    permutation.push_back(dim);
  return call.transpose(result, permutation);
}

// Pattern: aten.quantile(x, q, dim) -> tc.index_tensors of tc.sort x, between
// two neighbours
static LogicalResult convertQuantile(AtenCall &call) {
  Value x = call.getTensor("self");
  Type element = elementOf(x);
  auto between = llvm::StringSwitch<std::optional<Between>>(
                     call.getString("interpolation"))
                     .Case("linear", Between::Linear)
                     .Case("lower", Between::Lower)
                     .Case("higher", Between::Higher)
                     .Case("nearest", Between::Nearest)
                     .Case("midpoint", Between::Midpoint)
                     .Default(std::nullopt);
  if (!between || !(element.isF32() || element.isF64()))
    return call.refuse("this interpolation or type");
  int64_t dim = 0;
  if (call.isNone("dim") || rankOf(x) == 0)
    x = call.flatten(x);
  else
    dim = call.getDim("dim", rankOf(x));
  Operand given = call.getOperand("q");
  Value q = given.tensor ? call.flatten(call.cast(given.tensor, element))
                         : call.materialize(given, element, call.constant(1));
  if (call.hasFailed())
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t axis = 0; axis < rankOf(x); ++axis)
    if (axis != dim)
      permutation.push_back(axis);
  permutation.push_back(dim);
  x = call.transpose(x, permutation);
  int64_t last = rankOf(x) - 1;
  SizeExpr size = sizesOf(x)[last];
  Value sorted =
      SortOp::create(call.builder, call.location, x.getType(),
                     getTensorType(sizesOf(x), call.builder.getI64Type()), x,
                     last, /*descending=*/false)
          .getValues();
  Value positions = call.binary<MulOp>(q, call.fillSize(size.add(-1), q));
  Value result = pickQuantiles(call, sorted, positions, *between);
  // NaN sorts last.
  Value largest = call.slice(sorted, last, size.add(-1), call.constant(1));
  Sizes front = sizesOf(largest);
  front.pop_back();
  largest = call.broadcast(call.reshape(largest, front), sizesOf(result));
  result = call.select(call.unary<IsNanOp>(largest), largest, result);
  // The dimensions of 1 of keepdim, and that of a q without any, are a view.
  return call.hasFailed() ? failure()
                          : call.replace(call.reshape(
                                result, getSizes(call.getResultType())));
}

namespace {
/// Where the bins of a histogram begin, end, and how wide they are, 0-d.
struct BinRange {
  Value low, high, width;
};
} // namespace

/// The least and the largest of `x`, one to each side of elements that are all
/// equal, 0-d.
static std::pair<Value, Value> getOwnRange(AtenCall &call, Value x) {
  Value least = call.reduce(ReductionKind::Min, x, 0, /*allowEmpty=*/true);
  Value most = call.reduce(ReductionKind::Max, x, 0, /*allowEmpty=*/true);
  Value isOne = call.binary<EqOp>(least, most);
  return {call.select(isOne, call.binary<SubOp>(least, 1.0), least),
          call.select(isOne, call.binary<AddOp>(most, 1.0), most)};
}

/// The range of `bins` bins: the call's, or that of the elements where
/// both ends are the same.
static BinRange getBinRange(AtenCall &call, Value x, int64_t bins) {
  double low = call.getReal("min"), high = call.getReal("max");
  double count = static_cast<double>(bins);
  auto scalar = RankedTensorType::get({}, elementOf(x));
  auto number = [&](double value) {
    return call.fill(call.builder.getF64FloatAttr(value), scalar);
  };
  if (low != high)
    return {number(low), number(high), number((high - low) / count)};
  auto [least, most] = getOwnRange(call, x);
  Value width = call.binary<DivOp>(call.binary<SubOp>(most, least), count);
  return {least, most, width};
}

/// Whether each of `x` is from `low` to `high`, which are 0-d.
static Value isBetween(AtenCall &call, Value x, Value low, Value high) {
  return call.binary<BitwiseAndOp>(
      call.binary<GeOp>(x, call.broadcast(low, sizesOf(x))),
      call.binary<LeOp>(x, call.broadcast(high, sizesOf(x))));
}

/// Replaces the call by how many elements, of those that `areInside`, are in
/// each bin, as numbers of type `element`. `bin` is each element's; the last
/// bin has its end, the one behind it.
static LogicalResult replaceByCounts(AtenCall &call, Value bin, Value areInside,
                                     int64_t bins, Type element) {
  bin = call.binary<MinimumOp>(bin, static_cast<double>(bins - 1));
  // One more bin is for what is outside.
  bin = call.select(areInside, bin, call.fill(static_cast<double>(bins), bin));
  RankedTensorType type = getTensorType(call.constant(bins + 1), element);
  Value one = call.fill(1.0, call.cast(bin, element));
  Value sums =
      IndexPutOp::create(call.builder, call.location, type, CombineKind::Sum,
                         call.fill(call.builder.getI64IntegerAttr(0), type),
                         bin, one, ArrayRef<int64_t>{0});
  return call.replace(
      call.slice(sums, 0, call.constant(0), call.constant(bins)));
}

/// The bins of floats: the number of edges at or before each element.
static LogicalResult countFloats(AtenCall &call, Value x, int64_t bins) {
  BinRange range = getBinRange(call, x, bins);
  // Edges as torch.linspace gives them: the second half from the end.
  Value at = call.cast(call.iota(call.constant(bins + 1), 0), elementOf(x));
  auto along = [&](Value number, Value like) {
    return call.broadcast(number, sizesOf(like));
  };
  Value width = along(range.width, at);
  Value fromLow =
      call.binary<AddOp>(call.binary<MulOp>(at, width), along(range.low, at));
  Value back = call.binary<SubOp>(call.fill(static_cast<double>(bins), at), at);
  Value fromHigh = call.binary<SubOp>(along(range.high, at),
                                      call.binary<MulOp>(back, width));
  Value isFirst = call.binary<LtOp>(at, static_cast<double>((bins + 1) / 2));
  Value edges = call.select(isFirst, fromLow, fromHigh);
  SizeExpr count = sizesOf(x)[0];
  Sizes sizes{count, call.constant(bins + 1)};
  Value isReached = call.binary<LeOp>(call.broadcast(edges, sizes),
                                      call.spreadBack(x, 1, sizes));
  Value bin = call.reduce(ReductionKind::Sum,
                          call.cast(isReached, call.builder.getI64Type()), 1);
  return replaceByCounts(call, call.binary<SubOp>(bin, 1.0),
                         isBetween(call, x, range.low, range.high), bins,
                         elementOf(x));
}

/// The bins of integers, as PyTorch has them on a GPU: the quotient of an
/// element's distance from the first one, times their number, by that of the
/// last one, rounded towards zero.
static LogicalResult countIntegers(AtenCall &call, Value x, int64_t bins) {
  Type element = elementOf(x), i64 = call.builder.getI64Type();
  int64_t first = static_cast<int64_t>(call.getReal("min")),
          last = static_cast<int64_t>(call.getReal("max"));
  x = call.cast(x, i64);
  auto number = [&](int64_t value) {
    return call.fill(call.builder.getI64IntegerAttr(value),
                     RankedTensorType::get({}, i64));
  };
  auto [low, high] = first == last ? getOwnRange(call, x)
                                   : std::pair(number(first), number(last));
  Value distance = call.binary<SubOp>(x, call.broadcast(low, sizesOf(x)));
  Value range = call.broadcast(call.binary<SubOp>(high, low), sizesOf(x));
  Value bin = call.binary<TruncDivOp>(
      call.binary<MulOp>(distance, static_cast<double>(bins)), range);
  return replaceByCounts(call, bin, isBetween(call, x, low, high), bins,
                         element);
}

// Pattern: aten.histc(x, bins, min, max) -> tc.index_put sum of ones, by the
// bin of each element
static LogicalResult convertHistogram(AtenCall &call) {
  Value x = call.flatten(call.widen(call.getTensor("self")));
  int64_t bins = call.getInteger("bins");
  if (call.hasFailed() || bins < 1 ||
      !isa<FloatType, IntegerType>(elementOf(x)))
    return call.hasFailed() ? failure() : call.refuse("these arguments");
  return isa<FloatType>(elementOf(x)) ? countFloats(call, x, bins)
                                      : countIntegers(call, x, bins);
}

void addStatistics(AtenTable &table) {
  table.add({"quantile.default", "quantile.scalar"}, convertQuantile);
  table.add({"histc.default"}, convertHistogram);
}

} // namespace tc::aten
