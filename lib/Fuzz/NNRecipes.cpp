//===- NNRecipes.cpp - Norms, softmax, attention, pools -------------------===//

#include "RecipeTable.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

template <typename OpTy> static bool addSoftmax(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(1, 3);
  return s.add<OpTy>(s.operand(element, sizes),
                     uint64_t(s.random.below(sizes.size())));
}

/// A vector of numbers, or nothing.
static Value maybe(Sampler &s, Type element, ArrayRef<SizeExpr> sizes) {
  return s.random.chance(50) ? s.operand(element, sizes) : Value();
}

static FloatAttr eps(Sampler &s) {
  return s.builder.getF64FloatAttr(s.random.chance(50) ? 1e-2 : 1e-5);
}

static bool addLayerNorm(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(1, 3);
  int64_t rank = s.smallSize(sizes.size());
  auto inner = ArrayRef(sizes).take_back(rank);
  Value x = s.operand(element, sizes, /*exact=*/true);
  Value weight = maybe(s, element, inner), bias = maybe(s, element, inner);
  return s.add<LayerNormOp>(x.getType(), x, weight, bias,
                            s.builder.getI64IntegerAttr(rank), eps(s));
}

static bool addRmsNorm(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(1, 3);
  int64_t rank = s.smallSize(sizes.size());
  Value x = s.operand(element, sizes, /*exact=*/true);
  Value weight = maybe(s, element, ArrayRef(sizes).take_back(rank));
  return s.add<RmsNormOp>(x.getType(), x, weight,
                          s.builder.getI64IntegerAttr(rank), eps(s));
}

static bool addGroupNorm(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(2, 4);
  int64_t groups = s.smallSize(3);
  sizes[1] = sizes[1].mul(groups);
  Value x = s.operand(element, sizes, /*exact=*/true);
  Value weight = maybe(s, element, sizes[1]),
        bias = maybe(s, element, sizes[1]);
  return s.add<GroupNormOp>(x.getType(), x, weight, bias,
                            s.builder.getI64IntegerAttr(groups), eps(s));
}

static bool addBatchNorm(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Sizes sizes = s.sizes(2, 4);
  SizeExpr channels = sizes[1];
  Value x = s.operand(element, sizes);
  Value mean = s.operand(element, channels);
  // A variance is not negative.
  Value root = s.operand(element, channels, /*exact=*/true);
  Value variance = MulOp::create(s.builder, s.loc, root, root);
  Value weight = maybe(s, element, channels),
        bias = maybe(s, element, channels);
  return s.add<BatchNormOp>(x.getType(), x, mean, variance, weight, bias,
                            eps(s));
}

namespace {
/// Operands that attention and its gradients have.
struct SampledAttention {
  Value q, k, v, mask;
  FloatAttr scale;
  UnitAttr causal;
  RankedTensorType type, sums; ///< of the result, of the log-sum-exp

  SampledAttention(Sampler &s, Type element);
};
} // namespace

SampledAttention::SampledAttention(Sampler &s, Type element) {
  Sizes batch = s.sizes(0, 2), keyBatch = batch;
  if (!batch.empty() && s.random.chance(40))
    batch.back() = keyBatch.back().mul(2);
  SizeExpr queries = s.size(), keys = s.size(), depth = s.size(),
           valueDepth = s.size();
  auto with = [](Sizes outer, SizeExpr rows, SizeExpr columns) {
    outer.push_back(rows);
    outer.push_back(columns);
    return outer;
  };
  q = s.operand(element, with(batch, queries, depth));
  k = s.operand(element, with(keyBatch, keys, depth));
  if (s.random.chance(40))
    causal = s.builder.getUnitAttr();
  v = s.operand(element, with(keyBatch, keys, valueDepth));
  if (s.random.chance(50))
    mask =
        s.operand(s.random.chance(50) ? s.builder.getI1Type() : element,
                  with(s.random.chance(50) ? batch : Sizes(), queries, keys));
  scale = s.builder.getF64FloatAttr(0.25);
  type = getTensorType(with(batch, queries, valueDepth), element);
  batch.push_back(queries);
  sums = getTensorType(batch, TensorBuilder::getComputeType(element));
}

static bool addAttention(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  SampledAttention a(s, element);
  return s.add<AttentionOp>(a.type, s.random.chance(30) ? a.sums : Type(), a.q,
                            a.k, a.v, a.mask, Value(), Value(), FloatAttr(),
                            a.scale, a.causal);
}

