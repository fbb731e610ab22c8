//===- Convolutions.cpp - convolutions of 1 to 3 dimensions ---------------===//

#include "AtenTable.h"
#include "Promotion.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

namespace {
struct Window {
  SmallVector<int64_t> stride, padding, dilation, outputPadding;
  int64_t groups = 1;
  bool transposed = false;
};
} // namespace

/// Adds the bias to each channel, which is dimension 1.
static Value addBias(AtenCall &call, Value result, Value bias) {
  if (!bias)
    return result;
  Sizes shape(rankOf(result), call.constant(1));
  shape[1] = sizesOf(bias)[0];
  bias = call.reshape(call.cast(bias, elementOf(result)), shape);
  return call.binary<AddOp>(result, call.broadcast(bias, sizesOf(result)));
}

// Pattern: aten.convolution(x, w, b) -> tc.add (tc.convolution x, w), b
static LogicalResult convolve(AtenCall &call, Value x, const Window &window) {
  Value weight = call.getTensor("weight"), bias = call.getTensor("bias");
  if (call.hasFailed())
    return failure();
  int64_t spatialRank = rankOf(weight) - 2;
  if (spatialRank < 1 || spatialRank > 3 || rankOf(x) > spatialRank + 2 ||
      rankOf(x) < spatialRank + 1)
    return call.refuse("an input of rank " + Twine(rankOf(x)) +
                       " and a weight of rank " + Twine(rankOf(weight)));
  if (!isa<FloatType>(elementOf(weight)))
    return call.refuse("integers or complex numbers");
  if (window.groups != 1 &&
      (!sizesOf(weight)[0].isConstant() || !sizesOf(weight)[1].isConstant()))
    return call.refuse("groups of a symbolic number of channels");
  Sizes resultSizes = getSizes(call.getResultType());
  if (rankOf(x) == spatialRank + 1) { // without a batch
    Sizes sizes = sizesOf(x);
    sizes.insert(sizes.begin(), call.constant(1));
    x = call.reshape(x, sizes);
    resultSizes.insert(resultSizes.begin(), call.constant(1));
  }
  // A guard may be what makes the channels equal.
  Sizes sizes = sizesOf(x), weights = sizesOf(weight);
  SizeExpr channels =
      window.transposed ? weights[0] : weights[1].mul(window.groups);
  if (!sizes[1].isConstant() || !channels.isConstant()) {
    sizes[1] = channels;
    x = call.withSizes(x, sizes);
  }
  Type element = promoteTypes(elementOf(x), elementOf(weight));
  x = call.cast(x, element);
  weight = call.cast(weight, element);
  auto result = ConvolutionOp::create(
      call.builder, call.location, getTensorType(resultSizes, element), x,
      weight, window.stride, window.padding, window.dilation, window.groups,
      window.transposed, window.outputPadding);
  if (failed(inferResultTypes(result)))
    return failure();
  return call.replace(addBias(call, result, bias));
}

static int64_t getSpatialRank(AtenCall &call) {
  return std::max<int64_t>(rankOf(call.getTensor("weight")) - 2, 0);
}

static Window getWindow(AtenCall &call) {
  int64_t rank = getSpatialRank(call);
  Window window;
  window.stride = call.getIntegers("stride", rank);
  window.dilation = call.getIntegers("dilation", rank);
  window.groups = call.getInteger("groups");
  window.padding.resize(rank, 0);
  return window;
}

static LogicalResult convertConv(AtenCall &call) {
  Window window = getWindow(call);
  window.padding = call.getIntegers("padding", getSpatialRank(call));
  return convolve(call, call.getTensor("input"), window);
}

static LogicalResult convertConvolution(AtenCall &call) {
  Window window = getWindow(call);
  int64_t rank = getSpatialRank(call);
  window.padding = call.getIntegers("padding", rank);
  window.transposed = call.getBool("transposed");
  if (window.transposed)
    window.outputPadding = call.getIntegers("output_padding", rank);
  return convolve(call, call.getTensor("input"), window);
}

static LogicalResult convertConvTranspose(AtenCall &call) {
  Window window = getWindow(call);
  int64_t rank = getSpatialRank(call);
  window.padding = call.getIntegers("padding", rank);
  window.outputPadding = call.getIntegers("output_padding", rank);
  window.transposed = true;
  return convolve(call, call.getTensor("input"), window);
}

/// padding='same' adds dilation * (kernel - 1) elements, the odd one at the
/// end.
static LogicalResult convertConvWithMode(AtenCall &call) {
  Window window = getWindow(call);
  StringRef mode = call.getString("padding");
  Value x = call.getTensor("input");
  if (mode != "same" && mode != "valid")
    return call.refuse("padding '" + mode + "'; expected 'same' or 'valid'");
  if (mode == "valid")
    return convolve(call, x, window);
  Sizes kernel = sizesOf(call.getTensor("weight")), sizes = sizesOf(x);
  SmallVector<int64_t> low(sizes.size(), 0), high(sizes.size(), 0);
  bool isEven = true;
  for (size_t i = 0; i < window.padding.size(); ++i) {
    int64_t total =
        window.dilation[i] * (kernel[i + 2].getConstant().value_or(1) - 1);
    window.padding[i] = total / 2;
    isEven &= total % 2 == 0;
    size_t dim = sizes.size() - window.padding.size() + i;
    low[dim] = total / 2;
    high[dim] = total - total / 2;
    sizes[dim] = sizes[dim].add(total);
  }
  if (isEven || call.hasFailed())
    return convolve(call, x, window);
  auto zero = cast<FloatAttr>(
      convertNumber(call.builder.getF64FloatAttr(0.0), elementOf(x)));
  x = PadOp::create(call.builder, call.location,
                    getTensorType(sizes, elementOf(x)), PadMode::Constant, x,
                    low, high, zero);
  llvm::fill(window.padding, 0);
  return convolve(call, x, window);
}

void addConvolutions(AtenTable &table) {
  table.add({"conv1d.default", "conv2d.default", "conv3d.default"},
            convertConv);
  table.add({"conv1d.padding", "conv2d.padding", "conv3d.padding"},
            convertConvWithMode);
  table.add({"convolution.default", "_convolution.default"},
            convertConvolution);
  table.add({"conv_transpose1d.default", "conv_transpose2d.input",
             "conv_transpose3d.input"},
            convertConvTranspose);
}

} // namespace tc::aten
