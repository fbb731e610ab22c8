//===- Pool.cpp - Pooling to kernels --------------------------------------===//

#include "Elements.h"
#include "Patterns.h"
#include <limits>

using namespace mlir;
using namespace tc;

namespace {
/// A pooling's domain: batch, channel, output points; reduced: window points.
struct PoolDomain {
  unsigned spatial;
  Sizes sizes;

  PoolDomain(RankedTensorType result, ArrayRef<int64_t> window)
      : spatial(window.size()), sizes(getSizes(result)) {
    for (int64_t size : window)
      sizes.push_back(SizeExprAttr::constant(result.getContext(), size));
  }
  unsigned point(unsigned index) const { return 2 + index; }
  unsigned tap(unsigned index) const { return 2 + spatial + index; }
  SmallVector<int64_t> reduced() const { return dimRange(tap(0), spatial); }
};

/// Where a window's points lie in the input.
struct PoolWindow {
  SmallVector<AffineExpr> at, inside;

  static FailureOr<PoolWindow> get(KernelBuilder &kernel,
                                   const PoolDomain &domain, RankedTensorType x,
                                   ArrayRef<int64_t> stride,
                                   ArrayRef<int64_t> padding,
                                   ArrayRef<int64_t> dilation) {
    PoolWindow window;
    window.at = kernel.dims(2);
    for (unsigned index = 0; index < domain.spatial; ++index) {
      std::optional<AffineExpr> size = kernel.affine(getSizes(x)[2 + index]);
      if (!size)
        return failure();
      AffineExpr position = kernel.dim(domain.point(index)) * stride[index] +
                            kernel.dim(domain.tap(index)) * dilation[index] -
                            padding[index];
      window.at.push_back(position);
      window.inside.append({position, *size - 1 - position});
    }
    return window;
  }
};

/// Pattern: tc.max_pool %x -> kernel { read within; select; reduce_stage; write
/// }
struct MaxPoolToKernel : public OpRewritePattern<MaxPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaxPoolOp op,
                                PatternRewriter &rewriter) const override {
    PoolDomain domain(cast<RankedTensorType>(op.getResult().getType()),
                      op.getKernel());
    bool needsIndices = !op.getIndices().use_empty();
    SmallVector<Type> types{op.getResult().getType()};
    if (needsIndices)
      types.push_back(op.getIndices().getType());
    KernelBuilder kernel(rewriter, op.getLoc(), "max_pool", domain.sizes,
                         types);
    FailureOr<PoolWindow> window =
        PoolWindow::get(kernel, domain, op.getX().getType(), op.getStride(),
                        op.getPadding(), op.getDilation());
    if (failed(window)) {
      rewriter.eraseOp(kernel.getKernel());
      return rewriter.notifyMatchFailure(op, kNotAffine);
    }
    IntegerSet inside = kernel.setOf(window->inside);
    Value value = kernel.readForCompute(op.getX(), window->at, {}, inside);
    value = kernel.create<SelectOp>(value.getType(), kernel.within(inside),
                                    value, lowest(kernel, value.getType()));
    SmallVector<AffineExpr> point = kernel.dims(2 + domain.spatial);
    if (!needsIndices) {
      kernel.write(kernel.reduce(ReductionKind::Max, value, domain.reduced()),
                   0, point);
      rewriter.replaceAllUsesWith(op.getResult(), kernel.finish().getResult(0));
      rewriter.eraseOp(op);
      return success();
    }
    Value largest = kernel.reduce(ReductionKind::Max, value, domain.reduced());
    Value tap = findTap(kernel, domain, value, largest, inside);
    kernel.write(largest, 0, point);
    kernel.write(flatIndex(op, kernel, domain, tap), 1, point);
    rewriter.replaceOp(op, kernel.finish().getResults());
    return success();
  }