static bool addAttentionBackward(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  SampledAttention a(s, element);
  Value grad = s.operand(element, getSizes(a.type));
  Value sums = AttentionOp::create(s.builder, s.loc, a.type, a.sums, a.q, a.k,
                                   a.v, a.mask, Value(), Value(), FloatAttr(),
                                   a.scale, a.causal)
                   .getLogsumexp();
  return s.add<AttentionBackwardOp>(
      getTensorType(getSizes(cast<RankedTensorType>(a.q.getType())),
                    a.sums.getElementType()),
      a.k.getType(), a.v.getType(), grad, a.q, a.k, a.v, sums,
      s.operand(a.sums.getElementType(), getSizes(a.sums)), a.mask, Value(),
      Value(), FloatAttr(), a.scale, a.causal);
}

namespace {
/// Windows over x: lists of one entry a spatial dimension.
struct Windows {
  SmallVector<int64_t> kernel, stride, padding, dilation;
  Sizes sizes;

  Windows(Sampler &s, bool dilated) {
    for (int64_t rank = s.smallSize(3); rank > 0; --rank) {
      kernel.push_back(s.smallSize(3));
      stride.push_back(s.smallSize(3));
      dilation.push_back(dilated ? s.smallSize(2) : 1);
      padding.push_back(s.random.below(kernel.back() / 2 + 1));
    }
    sizes = s.sizes(2);
    // Spatial sizes that hold a window, whatever the symbols are.
    for (size_t i = 0; i < kernel.size(); ++i)
      sizes.push_back(s.size().add((kernel[i] - 1) * dilation[i] + 1));
  }
};
} // namespace

static bool addMaxPool(Sampler &s) {
  Type element = s.element();
  if (element.isInteger(1))
    return false;
  Windows w(s, /*dilated=*/true);
  return s.add<MaxPoolOp>(s.operand(element, w.sizes, /*exact=*/true),
                          ArrayRef<int64_t>(w.kernel), w.stride, w.padding,
                          w.dilation, s.random.chance(30));
}

static bool addAvgPool(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  Windows w(s, /*dilated=*/false);
  IntegerAttr divisor;
  if (s.random.chance(20))
    divisor = s.builder.getI64IntegerAttr(3);
  return s.add<AvgPoolOp>(s.operand(element, w.sizes),
                          ArrayRef<int64_t>(w.kernel), w.stride, w.padding,
                          s.random.chance(30), s.random.chance(40), divisor);
}

/// x of spatial sizes, and a result of others.
static std::pair<Value, Type> otherSpatialSizes(Sampler &s, Type element) {
  Sizes sizes = s.sizes(2), after = sizes;
  for (int64_t rank = s.smallSize(3); rank > 0; --rank) {
    sizes.push_back(s.size().add(1));
    after.push_back(s.size().add(1));
  }
  return {s.operand(element, sizes), getTensorType(after, element)};
}

static bool addAdaptiveAvgPool(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  auto [x, type] = otherSpatialSizes(s, element);
  return s.add<AdaptiveAvgPoolOp>(type, x);
}

static bool addResample(Sampler &s) {
  Type element = s.element();
  if (!isFloat(element))
    return false;
  auto [x, type] = otherSpatialSizes(s, element);
  auto mode = pick(s, {ResampleMode::Nearest, ResampleMode::Linear});
  bool align = mode == ResampleMode::Linear && s.random.chance(50);
  return s.add<ResampleOp>(type, mode, x, align, DenseF64ArrayAttr());
}

void tc::fuzz::addNNRecipes(RecipeTable &table) {
  addRecipe<SoftmaxOp>(table, addSoftmax<SoftmaxOp>);
  addRecipe<LogSoftmaxOp>(table, addSoftmax<LogSoftmaxOp>);
  addRecipe<LayerNormOp>(table, addLayerNorm);
  addRecipe<RmsNormOp>(table, addRmsNorm);
  addRecipe<GroupNormOp>(table, addGroupNorm);
  addRecipe<BatchNormOp>(table, addBatchNorm);
  addRecipe<AttentionOp>(table, addAttention);
  addRecipe<AttentionBackwardOp>(table, addAttentionBackward);
  addRecipe<MaxPoolOp>(table, addMaxPool);
  addRecipe<AvgPoolOp>(table, addAvgPool);
  addRecipe<AdaptiveAvgPoolOp>(table, addAdaptiveAvgPool);
  addRecipe<ResampleOp>(table, addResample);
}
