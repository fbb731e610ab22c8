//===- Normalization.cpp - Softmax and norms to kernels -------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace tc;

/// Softmax or its logarithm: maximum, exponentials, their sum, quotient.
template <typename OpTy>
static KernelOp buildSoftmax(OpTy op, PatternRewriter &rewriter,
                             StringRef name, bool isLogarithm) {
  KernelBuilder kernel(rewriter, op.getLoc(), name, getSizes(op.getType()),
                       TypeRange(op.getType()));
  SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
  int64_t over = op.getDim();
  Value value = readElement(kernel, op.getX(), point);
  Value largest = kernel.reduce(ReductionKind::Max, value, over);
  Value shifted = kernel.create<SubOp>(value, largest);
  Value exponential = kernel.create<ExpOp>(shifted);
  Value sum = kernel.reduce(ReductionKind::Sum, exponential, over);
  Value result =
      isLogarithm ? kernel.create<SubOp>(shifted, kernel.create<LogOp>(sum))
                  : kernel.create<DivOp>(exponential, sum);
  kernel.write(result, 0, point);
  return kernel.finish();
}

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
    return buildSoftmax(op, rewriter, "softmax", /*isLogarithm=*/false);
  }
};

/// Pattern: tc.log_softmax %x -> kernel { max; sum of exp; x - max - log(sum) }
struct LogSoftmaxToKernel : public KernelPattern<LogSoftmaxOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(LogSoftmaxOp op,
                            PatternRewriter &rewriter) const override {
    return buildSoftmax(op, rewriter, "log_softmax", /*isLogarithm=*/true);
  }
};

/// Pattern: tc.layer_norm %x -> kernel { mean; variance; normalize; scale }
struct LayerNormToKernel : public KernelPattern<LayerNormOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(LayerNormOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op.getLoc(), "layer_norm",
                         getSizes(op.getType()), TypeRange(op.getType()));
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
    KernelBuilder kernel(rewriter, op.getLoc(), "rms_norm",
                         getSizes(op.getType()), TypeRange(op.getType()));
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

/// Pattern: tc.group_norm %x -> kernel over [batch, group, channel, spatial]
struct GroupNormToKernel : public KernelPattern<GroupNormOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(GroupNormOp op,
                            PatternRewriter &rewriter) const override {
    Sizes sizes = getSizes(op.getType());
    SizeExprAttr channels = sizes[1].floorDiv(op.getGroups());
    std::optional<int64_t> perGroup = channels.getConstant();
    if (!perGroup)
      return rewriter.notifyMatchFailure(op, "has symbolic channels");
    Sizes domain{sizes[0],
                 SizeExprAttr::constant(op.getContext(), op.getGroups()),
                 channels};
    domain.append(sizes.begin() + 2, sizes.end());
    KernelBuilder kernel(rewriter, op.getLoc(), "group_norm", domain,
                         TypeRange(op.getType()));
    AffineExpr channel = kernel.dim(1) * *perGroup + kernel.dim(2);
    SmallVector<AffineExpr> point{kernel.dim(0), channel};
    for (unsigned dim = 3; dim < kernel.getRank(); ++dim)
      point.push_back(kernel.dim(dim));
    Value value = readElement(kernel, op.getX(), point);
    Value result =
        normalize(kernel, value, dimRange(2, kernel.getRank() - 2),
                  op.getEps().convertToDouble());
    result = scaleAndShift(kernel, result, op.getWeight(), op.getBias(),
                           channel);
    kernel.write(result, 0, point);
    return kernel.finish();
  }
};

/// Pattern: tc.batch_norm %x -> kernel { (x - mean) * rsqrt(var + eps); scale }
struct BatchNormToKernel : public KernelPattern<BatchNormOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(BatchNormOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op.getLoc(), "batch_norm",
                         getSizes(op.getType()), TypeRange(op.getType()));
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    AffineExpr channel = kernel.dim(1);
    Value value = readElement(kernel, op.getX(), point);
    Value mean = readElement(kernel, op.getMean(), channel);
    Value variance = readElement(kernel, op.getVariance(), channel);
    Value eps =
        kernel.scalar(op.getEps().convertToDouble(), variance.getType());
    Value scale = kernel.create<RsqrtOp>(kernel.create<AddOp>(variance, eps));
    Value result =
        kernel.create<MulOp>(kernel.create<SubOp>(value, mean), scale);
    result = scaleAndShift(kernel, result, op.getWeight(), op.getBias(),
                           channel);
    kernel.write(result, 0, point);
    return kernel.finish();
  }
};
} // namespace

void tc::populateNormalizationToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<SoftmaxToKernel, LogSoftmaxToKernel, LayerNormToKernel,
               RmsNormToKernel, GroupNormToKernel, BatchNormToKernel>(
      patterns.getContext());
}
