//===- Unpooling.cpp - unpooling and gradients of pooling -----------------===//

#include "AtenTable.h"
#include "Windows.h"

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
/// The windows of a pooling along one dimension, in elements of the padded
/// image.
struct PoolWindows : Windows {
  SizeExpr in; ///< size of the image
  int64_t padding;

  /// The size of the padded image. Windows of ceil_mode reach less than a
  /// stride past the padding.
  SizeExpr getPadded() const { return in.add(2 * padding + stride); }
};
} // namespace

/// The windows of `gradient`, of what was pooled from `x` with dimensions of
/// windows last.
static SmallVector<PoolWindows> readPoolWindows(AtenCall &call, Value gradient,
                                                Value x, size_t spatialRank) {
  auto kernel = call.getIntegers("kernel_size", spatialRank),
       padding = call.getIntegers("padding", spatialRank);
  auto stride = call.getIntegers("stride").empty()
                    ? kernel
                    : call.getIntegers("stride", spatialRank);
  SmallVector<int64_t> dilation(spatialRank, 1);
  if (call.getArgument("dilation"))
    dilation = call.getIntegers("dilation", spatialRank);
  int64_t first = rankOf(x) - static_cast<int64_t>(spatialRank);
  SmallVector<PoolWindows> windows;
  if (call.hasFailed() || first < 1 || rankOf(gradient) != rankOf(x)) {
    if (!call.hasFailed())
      (void)call.refuse("these ranks");
    return windows;
  }
  for (size_t axis = 0; axis < spatialRank; ++axis) {
    int64_t dim = first + static_cast<int64_t>(axis);
    windows.push_back(
        {{sizesOf(gradient)[dim], kernel[axis], stride[axis], dilation[axis]},
         sizesOf(x)[dim],
         padding[axis]});
  }
  return windows;
}

/// Each element of `x`, of dimensions [..., count, ...] from `first` on, for
/// all elements of its window: [..., count, length, ...].
static Value repeatInWindows(AtenCall &call, Value x, int64_t first,
                             ArrayRef<PoolWindows> windows) {
  Sizes sizes = sizesOf(x);
  SmallVector<int64_t> inWindow;
  for (auto [axis, along] : llvm::enumerate(windows)) {
    inWindow.push_back(first + 2 * static_cast<int64_t>(axis) + 1);
    sizes.insert(sizes.begin() + inWindow.back(), call.constant(along.length));
  }
  return call.spreadBack(x, inWindow, sizes);
}

/// The sum of the windows that overlap: `parts` has dimensions [..., count,
/// length, ...] from `first` on, each two of which become one of the image.
static Value sumWindows(AtenCall &call, Value parts, int64_t first,
                        ArrayRef<PoolWindows> windows) {
  Sizes sizes = sizesOf(parts);
  Sizes padded(ArrayRef(sizes).take_front(first));
  SmallVector<int64_t> dims;
  for (const PoolWindows &along : windows) {
    dims.push_back(static_cast<int64_t>(padded.size()));
    padded.push_back(along.getPadded());
  }
  llvm::append_range(padded,
                     ArrayRef(sizes).drop_front(first + 2 * windows.size()));
  RankedTensorType type = getTensorType(padded, elementOf(parts));
  Value image = IndexPutOp::create(
      call.builder, call.location, type, CombineKind::Sum,
      call.fill(call.builder.getI64IntegerAttr(0), type),
      getPlaces(call, SmallVector<Windows>(windows)), parts, dims);
  for (auto [dim, along] : llvm::zip_equal(dims, windows))
    image = call.slice(image, dim, call.constant(along.padding), along.in);
  return image;
}

