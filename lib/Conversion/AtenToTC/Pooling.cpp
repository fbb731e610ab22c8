//===- Pooling.cpp - pooling and resampling -------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// [channels, spatial...] as a batch of one; anything else as it is.
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
template <int64_t spatialRank> LogicalResult convertMaxPool(AtenCall &call) {
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
  if (call.getResultCount() == 1)
    return call.replace(pool.getResult());
  return call.replace({pool.getResult(), pool.getIndices()});
}

// Pattern: aten.avg_pool2d(x, kernel, stride) -> tc.avg_pool x
template <int64_t spatialRank> LogicalResult convertAvgPool(AtenCall &call) {
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
  Value result = AvgPoolOp::create(
      call.builder, call.location,
      getTensorType(getResultSizes(call, spatialRank), elementOf(x)),
      addBatch(call, x, spatialRank), kernel, stride, padding,
      call.getBool("ceil_mode"), !call.getBool("count_include_pad"), divisor);
  return call.replace(result);
}

// Pattern: aten.adaptive_avg_pool2d(x, sizes) -> tc.adaptive_avg_pool x
template <int64_t spatialRank>
LogicalResult convertAdaptiveAvgPool(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!hasPoolingRank(call, x, spatialRank))
    return failure();
  Value result = AdaptiveAvgPoolOp::create(
      call.builder, call.location,
      getTensorType(getResultSizes(call, spatialRank), elementOf(x)),
      addBatch(call, x, spatialRank));
  return call.replace(result);
}

// Pattern: aten.adaptive_max_pool2d(x, sizes) -> tc.max_pool with the divided
// kernel
template <int64_t spatialRank>
LogicalResult convertAdaptiveMaxPool(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!hasPoolingRank(call, x, spatialRank))
    return failure();
  Sizes sizes = getResultSizes(call, spatialRank);
  x = addBatch(call, x, spatialRank);
  SmallVector<int64_t> kernel;
  for (int64_t i = 0; i < spatialRank; ++i) {
    auto from = sizesOf(x)[i + 2].getConstant(),
         to = sizes[i + 2].getConstant();
    if (!from || !to || *to == 0 || *from % *to != 0)
      return call.refuse("an output size that does not divide the input's");
    kernel.push_back(*from / *to);
  }
  SmallVector<int64_t> zeros(spatialRank, 0), ones(spatialRank, 1);
  auto pool = MaxPoolOp::create(call.builder, call.location,
                                getTensorType(sizes, elementOf(x)),
                                getTensorType(sizes, call.builder.getI64Type()),
                                x, kernel, kernel, zeros, ones);
  return call.replace({pool.getResult(), pool.getIndices()});
}

/// The scale of each spatial dimension where the call gives factors.
static DenseF64ArrayAttr getScales(AtenCall &call, int64_t spatialRank) {
  SmallVector<double> scales;
  if (Attribute factors = call.getArgument("scale_factors")) {
    if (auto list = dyn_cast<ArrayAttr>(factors))
      for (Attribute factor : list)
        scales.push_back(
            1.0 /
            cast<FloatAttr>(convertNumber(factor, call.builder.getF64Type()))
                .getValueAsDouble());
  } else {
    for (StringRef name : {"scales_d", "scales_h", "scales_w", "scales"})
      if (call.getArgument(name) && !call.isNone(name))
        scales.push_back(1.0 / call.getReal(name));
  }
  if (static_cast<int64_t>(scales.size()) != spatialRank)
    return DenseF64ArrayAttr();
  return call.builder.getDenseF64ArrayAttr(scales);
}

// Pattern: aten.upsample_nearest2d(x, sizes) -> tc.resample nearest x
template <ResampleMode mode, int64_t spatialRank>
LogicalResult convertUpsample(AtenCall &call) {
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
  constexpr auto nearest = ResampleMode::Nearest, linear = ResampleMode::Linear;
  table.add({"upsample_nearest1d.default", "upsample_nearest1d.vec"},
            convertUpsample<nearest, 1>);
  table.add({"upsample_nearest2d.default", "upsample_nearest2d.vec"},
            convertUpsample<nearest, 2>);
  table.add({"upsample_nearest3d.default", "upsample_nearest3d.vec"},
            convertUpsample<nearest, 3>);
  table.add({"upsample_linear1d.default", "upsample_linear1d.vec"},
            convertUpsample<linear, 1>);
  table.add({"upsample_bilinear2d.default", "upsample_bilinear2d.vec"},
            convertUpsample<linear, 2>);
  table.add({"upsample_trilinear3d.default", "upsample_trilinear3d.vec"},
            convertUpsample<linear, 3>);
}

} // namespace tc::aten