private:
  /// The first window point inside x that holds `largest`, or the last NaN, as
  /// PyTorch. Padding, though as low as any number, is not taken for one.
  static Value findTap(KernelBuilder &kernel, const PoolDomain &domain,
                       Value value, Value largest, IntegerSet inside) {
    Value holds = kernel.create<BitwiseAndOp>(
        kernel.create<EqOp>(value, largest), kernel.within(inside));
    AffineExpr number = kernel.constant(0);
    for (unsigned index = 0; index < domain.spatial; ++index) {
      int64_t size = *domain.sizes[domain.tap(index)].getConstant();
      number = number * size + kernel.dim(domain.tap(index));
    }
    Value position = kernel.index(number);
    Value none = kernel.scalar(double(1 << 30), position.getType());
    Value candidate =
        kernel.create<SelectOp>(position.getType(), holds, position, none);
    if (!isa<FloatType>(value.getType()))
      return kernel.reduce(ReductionKind::Min, candidate, domain.reduced());
    // A NaN's position counts down from -1: below all numbers', last first.
    candidate = kernel.create<SelectOp>(
        position.getType(), kernel.create<IsNanOp>(value),
        kernel.create<BitwiseNotOp>(position), candidate);
    Value tap = kernel.reduce(ReductionKind::Min, candidate, domain.reduced());
    Value isNan =
        kernel.create<LtOp>(tap, kernel.scalar(0.0, position.getType()));
    return kernel.create<SelectOp>(position.getType(), isNan,
                                   kernel.create<BitwiseNotOp>(tap), tap);
  }

  static Value lowest(KernelBuilder &kernel, Type type) {
    if (isa<FloatType>(type))
      return kernel.scalar(-std::numeric_limits<double>::infinity(), type);
    unsigned bits = type.getIntOrFloatBitWidth();
    llvm::APInt value = type.isUnsignedInteger()
                            ? llvm::APInt::getMinValue(bits)
                            : llvm::APInt::getSignedMinValue(bits);
    return kernel.scalar(cast<TypedAttr>(IntegerAttr::get(type, value)));
  }

  /// The input's flattened spatial index of window point `tap`.
  static Value flatIndex(MaxPoolOp op, KernelBuilder &kernel,
                         const PoolDomain &domain, Value tap) {
    Type type = tap.getType();
    Sizes sizes = getSizes(op.getX().getType());
    SmallVector<Value> positions(domain.spatial);
    for (unsigned index = domain.spatial; index-- > 0;) {
      Value window = kernel.scalar(double(op.getKernel()[index]), type);
      Value offset = index ? kernel.create<RemainderOp>(tap, window) : tap;
      Value dilated = kernel.create<MulOp>(
          offset, kernel.scalar(double(op.getDilation()[index]), type));
      Value start =
          kernel.index(kernel.dim(domain.point(index)) * op.getStride()[index] -
                       op.getPadding()[index]);
      positions[index] = kernel.create<AddOp>(start, dilated);
      tap = kernel.create<FloorDivOp>(tap, window);
    }
    Value flat = positions.front();
    for (unsigned index = 1; index < domain.spatial; ++index)
      flat = kernel.create<AddOp>(
          kernel.create<MulOp>(flat, kernel.size(sizes[2 + index])),
          positions[index]);
    return flat;
  }
};

/// Pattern: tc.avg_pool %x -> kernel { read within; sum; divide; write }
struct AvgPoolToKernel : public KernelPattern<AvgPoolOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(AvgPoolOp op,
                            PatternRewriter &rewriter) const override {
    PoolDomain domain(op.getType(), op.getKernel());
    KernelBuilder kernel(rewriter, op.getLoc(), "avg_pool", domain.sizes,
                         TypeRange(op.getType()));
    SmallVector<int64_t> dilation(domain.spatial, 1);
    FailureOr<PoolWindow> window =
        PoolWindow::get(kernel, domain, op.getX().getType(), op.getStride(),
                        op.getPadding(), dilation);
    if (failed(window)) {
      rewriter.eraseOp(kernel.getKernel());
      return rewriter.notifyMatchFailure(op, kNotAffine);
    }
    Value value = kernel.readForCompute(op.getX(), window->at, {},
                                        kernel.setOf(window->inside));
    Value sum = kernel.reduce(ReductionKind::Sum, value, domain.reduced());
    Value divisor = getDivisor(op, kernel, domain, sum.getType());
    kernel.write(kernel.create<DivOp>(sum, divisor), 0,
                 kernel.dims(2 + domain.spatial));
    return kernel.finish();
  }

private:
  /// How many elements a window counts: `divisor`, or the points that lie in
  /// the input, or in the input and its padding.
  static Value getDivisor(AvgPoolOp op, KernelBuilder &kernel,
                          const PoolDomain &domain, Type type) {
    if (op.getDivisor())
      return kernel.scalar(double(int64_t(*op.getDivisor())), type);
    if (!op.getExcludePadding() && !op.getCeilMode()) {
      double count = 1;
      for (int64_t size : op.getKernel())
        count *= double(size);
      return kernel.scalar(count, type);
    }
    Value count;
    for (unsigned index = 0; index < domain.spatial; ++index) {
      int64_t padding = op.getPadding()[index];
      AffineExpr first =
          kernel.dim(domain.point(index)) * op.getStride()[index] - padding;
      Value start = kernel.index(first);
      Value end = kernel.index(first + op.getKernel()[index]);
      Value limit = kernel.size(getSizes(op.getX().getType())[2 + index]);
      if (op.getExcludePadding())
        start = kernel.create<MaximumOp>(start,
                                         kernel.scalar(0.0, start.getType()));
      else
        limit = kernel.create<AddOp>(
            limit, kernel.scalar(double(padding), limit.getType()));
      Value length =
          kernel.create<SubOp>(kernel.create<MinimumOp>(end, limit), start);
      count = count ? kernel.create<MulOp>(count, length) : length;
    }
    return kernel.cast(count, type);
  }
};
} // namespace

void tc::populatePoolToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<MaxPoolToKernel, AvgPoolToKernel>(patterns.getContext());
}
