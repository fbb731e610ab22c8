//===- Backwards.cpp - gradients that the core opset keeps whole ----------===//
//
// `output_mask` says which gradients are wanted; the others are None in
// PyTorch and unused here.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// Whether gradient `index` is asked for and used.
static bool isWanted(AtenCall &call, unsigned index) {
  if (index >= call.getResultCount() || !call.isResultUsed(index))
    return false;
  auto mask = dyn_cast<ArrayAttr>(call.getArgument("output_mask"));
  auto flag = mask && index < mask.size() ? dyn_cast<IntegerAttr>(mask[index])
                                          : IntegerAttr();
  return !flag || !flag.getValue().isZero();
}

/// The dimensions of [batch, channels, spatial...] but the channels.
static SmallVector<int64_t> getDimsButChannels(int64_t rank) {
  SmallVector<int64_t> dims{0};
  for (int64_t dim = 2; dim < rank; ++dim)
    dims.push_back(dim);
  return dims;
}

/// The gradient of x of y = (x - mean) * rstd, from that of y, over `dims`:
/// rstd * (g - mean(g) - y * mean(g * y)).
static Value normBackward(AtenCall &call, Value gradient, Value normalized,
                          Value rstd, ArrayRef<int64_t> dims) {
  Sizes sizes = sizesOf(gradient);
  Value meanGradient = call.spreadBack(call.mean(gradient, dims), dims, sizes);
  Value product = call.binary<MulOp>(gradient, normalized);
  Value meanProduct = call.spreadBack(call.mean(product, dims), dims, sizes);
  Value inner = call.binary<SubOp>(gradient, meanGradient);
  inner =
      call.binary<SubOp>(inner, call.binary<MulOp>(normalized, meanProduct));
  return call.binary<MulOp>(rstd, inner);
}

// Pattern: aten.native_layer_norm_backward(g, x, shape, mean, rstd, w) ->
// tc.reduce and arithmetic
static LogicalResult convertLayerNormBackward(AtenCall &call) {
  Value gradient = call.widen(call.getTensor("grad_out"));
  Value x = call.widen(call.getTensor("input"));
  Sizes sizes = sizesOf(x);
  int64_t rank = rankOf(x), count = call.getSizeList("normalized_shape").size();
  if (count < 1 || count > rank)
    return call.refuse("a normalized_shape of " + Twine(count) + " sizes");
  auto inner = llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
  auto outer = llvm::to_vector(llvm::seq<int64_t>(0, rank - count));
  auto spread = [&](StringRef name) {
    Value value = call.cast(call.getTensor(name), elementOf(x));
    Sizes outerSizes = withoutDims(sizes, inner);
    return call.spreadBack(call.reshape(value, outerSizes), inner, sizes);
  };
  Value rstd = spread("rstd");
  Value normalized =
      call.binary<MulOp>(call.binary<SubOp>(x, spread("mean")), rstd);
  Value results[3];
  if (isWanted(call, 0)) {
    Value scaled = gradient;
    if (Value weight = call.getTensor("weight"))
      scaled = call.binary<MulOp>(
          gradient, call.broadcast(call.cast(weight, elementOf(x)), sizes));
    results[0] = normBackward(call, scaled, normalized, rstd, inner);
  }
  if (isWanted(call, 1))
    results[1] = call.reduce(ReductionKind::Sum,
                             call.binary<MulOp>(gradient, normalized), outer);
  if (isWanted(call, 2))
    results[2] = call.reduce(ReductionKind::Sum, gradient, outer);
  return call.replace(results);
}

// Pattern: aten.native_group_norm_backward(g, x, mean, rstd, w, n, c, hw,
// groups) -> tc.reduce and arithmetic
static LogicalResult convertGroupNormBackward(AtenCall &call) {
  Value gradient = call.widen(call.getTensor("grad_out"));
  Value x = call.widen(call.getTensor("input"));
  Sizes sizes = sizesOf(x);
  SizeExpr batch = call.getSize("N"), channels = call.getSize("C"),
           pixels = call.getSize("HxW"),
           groups = call.constant(call.getInteger("group"));
  if (call.hasFailed() || groups.isConstant(0))
    return failure();
  Sizes grouped{batch, groups, channels.floorDiv(groups), pixels};
  Sizes flat{batch, channels, pixels};
  auto spread = [&](StringRef name) {
    Value value = call.cast(call.getTensor(name), elementOf(x));
    return call.spreadBack(call.reshape(value, {batch, groups}), {2, 3},
                           grouped);
  };
  Value rstd = spread("rstd");
  Value normalized = call.binary<MulOp>(
      call.binary<SubOp>(call.reshape(x, grouped), spread("mean")), rstd);
  Value results[3];
  if (isWanted(call, 0)) {
    Value scaled = call.reshape(gradient, flat);
    if (Value weight = call.getTensor("weight"))
      scaled = call.binary<MulOp>(
          scaled,
          call.spreadBack(call.cast(weight, elementOf(x)), {0, 2}, flat));
    results[0] = call.reshape(normBackward(call, call.reshape(scaled, grouped),
                                           normalized, rstd, {2, 3}),
                              sizes);
  }
  Value flatGradient = call.reshape(gradient, flat);
  if (isWanted(call, 1))
    results[1] = call.reduce(
        ReductionKind::Sum,
        call.binary<MulOp>(flatGradient, call.reshape(normalized, flat)),
        {0, 2});
  if (isWanted(call, 2))
    results[2] = call.reduce(ReductionKind::Sum, flatGradient, {0, 2});
  return call.replace(results);
}

