//===- Shape.cpp - Constants, views and copies to kernels -----------------===//

#include "Elements.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;

namespace {
/// Pattern: tc.full c -> kernel { scalar c; write }
struct FullToKernel : public KernelPattern<FullOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(FullOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "full");
    kernel.write(kernel.scalar(op.getValue()), 0,
                 kernel.dims(kernel.getRank()));
    return kernel.finish();
  }
};

/// Pattern: tc.size_value <e> -> kernel { size_scalar <e>; write }
struct SizeValueToKernel : public KernelPattern<SizeValueOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(SizeValueOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op.getLoc(), "size", Sizes(),
                         TypeRange(op.getType()));
    kernel.write(kernel.size(op.getSize()), 0, {});
    return kernel.finish();
  }
};

/// Pattern: tc.iota -> kernel { index (start + i * step); write }
struct IotaToKernel : public KernelPattern<IotaOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(IotaOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "iota");
    int64_t step = op.getStep(), start = op.getStart();
    kernel.write(kernel.index(kernel.dim(op.getDim()) * step + start), 0,
                 kernel.dims(kernel.getRank()));
    return kernel.finish();
  }
};

/// Pattern: tc.broadcast %x -> kernel { read without the new dims; write }
struct BroadcastToKernel : public KernelPattern<BroadcastOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(BroadcastOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "broadcast");
    SmallVector<AffineExpr> at;
    for (auto [size, dim] :
         llvm::zip_equal(getSizes(op.getX().getType()), op.getDims()))
      at.push_back(size.isConstant(1) ? kernel.constant(0) : kernel.dim(dim));
    kernel.write(kernel.read(op.getX(), at), 0, kernel.dims(kernel.getRank()));
    return kernel.finish();
  }
};

/// Pattern: tc.transpose %x -> kernel { read permuted; write }
struct TransposeToKernel : public KernelPattern<TransposeOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(TransposeOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "transpose");
    SmallVector<AffineExpr> at(kernel.getRank());
    for (auto [index, from] : llvm::enumerate(op.getPermutation()))
      at[from] = kernel.dim(index);
    kernel.write(kernel.read(op.getX(), at), 0, kernel.dims(kernel.getRank()));
    return kernel.finish();
  }
};

/// Pattern: tc.slice %x -> kernel { read at offset + i * stride; write }
struct SliceToKernel : public KernelPattern<SliceOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(SliceOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "slice");
    SmallVector<AffineExpr> at;
    SmallVector<Value> dynamic;
    for (auto [index, offset, stride] :
         llvm::enumerate(op.getOffsets().getSizes(), op.getStrides())) {
      AffineExpr step = kernel.dim(index) * stride;
      if (std::optional<AffineExpr> start = kernel.affine(offset)) {
        at.push_back(*start + step);
        continue;
      }
      // Not affine (a minimum): an index that the body computes.
      at.push_back(kernel.dim(kernel.getRank() + dynamic.size()));
      dynamic.push_back(
          kernel.create<AddOp>(kernel.size(offset), kernel.index(step)));
    }
    kernel.write(kernel.read(op.getX(), at, dynamic), 0,
                 kernel.dims(kernel.getRank()));
    return kernel.finish();
  }
};

/// Pattern: tc.pad %x -> kernel { read within; select; write }
struct PadToKernel : public KernelPattern<PadOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(PadOp op,
                            PatternRewriter &rewriter) const override {
    if (op.getMode() != PadMode::Constant)
      return rewriter.notifyMatchFailure(op, "is not of mode constant");
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "pad");
    Sizes sizes = getSizes(op.getX().getType());
    SmallVector<AffineExpr> at, bounds;
    for (auto [index, low, high, size] :
         llvm::enumerate(op.getLow(), op.getHigh(), sizes)) {
      std::optional<AffineExpr> last = kernel.affine(size);
      if (!last) {
        rewriter.eraseOp(kernel.getKernel());
        return rewriter.notifyMatchFailure(op, kNotAffine);
      }
      AffineExpr position = kernel.dim(index) - low;
      at.push_back(position);
      if (low > 0)
        bounds.push_back(position);
      if (high > 0)
        bounds.push_back(*last - 1 - position);
    }
    std::optional<IntegerSet> within;
    if (!bounds.empty())
      within = kernel.setOf(bounds);
    Value value = kernel.read(op.getX(), at, {}, within);
    kernel.write(fillOutside(op, kernel, value, within), 0,
                 kernel.dims(kernel.getRank()));
    return kernel.finish();
  }

private:
  /// What is read outside is 0 already.
  static Value fillOutside(PadOp op, KernelBuilder &kernel, Value value,
                           std::optional<IntegerSet> within) {
    if (!within || !op.getValue())
      return value;
    TypedAttr fill = *op.getValue();
    if (auto number = dyn_cast<FloatAttr>(fill);
        number && number.getValue().isPosZero())
      return value;
    if (auto number = dyn_cast<IntegerAttr>(fill);
        number && number.getValue().isZero())
      return value;
    return kernel.create<SelectOp>(value.getType(), kernel.within(*within),
                                   value, kernel.scalar(fill));
  }
};

/// Pattern: tc.concat %x, %y -> kernel { read each within; select; write }
struct ConcatToKernel : public KernelPattern<ConcatOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(ConcatOp op,
                            PatternRewriter &rewriter) const override {
    unsigned dim = op.getDim();
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "concat");
    SizeExprAttr start = SizeExprAttr::constant(op.getContext(), 0);
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    Value result;
    // From the first to the last: each later part overrides.
    for (Value input : op.getInputs()) {
      SizeExprAttr size =
          getSizes(cast<RankedTensorType>(input.getType()))[dim];
      std::optional<AffineExpr> first = kernel.affine(start),
                                end = kernel.affine(start.add(size));
      if (!first || !end) {
        rewriter.eraseOp(kernel.getKernel());
        return rewriter.notifyMatchFailure(op, kNotAffine);
      }
      SmallVector<AffineExpr> at = point;
      at[dim] = point[dim] - *first;
      IntegerSet part =
          kernel.setOf({point[dim] - *first, *end - 1 - point[dim]});
      Value value = kernel.read(input, at, {}, part);
      result = result ? kernel.create<SelectOp>(
                            value.getType(),
                            kernel.within(kernel.setOf(point[dim] - *first)),
                            value, result)
                      : value;
      start = start.add(size);
    }
    kernel.write(result, 0, point);
    return kernel.finish();
  }
};
} // namespace

void tc::populateShapeToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<FullToKernel, SizeValueToKernel, IotaToKernel, BroadcastToKernel,
               TransposeToKernel, SliceToKernel, PadToKernel, ConcatToKernel>(
      patterns.getContext());
}
