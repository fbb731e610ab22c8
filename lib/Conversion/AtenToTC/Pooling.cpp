//===- Pooling.cpp - pooling and resampling -------------------------------===//

#include "AtenTable.h"
#include "Resampling.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// [channels, spatial...] as a batch of one, anything else as it is.
static Value addBatch(AtenCall &call, Value x, int64_t spatialRank) {
  if (rankOf(x) != spatialRank + 1)
    return x;
  Sizes sizes = sizesOf(x);
  sizes.insert(sizes.begin(), call.constant(1));
  return call.reshape(x, sizes);
}

/// The captured sizes of result 0 for an input with a batch.
static Sizes getResultSizes(AtenCall &call, int64_t spatialRank) {
  Sizes sizes = getSizes(call.getResultType());
  if (static_cast<int64_t>(sizes.size()) == spatialRank + 1)
    sizes.insert(sizes.begin(), call.constant(1));
  return sizes;
}

static bool hasPoolingRank(AtenCall &call, Value x, int64_t spatialRank) {
  int64_t rank = rankOf(x);
  if ((rank == spatialRank + 1 || rank == spatialRank + 2) &&
      call.getResultType().getRank() == rank)
    return true;
  (void)call.refuse("an input of rank " + Twine(rank));
  return false;
}

/// The stride, which is the kernel size when it is left empty.
static SmallVector<int64_t> getStride(AtenCall &call,
                                      ArrayRef<int64_t> kernel) {
  if (call.getIntegers("stride").empty())
    return llvm::to_vector(kernel);
  return call.getIntegers("stride", kernel.size());
}

// Pattern: aten.max_pool2d(x, kernel, stride) -> tc.max_pool x
template <int64_t spatialRank>
static LogicalResult convertMaxPool(AtenCall &call) {
  Value x = call.getTensor("self");
  auto kernel = call.getIntegers("kernel_size", spatialRank);
  auto stride = getStride(call, kernel);
  auto padding = call.getIntegers("padding", spatialRank);
  auto dilation = call.getIntegers("dilation", spatialRank);
  if (call.hasFailed() || !hasPoolingRank(call, x, spatialRank))
    return failure();
  Sizes sizes = getResultSizes(call, spatialRank);
  auto pool = MaxPoolOp::create(call.builder, call.location,
                                getTensorType(sizes, elementOf(x)),
                                getTensorType(sizes, call.builder.getI64Type()),
                                addBatch(call, x, spatialRank), kernel, stride,
                                padding, dilation, call.getBool("ceil_mode"));
  if (failed(inferResultTypes(pool)))
    return failure();
  if (call.getResultCount() == 1)
    return call.replace(pool.getResult());
  return call.replace({pool.getResult(), pool.getIndices()});
}

// Pattern: aten.avg_pool2d(x, kernel, stride) -> tc.avg_pool x
template <int64_t spatialRank>
static LogicalResult convertAvgPool(AtenCall &call) {
  Value x = call.getTensor("self");
  auto kernel = call.getIntegers("kernel_size", spatialRank);
  auto stride = getStride(call, kernel);
  auto padding = call.getIntegers("padding", spatialRank);
  IntegerAttr divisor;
  if (call.getArgument("divisor_override") && !call.isNone("divisor_override"))
    divisor =
        call.builder.getI64IntegerAttr(call.getInteger("divisor_override"));
  if (call.hasFailed() || !hasPoolingRank(call, x, spatialRank))
    return failure();
  if (!isa<FloatType>(elementOf(x)))
    return call.refuse("integers");
  auto pool = AvgPoolOp::create(
      call.builder, call.location,
      getTensorType(getResultSizes(call, spatialRank), elementOf(x)),
      addBatch(call, x, spatialRank), kernel, stride, padding,
      call.getBool("ceil_mode"), !call.getBool("count_include_pad"), divisor);
  if (failed(inferResultTypes(pool)))
    return failure();
  return call.replace(pool.getResult());
}

// Pattern: aten.adaptive_avg_pool2d(x, sizes) -> tc.adaptive_avg_pool x
template <int64_t spatialRank>
static LogicalResult convertAdaptiveAvgPool(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!hasPoolingRank(call, x, spatialRank))
    return failure();
  Value result = AdaptiveAvgPoolOp::create(
      call.builder, call.location,
      getTensorType(getResultSizes(call, spatialRank), elementOf(x)),
      addBatch(call, x, spatialRank));
  return call.replace(result);
}