// Pattern: aten.embedding_dense_backward(g, indices) -> tc.index_put sum into
// zeros
static LogicalResult convertEmbeddingBackward(AtenCall &call) {
  Value gradient = call.getTensor("grad_output");
  Value indices =
      call.cast(call.getTensor("indices"), call.builder.getI64Type());
  if (call.getBool("scale_grad_by_freq"))
    return call.refuse("scale_grad_by_freq");
  int64_t padding = call.getInteger("padding_idx");
  Type element = elementOf(gradient);
  gradient = call.widen(gradient);
  if (padding >= 0) {
    Value isPadding = call.binary<EqOp>(indices, static_cast<double>(padding));
    isPadding =
        call.spreadBack(isPadding, rankOf(gradient) - 1, sizesOf(gradient));
    gradient = call.select(isPadding, call.fill(0.0, gradient), gradient);
  }
  RankedTensorType type =
      withElementType(call.getResultType(), elementOf(gradient));
  Value zeros = call.fill(call.builder.getF64FloatAttr(0.0), type);
  if (call.hasFailed())
    return failure();
  Value sum =
      IndexPutOp::create(call.builder, call.location, type, CombineKind::Sum,
                         zeros, indices, gradient, ArrayRef<int64_t>{0});
  return call.replace(call.cast(sum, element));
}

namespace {
struct Window {
  SmallVector<int64_t> stride, padding, dilation;
  int64_t groups = 1;
};
} // namespace

/// How many elements along a spatial dimension, of x or of its padding, the
/// windows of a convolution reach: the stride may leave some over behind them.
static SizeExpr countReached(SizeExpr outputs, SizeExpr kernel,
                             const Window &window, size_t i) {
  return outputs.add(-1)
      .mul(window.stride[i])
      .add(kernel.add(-1).mul(window.dilation[i]))
      .add(1);
}

/// The gradient of a convolution's input: the transposed convolution. Where it
/// is not known what the stride leaves over, the most that it can is computed,
/// and cut off.
static Value inputGradient(AtenCall &call, Value gradient, Value x,
                           Value weight, const Window &window) {
  SmallVector<int64_t> outputPadding;
  Sizes sizes{sizesOf(x)[0], sizesOf(x)[1]};
  for (size_t i = 0; i < window.stride.size(); ++i) {
    SizeExpr reached = countReached(sizesOf(gradient)[i + 2],
                                    sizesOf(weight)[i + 2], window, i)
                           .add(-2 * window.padding[i]);
    auto left = sizesOf(x)[i + 2].sub(reached).getConstant();
    outputPadding.push_back(left ? *left : window.stride[i] - 1);
    sizes.push_back(reached.add(outputPadding.back()));
  }
  Value result = ConvolutionOp::create(
      call.builder, call.location, getTensorType(sizes, elementOf(x)), gradient,
      weight, window.stride, window.padding, window.dilation, window.groups,
      /*transposed=*/true, outputPadding);
  for (size_t dim = 2; dim < sizes.size(); ++dim)
    if (sizes[dim] != sizesOf(x)[dim])
      result = call.slice(result, dim, call.constant(0), sizesOf(x)[dim]);
  return result;
}

/// x with its padding and without what the stride leaves over of both, where it
/// leaves something; `window` has no padding then.
static Value padToReached(AtenCall &call, Value gradient, Value x, Value weight,
                          Window &window) {
  int64_t rank = rankOf(x);
  Sizes reached = sizesOf(x), padded = sizesOf(x);
  SmallVector<int64_t> padding(rank, 0);
  for (int64_t dim = 2; dim < rank; ++dim) {
    int64_t i = dim - 2;
    padding[dim] = window.padding[i];
    padded[dim] = padded[dim].add(2 * window.padding[i]);
    reached[dim] =
        countReached(sizesOf(gradient)[dim], sizesOf(weight)[dim], window, i);
  }
  if (reached == padded)
    return x;
  window.padding.assign(rank - 2, 0);
  if (padded != sizesOf(x))
    x = PadOp::create(call.builder, call.location,
                      getTensorType(padded, elementOf(x)), PadMode::Constant, x,
                      padding, padding, call.builder.getZeroAttr(elementOf(x)));
  for (int64_t dim = 2; dim < rank; ++dim)
    x = call.slice(x, dim, call.constant(0), reached[dim]);
  return x;
}

