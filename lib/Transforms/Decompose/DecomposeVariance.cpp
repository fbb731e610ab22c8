//===- DecomposeVariance.cpp - Variance as sums ---------------------------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEVARIANCEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

// Pattern: tc.variance x -> sum ((x - mean x)^2) / max(0, count - correction)
struct DecomposeVariance : OpRewritePattern<VarianceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(VarianceOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    RankedTensorType type = op.getX().getType();
    Type compute = TensorBuilder::getComputeType(type.getElementType());
    ArrayRef<int64_t> dims = op.getDims();
    Sizes sizes = getSizes(type);
    Value x = b.cast(op.getX(), compute);
    // The mean first: the sum of squares less the square of the sum cancels.
    Value deviation = b.sub(x, b.restoreDims(b.mean(x, dims), sizes, dims));
    Value squares =
        b.reduce(ReductionKind::Sum, b.mul(deviation, deviation), dims);
    rewriter.replaceOp(op, b.cast(b.div(squares, getDivisor(op, b, squares)),
                                  type.getElementType()));
    return success();
  }

private:
  /// max(0, count - correction), of the type of `like`.
  static Value getDivisor(VarianceOp op, TensorBuilder &b, Value like) {
    SizeExpr count = SizeExpr::constant(op.getContext(), 1);
    Sizes sizes = getSizes(op.getX().getType());
    for (int64_t dim : op.getDims())
      count = count.mul(sizes[dim]);
    double correction = op.getCorrection().convertToDouble();
    if (std::optional<int64_t> constant = count.getConstant())
      return b.fullLike(
          std::max(0.0, static_cast<double>(*constant) - correction), like);
    Value difference = b.sub(b.fullOfSize(count, TensorBuilder::typeOf(like)),
                             b.fullLike(correction, like));
    return b.create<MaximumOp>(difference, b.fullLike(0.0, like));
  }
};

class DecomposeVariancePass
    : public tc::impl::TCDecomposeVariancePassBase<DecomposeVariancePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeVariance>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