/// The elements of each window of an adaptive pool along one dimension, [count,
/// length]: from floor(i * in / count) to before ceil((i + 1) * in / count).
/// Windows that have less repeat their last.
static Value getAdaptivePlaces(AtenCall &call, int64_t in, int64_t count) {
  int64_t length = (in + count - 1) / count + 1;
  Sizes sizes{call.constant(count), call.constant(length)};
  Value window = call.iota(sizes, 0);
  auto scale = [&](Value index, int64_t more) {
    Value scaled = call.binary<MulOp>(index, static_cast<double>(in));
    return call.binary<FloorDivOp>(
        call.binary<AddOp>(scaled, static_cast<double>(more)),
        static_cast<double>(count));
  };
  // ceil((i + 1) * in / count) - 1
  Value last = call.binary<SubOp>(scale(window, in + count - 1), 1.0);
  return call.binary<MinimumOp>(
      call.binary<AddOp>(scale(window, 0), call.iota(sizes, 1)), last);
}

/// The largest of windows whose sizes differ, and where it is.
static LogicalResult maxOfUnequalWindows(AtenCall &call, Value x,
                                         ArrayRef<SizeExpr> sizes,
                                         int64_t spatialRank) {
  Sizes image(ArrayRef<SizeExpr>(sizesOf(x)).drop_front(2));
  SizeExpr count = getElementCount(image, call.getContext());
  Value place = call.reshape(call.iota(count, 0), image);
  SmallVector<int64_t> order{0, 1}, inside;
  for (int64_t axis = 0; axis < spatialRank; ++axis) {
    int64_t dim = 2 + 2 * axis;
    Value places = getAdaptivePlaces(call, image[axis].getValue(),
                                     sizes[2 + axis].getValue());
    auto take = [&](Value from, int64_t at) {
      Sizes taken = sizesOf(from);
      taken[at] = sizesOf(places)[0];
      taken.insert(taken.begin() + at + 1, sizesOf(places)[1]);
      return IndexOp::create(call.builder, call.location,
                             getTensorType(taken, elementOf(from)), from,
                             places, at)
          .getResult();
    };
    x = take(x, dim);
    place = take(place, dim - 2);
    order.push_back(dim);
    inside.push_back(dim + 1);
  }
  order.append(inside);
  Sizes flat(sizes);
  x = call.transpose(x, order);
  flat.push_back(
      getElementCount(ArrayRef<SizeExpr>(sizesOf(x)).take_back(spatialRank),
                      call.getContext()));
  x = call.reshape(x, flat);
  Value largest = call.reduce(ReductionKind::Max, x, spatialRank + 2);
  if (!call.isResultUsed(1))
    return call.replace({largest, Value()});
  SmallVector<int64_t> placeOrder;
  for (int64_t dim : ArrayRef<int64_t>(order).drop_front(2))
    placeOrder.push_back(dim - 2);
  place = call.transpose(place, placeOrder);
  place = call.broadcast(
      call.reshape(place, ArrayRef<SizeExpr>(flat).drop_front(2)), flat);
  Sizes column(sizes);
  column.push_back(call.constant(1));
  Value first =
      ArgReduceOp::create(call.builder, call.location,
                          getTensorType(sizes, call.builder.getI64Type()),
                          ReductionKind::ArgMax, x, spatialRank + 2);
  Value index = GatherOp::create(call.builder, call.location,
                                 getTensorType(column, elementOf(place)), place,
                                 call.reshape(first, column), spatialRank + 2);
  return call.replace({largest, call.reshape(index, sizes)});
}