/// How many elements each window has: those of x, or those of x and the
/// padding.
static Value countElements(AtenCall &call, const PoolWindows &windows,
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

/// Whether all sizes are known when compiling.
static bool isStatic(Value x) { return typeOf(x).hasStaticShape(); }

/// Whether each element of the image is in so few windows, as is known, that
/// their sum is one fold. Of many windows, folds along one axis after the other
/// read less.
static bool areFewWindows(Value gradient, ArrayRef<PoolWindows> windows) {
  constexpr int64_t kFew = 16;
  int64_t most = 1;
  for (const PoolWindows &along : windows)
    most *= llvm::divideCeil(along.length, along.stride);
  return isStatic(gradient) && most <= kFew;
}

// Pattern: aten.avg_pool2d_backward(g, x, kernel) -> tc.index_put sum of g /
// count
template <int64_t spatialRank>
static LogicalResult convertAvgPoolBackward(AtenCall &call) {
  Value gradient = call.widen(call.getTensor("grad_output")),
        x = call.getTensor("self");
  SmallVector<PoolWindows> windows =
      readPoolWindows(call, gradient, x, spatialRank);
  bool countsPadding = call.getBool("count_include_pad");
  if (windows.empty())
    return failure();
  const int64_t first = rankOf(x) - spatialRank;
  if (!call.isNone("divisor_override")) {
    gradient = call.binary<DivOp>(
        gradient,
        call.fill(static_cast<double>(call.getInteger("divisor_override")),
                  gradient));
  } else {
    for (auto [axis, along] : llvm::enumerate(windows)) {
      Sizes column(rankOf(gradient), call.constant(1));
      column[first + axis] = along.count;
      Value counts = call.reshape(
          countElements(call, along, countsPadding, elementOf(gradient)),
          column);
      gradient = call.binary<DivOp>(gradient,
                                    call.broadcast(counts, sizesOf(gradient)));
    }
  }
  auto spread = [&](int64_t dim, ArrayRef<PoolWindows> along) {
    gradient = sumWindows(call, repeatInWindows(call, gradient, dim, along),
                          dim, along);
  };
  if (areFewWindows(gradient, windows))
    spread(first, windows);
  else
    for (auto [axis, along] : llvm::enumerate(windows))
      spread(first + static_cast<int64_t>(axis), along);
  return call.hasFailed() ? failure() : call.replace(gradient);
}

/// The gradient of a maximum of each window, added at once where `indices`, the
/// positions in the flattened image, say.
static Value scatterMaxima(AtenCall &call, Value gradient, Value indices,
                           Value x, int64_t spatialRank) {
  auto flatten = [&](Value value) {
    Sizes sizes = sizesOf(value);
    Sizes flat(ArrayRef(sizes).drop_back(spatialRank));
    flat.push_back(getElementCount(ArrayRef(sizes).take_back(spatialRank),
                                   call.getContext()));
    return call.reshape(value, flat);
  };
  Value zeros = call.fill(0.0, flatten(x));
  Value sum = ScatterOp::create(call.builder, call.location, zeros.getType(),
                                CombineKind::Sum, zeros, flatten(indices),
                                flatten(gradient), rankOf(x) - spatialRank);
  return call.reshape(sum, sizesOf(x));
}

/// The same by the windows that an element of the image is in: each gives its
/// gradient where `indices` is that element, so that places are known when
/// compiling, and later phases let each of them sum what it gets.
static Value spreadMaxima(AtenCall &call, Value gradient, Value indices,
                          int64_t first, ArrayRef<PoolWindows> windows) {
  Value flat; // positions in the flattened image
  for (auto [place, along] : llvm::zip_equal(
           getPlaces(call, SmallVector<Windows>(windows)), windows)) {
    Value inImage =
        call.binary<SubOp>(place, static_cast<double>(along.padding));
    if (flat)
      inImage = call.binary<AddOp>(
          call.binary<MulOp>(flat, call.fillSize(along.in, flat)), inImage);
    flat = inImage;
  }
  indices = repeatInWindows(call, indices, first, windows);
  gradient = repeatInWindows(call, gradient, first, windows);
  Value isMaximum =
      call.binary<EqOp>(indices, call.broadcast(flat, sizesOf(indices)));
  Value parts = call.select(isMaximum, gradient, call.fill(0.0, gradient));
  return sumWindows(call, parts, first, windows);
}

// Pattern: aten.max_pool2d_with_indices_backward(g, x, .., indices) ->
// tc.index_put sum of select(indices == position, g, 0), or tc.scatter sum of g
template <int64_t spatialRank>
static LogicalResult convertMaxPoolBackward(AtenCall &call) {
  Value gradient = call.getTensor("grad_output"), x = call.getTensor("self");
  Value indices =
      call.cast(call.getTensor("indices"), call.builder.getI64Type());
  SmallVector<PoolWindows> windows =
      readPoolWindows(call, gradient, x, spatialRank);
  if (windows.empty())
    return failure();
  return call.replace(
      isStatic(x) && isStatic(gradient)
          ? spreadMaxima(call, gradient, indices, rankOf(x) - spatialRank,
                         windows)
          : scatterMaxima(call, gradient, indices, x, spatialRank));
}

void addUnpooling(AtenTable &table) {
  table.add({"max_unpool2d.default"}, convertMaxUnpool<2>);
  table.add({"max_unpool3d.default"}, convertMaxUnpool<3>);
  table.add({"max_pool2d_with_indices_backward.default"},
            convertMaxPoolBackward<2>);
  table.add({"max_pool3d_with_indices_backward.default"},
            convertMaxPoolBackward<3>);
  table.add({"avg_pool2d_backward.default"}, convertAvgPoolBackward<2>);
  table.add({"avg_pool3d_backward.default"}, convertAvgPoolBackward<3>);
}

} // namespace tc::aten
