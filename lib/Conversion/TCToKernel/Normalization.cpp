//===- Normalization.cpp - Softmax and norms to kernels -------------------===//

#include "Elements.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;

/// value * weight + bias, each where present, read at `at`.
static Value scaleAndShift(KernelBuilder &kernel, Value value, Value weight,
                           Value bias, ArrayRef<AffineExpr> at) {
  if (weight)
    value = kernel.create<MulOp>(value, readElement(kernel, weight, at));
  if (bias)
    value = kernel.create<AddOp>(value, readElement(kernel, bias, at));
  return value;
}

/// (value - mean) / sqrt(variance + eps) with both over dimensions `over`.
static Value normalize(KernelBuilder &kernel, Value value,
                       ArrayRef<int64_t> over, double eps) {
  Type type = value.getType();
  Value count = countOf(kernel, over, type);
  Value mean = kernel.create<DivOp>(
      kernel.reduce(ReductionKind::Sum, value, over), count);
  Value deviation = kernel.create<SubOp>(value, mean);
  Value squares = kernel.reduce(
      ReductionKind::Sum, kernel.create<MulOp>(deviation, deviation), over);
  Value variance = kernel.create<DivOp>(squares, count);
  Value scale = kernel.create<RsqrtOp>(
      kernel.create<AddOp>(variance, kernel.scalar(eps, type)));
  return kernel.create<MulOp>(deviation, scale);
}

namespace {
/// Pattern: tc.softmax %x -> kernel { max; exp(x - max); sum; divide }
struct SoftmaxToKernel : public KernelPattern<SoftmaxOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(SoftmaxOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "softmax");
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    int64_t over = op.getDim();
    Value value = readElement(kernel, op.getX(), point);
    Value largest = kernel.reduce(ReductionKind::Max, value, over);
    Value exponential =
        kernel.create<ExpOp>(kernel.create<SubOp>(value, largest));
    Value sum = kernel.reduce(ReductionKind::Sum, exponential, over);
    kernel.write(kernel.create<DivOp>(exponential, sum), 0, point);
    return kernel.finish();
  }
};

/// Pattern: tc.layer_norm %x -> kernel { mean; variance; normalize; scale }
struct LayerNormToKernel : public KernelPattern<LayerNormOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(LayerNormOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "layer_norm");
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    int64_t outer = kernel.getRank() - op.getRank();
    Value value = readElement(kernel, op.getX(), point);
    Value result = normalize(kernel, value, dimRange(outer, op.getRank()),
                             op.getEps().convertToDouble());
    result = scaleAndShift(kernel, result, op.getWeight(), op.getBias(),
                           ArrayRef(point).drop_front(outer));
    kernel.write(result, 0, point);
    return kernel.finish();
  }
};

/// Pattern: tc.rms_norm %x -> kernel { mean square; normalize; scale }
struct RmsNormToKernel : public KernelPattern<RmsNormOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(RmsNormOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "rms_norm");
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    int64_t outer = kernel.getRank() - op.getRank();
    SmallVector<int64_t> over = dimRange(outer, op.getRank());
    Value value = readElement(kernel, op.getX(), point);
    Type type = value.getType();
    Value squares = kernel.reduce(ReductionKind::Sum,
                                  kernel.create<MulOp>(value, value), over);
    Value mean = kernel.create<DivOp>(squares, countOf(kernel, over, type));
    Value eps = kernel.scalar(op.getEps().convertToDouble(), type);
    Value scale = kernel.create<RsqrtOp>(kernel.create<AddOp>(mean, eps));
    Value result = scaleAndShift(kernel, kernel.create<MulOp>(value, scale),
                                 op.getWeight(), nullptr,
                                 ArrayRef(point).drop_front(outer));
    kernel.write(result, 0, point);
    return kernel.finish();
  }
};

} // namespace

void tc::populateNormalizationToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<SoftmaxToKernel, LayerNormToKernel, RmsNormToKernel>(
      patterns.getContext());
}
