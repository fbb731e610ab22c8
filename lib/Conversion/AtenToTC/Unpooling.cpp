//===- Unpooling.cpp - unpooling and gradients of pooling -----------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

// Pattern: aten.max_unpool2d(x, indices, sizes) -> tc.scatter replace into
// zeros, by the place in the image
template <int64_t spatialRank>
static LogicalResult convertMaxUnpool(AtenCall &call) {
  Value x = call.getTensor("self");
  Value indices =
      call.cast(call.getTensor("indices"), call.builder.getI64Type());
  Sizes image = call.getSizeList("output_size"), sizes = sizesOf(x);
  if (call.hasFailed() || rankOf(x) < spatialRank + 1 ||
      static_cast<int64_t>(image.size()) != spatialRank ||
      rankOf(indices) != rankOf(x))
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  Sizes rows(ArrayRef<SizeExpr>(sizes).drop_back(spatialRank)),
      flat = rows, flatImage = rows, whole = rows;
  flat.push_back(getElementCount(
      ArrayRef<SizeExpr>(sizes).take_back(spatialRank), call.getContext()));
  flatImage.push_back(getElementCount(image, call.getContext()));
  whole.append(image);
  RankedTensorType type = getTensorType(flatImage, elementOf(x));
  Value zeros = call.fill(call.builder.getI64IntegerAttr(0), type);
  indices = call.reshape(call.withSizes(indices, sizes), flat);
  Value put = ScatterOp::create(
      call.builder, call.location, type, CombineKind::Replace, zeros, indices,
      call.reshape(x, flat), static_cast<int64_t>(rows.size()));
  return call.replace(call.reshape(put, whole));
}

namespace {
/// The windows of an average along one dimension.
struct AverageWindows {
  SizeExpr in, count;
  int64_t length, stride, padding;
};
} // namespace

/// How many elements each window has: those of x, or those of x and the
/// padding.
static Value countElements(AtenCall &call, const AverageWindows &windows,
                           bool countsPadding, Type element) {
  Value first = call.binary<SubOp>(
      call.binary<MulOp>(call.iota(windows.count, 0),
                         static_cast<double>(windows.stride)),
      static_cast<double>(windows.padding));
  Value end = call.binary<AddOp>(first, static_cast<double>(windows.length));
  int64_t around = countsPadding ? windows.padding : 0;
  end = call.binary<MinimumOp>(end, call.fillSize(windows.in.add(around), end));
  if (!countsPadding)
    first = call.binary<MaximumOp>(first, 0.0);
  return call.cast(call.binary<SubOp>(end, first), element);
}

/// The place of each element of each window in the padded image: [count,
/// length].
static Value getPlaces(AtenCall &call, const AverageWindows &windows) {
  Sizes sizes{windows.count, call.constant(windows.length)};
  return call.binary<AddOp>(
      call.binary<MulOp>(call.iota(sizes, 0),
                         static_cast<double>(windows.stride)),
      call.iota(sizes, 1));
}

/// The sum of the windows that overlap: `parts` has dimensions [...,
/// count, ...], of which `dim` becomes the image's.
static Value spreadWindows(AtenCall &call, Value parts, int64_t dim,
                           const AverageWindows &windows) {
  Sizes sizes = sizesOf(parts);
  sizes.insert(sizes.begin() + dim + 1, call.constant(windows.length));
  parts = call.spreadBack(parts, dim + 1, sizes);
  // Windows of ceil_mode reach less than a stride past the padding.
  Sizes padded = sizesOf(parts);
  padded.erase(padded.begin() + dim + 1);
  padded[dim] = windows.in.add(2 * windows.padding + windows.stride);
  RankedTensorType type = getTensorType(padded, elementOf(parts));
  Value image = IndexPutOp::create(
      call.builder, call.location, type, CombineKind::Sum,
      call.fill(call.builder.getI64IntegerAttr(0), type),
      getPlaces(call, windows), parts, ArrayRef<int64_t>{dim});
  return call.slice(image, dim, call.constant(windows.padding), windows.in);
}

// Pattern: aten.avg_pool2d_backward(g, x, kernel) -> tc.index_put sum of g /
// count, along one dimension after the other
template <int64_t spatialRank>
static LogicalResult convertAvgPoolBackward(AtenCall &call) {
  Value gradient = call.widen(call.getTensor("grad_output")),
        x = call.getTensor("self");
  auto kernel = call.getIntegers("kernel_size", spatialRank),
       padding = call.getIntegers("padding", spatialRank);
  auto stride = call.getIntegers("stride").empty()
                    ? kernel
                    : call.getIntegers("stride", spatialRank);
  bool hasDivisor = !call.isNone("divisor_override");
  bool countsPadding = call.getBool("count_include_pad");
  int64_t first = rankOf(x) - spatialRank;
  if (call.hasFailed() || first < 1 || rankOf(gradient) != rankOf(x))
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  SmallVector<AverageWindows> windows;
  for (int64_t axis = 0; axis < spatialRank; ++axis)
    windows.push_back({sizesOf(x)[first + axis],
                       sizesOf(gradient)[first + axis], kernel[axis],
                       stride[axis], padding[axis]});
  if (hasDivisor)
    gradient = call.binary<DivOp>(
        gradient,
        call.fill(static_cast<double>(call.getInteger("divisor_override")),
                  gradient));
  for (auto [axis, along] : llvm::enumerate(windows)) {
    int64_t dim = first + static_cast<int64_t>(axis);
    if (!hasDivisor) {
      Sizes column(rankOf(gradient), call.constant(1));
      column[dim] = along.count;
      Value counts = call.reshape(
          countElements(call, along, countsPadding, elementOf(gradient)),
          column);
      gradient = call.binary<DivOp>(gradient,
                                    call.broadcast(counts, sizesOf(gradient)));
    }
    gradient = spreadWindows(call, gradient, dim, along);
  }
  return call.hasFailed() ? failure() : call.replace(gradient);
}

void addUnpooling(AtenTable &table) {
  table.add({"max_unpool2d.default"}, convertMaxUnpool<2>);
  table.add({"max_unpool3d.default"}, convertMaxUnpool<3>);
  table.add({"avg_pool2d_backward.default"}, convertAvgPoolBackward<2>);
  table.add({"avg_pool3d_backward.default"}, convertAvgPoolBackward<3>);
}

} // namespace tc::aten