// Pattern: aten.adaptive_max_pool2d(x, sizes) -> tc.max_pool with the divided
// kernel, or tc.reduce max of tc.index_tensors where windows differ
template <int64_t spatialRank>
static LogicalResult convertAdaptiveMaxPool(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!hasPoolingRank(call, x, spatialRank))
    return failure();
  Sizes sizes = getResultSizes(call, spatialRank);
  x = addBatch(call, x, spatialRank);
  SmallVector<int64_t> kernel;
  for (int64_t i = 0; i < spatialRank; ++i) {
    auto from = sizesOf(x)[i + 2].getConstant(),
         to = sizes[i + 2].getConstant();
    if (!from || !to || *to == 0)
      return call.refuse("a symbolic size");
    kernel.push_back(*from % *to == 0 ? *from / *to : 0);
  }
  if (llvm::is_contained(kernel, 0))
    return maxOfUnequalWindows(call, x, sizes, spatialRank);
  SmallVector<int64_t> zeros(spatialRank, 0), ones(spatialRank, 1);
  auto pool = MaxPoolOp::create(call.builder, call.location,
                                getTensorType(sizes, elementOf(x)),
                                getTensorType(sizes, call.builder.getI64Type()),
                                x, kernel, kernel, zeros, ones);
  return call.replace({pool.getResult(), pool.getIndices()});
}

// Pattern: aten.upsample_nearest2d(x, sizes) -> tc.resample nearest x
template <ResampleMode mode, int64_t spatialRank>
static LogicalResult convertUpsample(AtenCall &call) {
  Value x = call.getTensor(call.getArgument("input") ? "input" : "self");
  if (!isa<FloatType>(elementOf(x)) || rankOf(x) != spatialRank + 2)
    return call.refuse("an input of this type or rank");
  bool alignCorners =
      call.getArgument("align_corners") && call.getBool("align_corners");
  DenseF64ArrayAttr scales = getScales(call, spatialRank);
  if (call.hasFailed())
    return failure();
  Value result = ResampleOp::create(
      call.builder, call.location,
      getTensorType(getSizes(call.getResultType()), elementOf(x)), mode, x,
      alignCorners, scales);
  return call.replace(result);
}

// Pattern: aten._upsample_nearest_exact2d(x, sizes) -> tc.index_tensors of each
// dimension at floor((i + 0.5) * scale)
template <int64_t spatialRank>
static LogicalResult convertNearestExact(AtenCall &call) {
  Value x = call.getTensor(call.getArgument("input") ? "input" : "self");
  if (rankOf(x) != spatialRank + 2)
    return call.refuse("an input of this rank");
  DenseF64ArrayAttr scales = getScales(call, spatialRank);
  Sizes sizes = sizesOf(x), wanted = getSizes(call.getResultType());
  if (call.hasFailed())
    return failure();
  for (int64_t dim = 2; dim < spatialRank + 2; ++dim) {
    Value at = call.cast(call.iota(wanted[dim], 0), call.builder.getF32Type());
    Value scale = scales ? call.fill(scales[dim - 2], at)
                         : call.binary<DivOp>(call.fillSize(sizes[dim], at),
                                              call.fillSize(wanted[dim], at));
    at = call.unary<FloorOp>(
        call.binary<MulOp>(call.binary<AddOp>(at, 0.5), scale));
    Value index = call.cast(at, call.builder.getI64Type());
    index =
        call.binary<MinimumOp>(index, call.fillSize(sizes[dim].add(-1), index));
    sizes[dim] = wanted[dim];
    x = IndexOp::create(call.builder, call.location,
                        getTensorType(sizes, elementOf(x)), x, index,
                        ArrayRef<int64_t>{dim});
  }
  return call.replace(x);
}