/// The gradient of the weight: x convolved with the gradient, where batch and
/// channels have changed places and stride and dilation too.
static Value weightGradient(AtenCall &call, Value gradient, Value x,
                            Value weight, Window window) {
  int64_t rank = rankOf(x);
  x = padToReached(call, gradient, x, weight, window);
  Sizes sizes = sizesOf(x);
  SizeExpr groups = call.constant(window.groups);
  // [n, g c, ...] -> [c, g n, ...]
  Sizes split{sizes[0], groups, sizes[1].floorDiv(groups)};
  split.append(sizes.begin() + 2, sizes.end());
  SmallVector<int64_t> order{2, 1, 0};
  for (int64_t dim = 3; dim <= rank; ++dim)
    order.push_back(dim);
  Sizes swapped{split[2], groups.mul(sizes[0])};
  swapped.append(sizes.begin() + 2, sizes.end());
  Value input =
      call.reshape(call.transpose(call.reshape(x, split), order), swapped);
  SmallVector<int64_t> swap{1, 0};
  for (int64_t dim = 2; dim < rank; ++dim)
    swap.push_back(dim);
  Value kernel = call.transpose(gradient, swap);
  Sizes resultSizes{swapped[0], sizesOf(gradient)[1]};
  for (int64_t dim = 2; dim < rank; ++dim)
    resultSizes.push_back(sizesOf(weight)[dim]);
  Value result = ConvolutionOp::create(
      call.builder, call.location, getTensorType(resultSizes, elementOf(x)),
      input, kernel, window.dilation, window.padding, window.stride,
      window.groups);
  return call.transpose(result, swap);
}

// Pattern: aten.convolution_backward(g, x, w) -> tc.convolution for each
// gradient
static LogicalResult convertConvolutionBackward(AtenCall &call) {
  Value gradient = call.getTensor("grad_output"), x = call.getTensor("input"),
        weight = call.getTensor("weight");
  int64_t rank = rankOf(weight) - 2;
  if (call.getBool("transposed") || rank < 1 || rankOf(x) != rank + 2)
    return call.refuse("a transposed convolution, or no batch");
  Window window{call.getIntegers("stride", rank),
                call.getIntegers("padding", rank),
                call.getIntegers("dilation", rank), call.getInteger("groups")};
  if (call.hasFailed() || window.groups < 1)
    return failure();
  Value results[3];
  if (isWanted(call, 0))
    results[0] = inputGradient(call, gradient, x, weight, window);
  if (isWanted(call, 1))
    results[1] = weightGradient(call, gradient, x, weight, window);
  if (isWanted(call, 2))
    results[2] =
        call.reduce(ReductionKind::Sum, gradient, getDimsButChannels(rank + 2));
  return call.replace(results);
}

// Pattern: aten._adaptive_avg_pool2d_backward(g, x) -> tc.broadcast of g /
// window
static LogicalResult convertAdaptiveAvgPoolBackward(AtenCall &call) {
  Value gradient = call.getTensor("grad_output"), x = call.getTensor("self");
  int64_t rank = rankOf(x);
  Sizes sizes = sizesOf(x), from = sizesOf(gradient), split, spread;
  if (rank < 3)
    return call.refuse("a tensor of rank " + Twine(rank));
  double count = 1.0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    split.push_back(from[dim]);
    spread.push_back(from[dim]);
    if (dim < rank - 2)
      continue;
    auto whole = sizes[dim].getConstant(), parts = from[dim].getConstant();
    if (!whole || !parts || *parts == 0 || *whole % *parts != 0)
      return call.refuse("windows that overlap or differ in size");
    count *= static_cast<double>(*whole / *parts);
    split.push_back(call.constant(1));
    spread.push_back(call.constant(*whole / *parts));
  }
  Value scaled = call.binary<DivOp>(gradient, count);
  return call.replace(
      call.reshape(call.broadcast(call.reshape(scaled, split), spread), sizes));
}

void addBackwards(AtenTable &table) {
  table.add({"native_layer_norm_backward.default"}, convertLayerNormBackward);
  table.add({"native_group_norm_backward.default"}, convertGroupNormBackward);
  table.add({"embedding_dense_backward.default"}, convertEmbeddingBackward);
  table.add({"convolution_backward.default"}, convertConvolutionBackward);
  table.add({"_adaptive_avg_pool2d_backward.default"},
            convertAdaptiveAvgPoolBackward);
}

} // namespace tc::aten
