//===- DecomposeBatchNorm.cpp - Batch norm as a scale and a shift ---------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEBATCHNORMPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

// Pattern: tc.batch_norm x -> x * (weight * rsqrt(variance + eps)) + (bias -
// mean * scale)
struct DecomposeBatchNorm : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    RankedTensorType type = op.getX().getType();
    Type compute = TensorBuilder::getComputeType(type.getElementType());
    // One scale and one shift a channel: cheap, and of parameters alone.
    Value variance = b.cast(op.getVariance(), compute);
    double eps = op.getEps().convertToDouble();
    Value scale = b.create<RsqrtOp>(b.add(variance, b.fullLike(eps, variance)));
    if (op.getWeight())
      scale = b.mul(b.cast(op.getWeight(), compute), scale);
    Value shift = b.mul(b.cast(op.getMean(), compute), scale);
    shift = op.getBias() ? b.sub(b.cast(op.getBias(), compute), shift)
                         : b.create<NegOp>(shift);
    Sizes sizes = getSizes(type);
    Value result =
        b.mul(b.cast(op.getX(), compute), b.alongDim(scale, sizes, 1));
    result = b.add(result, b.alongDim(shift, sizes, 1));
    rewriter.replaceOp(op, b.cast(result, type.getElementType()));
    return success();
  }
};

class DecomposeBatchNormPass
    : public tc::impl::TCDecomposeBatchNormPassBase<DecomposeBatchNormPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeBatchNorm>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
