//===- Factories.cpp - tensors from nothing -------------------------------===//

#include "Factories.h"
#include "Promotion.h"

#include "AtenTable.h"

#include <numbers>

using namespace mlir;
using namespace tc;

namespace tc::aten {

// Pattern: aten.full(sizes, value) -> tc.full value
static LogicalResult convertFull(AtenCall &call) {
  StringRef name = call.getArgument("fill_value") ? "fill_value"
                   : call.getArgument("s")        ? "s"
                                                  : "value";
  return call.replace(call.fill(call.getArgument(name), call.getResultType()));
}

// Pattern: aten.zeros(sizes) -> tc.full 0
template <int64_t number> static LogicalResult convertToNumber(AtenCall &call) {
  return call.replace(
      call.fill(call.builder.getI64IntegerAttr(number), call.getResultType()));
}

// Pattern: aten.fill(x, value), aten.copy(x, y) -> tc.broadcast of the cast
// value
template <bool isCopy> static LogicalResult convertCopy(AtenCall &call) {
  RankedTensorType type = call.getResultType();
  Value value = call.cast(call.getTensor(isCopy ? "src" : "value"),
                          type.getElementType());
  return call.replace(call.broadcast(value, getSizes(type)));
}

/// A number as a 0-d tensor's value: a constant or a size.
static Value spread(AtenCall &call, Attribute number, Value like) {
  return call.fill(number, typeOf(like));
}

// Pattern: aten.arange(start, end, step) -> tc.iota, or start + step * tc.iota
static LogicalResult convertArange(AtenCall &call) {
  RankedTensorType type = call.getResultType();
  if (type.getRank() != 1)
    return call.refuse("a result of rank " + Twine(type.getRank()));
  Builder &builder = call.builder;
  Attribute start = call.getArgument("start"), step = call.getArgument("step");
  start = start ? start : Attribute(builder.getI64IntegerAttr(0));
  step = step ? step : Attribute(builder.getI64IntegerAttr(1));
  // Of integers, PyTorch drops the fractions before it counts.
  auto truncate = [&](Attribute number) -> Attribute {
    return isa<IntegerType>(type.getElementType()) && isa<FloatAttr>(number)
               ? convertNumber(number, builder.getI64Type())
               : number;
  };
  start = truncate(start);
  step = truncate(step);
  auto constantStart = dyn_cast<IntegerAttr>(start),
       constantStep = dyn_cast<IntegerAttr>(step);
  bool isInteger = type.getElementType().isSignlessInteger(64) ||
                   type.getElementType().isSignlessInteger(32);
  if (isInteger && constantStart && constantStep)
    return call.replace(IotaOp::create(call.builder, call.location, type, 0,
                                       constantStart.getInt(),
                                       constantStep.getInt()));
  Value index = call.iota(getSizes(type), 0);
  // PyTorch computes floats in double and rounds once.
  if (isa<FloatType>(type.getElementType()))
    index = call.cast(index, call.builder.getF64Type());
  index = call.binary<MulOp>(index, spread(call, step, index));
  return call.replace(call.binary<AddOp>(index, spread(call, start, index)));
}

// Pattern: aten.linspace(start, end, steps) -> start + i * (end - start) /
// (steps - 1)
static LogicalResult convertLinspace(AtenCall &call) {
  RankedTensorType type = call.getResultType();
  if (type.getRank() != 1)
    return call.refuse("these arguments");
  Sizes sizes = getSizes(type);
  Value index = call.iota(sizes, 0);
  Value position = call.cast(index, call.builder.getF64Type());
  auto bound = [&](StringRef name) {
    return call.materialize(call.getOperand(name), elementOf(position), sizes);
  };
  Value start = bound("start"), end = bound("end");
  if (call.hasFailed())
    return failure();
  // A single element is the start.
  Value last = call.fillSize(sizes[0].add(-1), position);
  Value step = call.binary<DivOp>(call.binary<SubOp>(end, start),
                                  call.binary<MaximumOp>(last, 1.0));
  Value fromStart =
      call.binary<AddOp>(start, call.binary<MulOp>(position, step));
  // The second half counts from the end, so that the end is exact.
  Value back = call.binary<SubOp>(last, position);
  Value fromEnd = call.binary<SubOp>(end, call.binary<MulOp>(back, step));
  Value isFirstHalf =
      call.binary<LtOp>(position, call.binary<MaximumOp>(back, 0.5));
  return call.replace(call.select(isFirstHalf, fromStart, fromEnd));
}

// Pattern: aten.eye(n, m) -> tc.eq of two tc.iota
static LogicalResult convertEye(AtenCall &call) {
  Sizes sizes = getSizes(call.getResultType());
  if (sizes.size() != 2)
    return call.refuse("a result of rank " + Twine(sizes.size()));
  return call.replace(
      call.binary<EqOp>(call.iota(sizes, 0), call.iota(sizes, 1)));
}

std::pair<Value, Value> getTriangle(AtenCall &call, ArrayRef<SizeExpr> matrix,
                                    int64_t offset, bool isLower,
                                    SizeExpr count) {
  Value row = call.flatten(call.iota(matrix, 0)),
        column = call.flatten(call.iota(matrix, 1));
  Value distance = call.binary<SubOp>(column, row);
  Value bound = call.fill(static_cast<double>(offset), distance);
  Value isInside = isLower ? call.binary<LeOp>(distance, bound)
                           : call.binary<GeOp>(distance, bound);
  Value ones = call.cast(isInside, elementOf(row));
  Value place = ScanOp::create(call.builder, call.location, ones.getType(),
                               ReductionKind::Sum, ones, 0);
  // Elements outside go to a place after all others.
  place = call.select(isInside, call.binary<SubOp>(place, 1.0),
                      call.fillSize(count, place));
  RankedTensorType type = getTensorType(count.add(1), elementOf(row));
  auto pack = [&](Value values) {
    Value packed = IndexPutOp::create(
        call.builder, call.location, type, CombineKind::Replace,
        call.fill(call.builder.getI64IntegerAttr(0), type), place, values,
        ArrayRef<int64_t>{0});
    return call.slice(packed, 0, call.constant(0), count);
  };
  return {pack(row), pack(column)};
}

// Pattern: aten.tril_indices(rows, columns) -> tc.iota, packed by tc.index_put
template <bool isLower>
static LogicalResult convertTriangleIndices(AtenCall &call) {
  Sizes matrix{call.getSize("row"), call.getSize("col")};
  int64_t offset = call.getInteger("offset");
  Sizes sizes = getSizes(call.getResultType());
  if (call.hasFailed() || sizes.size() != 2)
    return call.refuse("these arguments");
  auto [row, column] = getTriangle(call, matrix, offset, isLower, sizes[1]);
  Sizes one{call.constant(1), sizes[1]};
  return call.replace(
      call.concat({call.reshape(row, one), call.reshape(column, one)}, 0));
}

// Pattern: aten.empty(sizes) -> tc.full 0
static LogicalResult convertEmpty(AtenCall &call) {
  // Any value will do; a constant one folds away.
  return convertToNumber<0>(call);
}

/// A window of signal processing of `shape`, which is given the points, counted
/// from 0, of the result's element type, and the number of steps between the
/// first and the last. A window of one point is 1 whatever its shape.
static LogicalResult
convertWindow(AtenCall &call,
              function_ref<Value(Value points, double steps)> shape) {
  RankedTensorType type = call.getResultType();
  int64_t length = call.getInteger("window_length");
  bool isPeriodic = !call.hasArgument("periodic") || call.getBool("periodic");
  Value points = call.widen(
      call.cast(call.iota(getSizes(type), 0), type.getElementType()));
  auto steps = static_cast<double>(length > 1 ? length - !isPeriodic : 0);
  if (call.hasFailed())
    return failure();
  if (steps == 0)
    return convertToNumber<1>(call);
  return call.replace(shape(points, steps));
}

/// `height` cos(2 pi `cycles` i / `steps`) of each point i.
static Value getWave(AtenCall &call, Value points, double steps, double cycles,
                     double height) {
  Value angles =
      call.binary<MulOp>(points, 2 * std::numbers::pi * cycles / steps);
  return call.binary<MulOp>(call.unary<CosOp>(angles), height);
}

// Pattern: aten.hann_window(n), aten.hamming_window(n) -> alpha - beta *
// cos(2 pi i / n)
template <bool isHann>
static LogicalResult convertCosineWindow(AtenCall &call) {
  auto getNumber = [&](StringRef name, double otherwise) {
    return call.hasArgument(name) ? call.getReal(name) : otherwise;
  };
  double alpha = getNumber("alpha", isHann ? 0.5 : 0.54),
         beta = getNumber("beta", isHann ? 0.5 : 0.46);
  return convertWindow(call, [&](Value points, double steps) {
    return call.binary<AddOp>(getWave(call, points, steps, 1, -beta), alpha);
  });
}

// Pattern: aten.blackman_window(n) -> 0.42 - 0.5 * cos(2 pi i / n) + 0.08 *
// cos(4 pi i / n)
static LogicalResult convertBlackmanWindow(AtenCall &call) {
  return convertWindow(call, [&](Value points, double steps) {
    Value sum = call.binary<AddOp>(getWave(call, points, steps, 2, 0.08),
                                   getWave(call, points, steps, 1, -0.5));
    return call.binary<AddOp>(sum, 0.42);
  });
}

// Pattern: aten.bartlett_window(n) -> 1 - |2 i / n - 1|
static LogicalResult convertBartlettWindow(AtenCall &call) {
  return convertWindow(call, [&](Value points, double steps) {
    Value rising = call.binary<MulOp>(points, 2 / steps);
    Value falling = call.binary<SubOp>(call.fill(2.0, rising), rising);
    return call.binary<MinimumOp>(rising, falling);
  });
}

void addFactories(AtenTable &table) {
  table.add({"full.default", "full_like.default", "new_full.default",
             "scalar_tensor.default", "fill.Scalar"},
            convertFull);
  table.add({"zeros.default", "zeros_like.default", "new_zeros.default",
             "zero.default"},
            convertToNumber<0>);
  table.add({"ones.default", "ones_like.default", "new_ones.default"},
            convertToNumber<1>);
  table.add({"empty.memory_format", "empty_like.default", "new_empty.default",
             "empty_strided.default", "empty_permuted.default",
             "new_empty_strided.default"},
            convertEmpty);
  table.add({"fill.Tensor"}, convertCopy<false>);
  table.add({"copy.default"}, convertCopy<true>);
  table.add({"arange.default", "arange.start", "arange.start_step"},
            convertArange);
  table.add({"linspace.default", "linspace.Tensor_Tensor",
             "linspace.Tensor_Scalar", "linspace.Scalar_Tensor"},
            convertLinspace);
  table.add({"eye.default", "eye.m"}, convertEye);
  table.add({"hann_window.default", "hann_window.periodic"},
            convertCosineWindow<true>);
  table.add({"hamming_window.default", "hamming_window.periodic",
             "hamming_window.periodic_alpha",
             "hamming_window.periodic_alpha_beta"},
            convertCosineWindow<false>);
  table.add({"blackman_window.default", "blackman_window.periodic"},
            convertBlackmanWindow);
  table.add({"bartlett_window.default", "bartlett_window.periodic"},
            convertBartlettWindow);
  table.add({"tril_indices.default"}, convertTriangleIndices<true>);
  table.add({"triu_indices.default"}, convertTriangleIndices<false>);
}

} // namespace tc::aten