/// x with `size` elements along `dim`, each a sum of four; `scale` is in / out
/// where the call gives it.
static Value resampleCubic(AtenCall &call, Value x, int64_t dim, SizeExpr size,
                           std::optional<double> scale, bool alignCorners) {
  SizeExpr in = sizesOf(x)[dim];
  Value at = call.cast(call.iota(size, 0), elementOf(x)), source;
  if (alignCorners) {
    // Position 0 is all there is where the size is 1.
    Value steps = call.binary<MaximumOp>(call.fillSize(size.add(-1), at), 1.0);
    source = call.binary<MulOp>(
        at, call.binary<DivOp>(call.fillSize(in.add(-1), at), steps));
  } else {
    Value factor = scale ? call.fill(*scale, at)
                         : call.binary<DivOp>(call.fillSize(in, at),
                                              call.fillSize(size, at));
    Value middle = call.binary<MulOp>(call.binary<AddOp>(at, 0.5), factor);
    source = call.binary<SubOp>(middle, 0.5);
  }
  Value first = call.unary<FloorOp>(source);
  SmallVector<Value> weights =
      getCubicWeights(call, call.binary<SubOp>(source, first));
  Value before = call.cast(first, call.builder.getI64Type());
  Sizes sizes = sizesOf(x), column(sizes.size(), call.constant(1));
  sizes[dim] = column[dim] = size;
  Value sum;
  for (auto [tap, weight] : llvm::enumerate(weights)) {
    Value index = call.binary<AddOp>(before, static_cast<double>(tap) - 1);
    index = call.binary<MinimumOp>(call.binary<MaximumOp>(index, 0.0),
                                   call.fillSize(in.add(-1), index));
    Value taken = IndexOp::create(call.builder, call.location,
                                  getTensorType(sizes, elementOf(x)), x, index,
                                  ArrayRef<int64_t>{dim});
    Value part = call.binary<MulOp>(
        taken, call.broadcast(call.reshape(weight, column), sizes));
    sum = sum ? call.binary<AddOp>(sum, part) : part;
  }
  return sum;
}

// Pattern: aten.upsample_bicubic2d(x, sizes) -> sums of tc.index_tensors, along
// the columns and then along the rows
static LogicalResult convertBicubic(AtenCall &call) {
  return resampleColumnsAndRows(call, [&](Value x, int64_t dim, SizeExpr size,
                                          std::optional<double> scale,
                                          bool alignCorners) {
    return resampleCubic(call, x, dim, size, scale, alignCorners);
  });
}

void addPooling(AtenTable &table) {
  table.add({"max_pool1d.default", "max_pool1d_with_indices.default"},
            convertMaxPool<1>);
  table.add({"max_pool2d.default", "max_pool2d_with_indices.default"},
            convertMaxPool<2>);
  table.add({"max_pool3d.default", "max_pool3d_with_indices.default"},
            convertMaxPool<3>);
  table.add({"avg_pool1d.default"}, convertAvgPool<1>);
  table.add({"avg_pool2d.default"}, convertAvgPool<2>);
  table.add({"avg_pool3d.default"}, convertAvgPool<3>);
  table.add({"adaptive_avg_pool1d.default"}, convertAdaptiveAvgPool<1>);
  table.add({"adaptive_avg_pool2d.default", "_adaptive_avg_pool2d.default"},
            convertAdaptiveAvgPool<2>);
  table.add({"adaptive_avg_pool3d.default", "_adaptive_avg_pool3d.default"},
            convertAdaptiveAvgPool<3>);
  table.add({"adaptive_max_pool1d.default"}, convertAdaptiveMaxPool<1>);
  table.add({"adaptive_max_pool2d.default"}, convertAdaptiveMaxPool<2>);
  table.add({"adaptive_max_pool3d.default"}, convertAdaptiveMaxPool<3>);
  constexpr auto nearest = ResampleMode::Nearest, linear = ResampleMode::Linear;
  table.add({"upsample_nearest1d.default", "upsample_nearest1d.vec"},
            convertUpsample<nearest, 1>);
  table.add({"upsample_nearest2d.default", "upsample_nearest2d.vec"},
            convertUpsample<nearest, 2>);
  table.add({"upsample_nearest3d.default", "upsample_nearest3d.vec"},
            convertUpsample<nearest, 3>);
  table.add(
      {"_upsample_nearest_exact1d.default", "_upsample_nearest_exact1d.vec"},
      convertNearestExact<1>);
  table.add(
      {"_upsample_nearest_exact2d.default", "_upsample_nearest_exact2d.vec"},
      convertNearestExact<2>);
  table.add(
      {"_upsample_nearest_exact3d.default", "_upsample_nearest_exact3d.vec"},
      convertNearestExact<3>);
  table.add({"upsample_linear1d.default", "upsample_linear1d.vec"},
            convertUpsample<linear, 1>);
  table.add({"upsample_bilinear2d.default", "upsample_bilinear2d.vec"},
            convertUpsample<linear, 2>);
  table.add({"upsample_bicubic2d.default", "upsample_bicubic2d.vec"},
            convertBicubic);
  table.add({"upsample_trilinear3d.default", "upsample_trilinear3d.vec"},
            convertUpsample<linear, 3>);
}

} // namespace tc::aten
