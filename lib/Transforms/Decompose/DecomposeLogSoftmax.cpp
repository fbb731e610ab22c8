//===- DecomposeLogSoftmax.cpp - Log softmax as reductions and differences ===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSELOGSOFTMAXPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

// Pattern: tc.log_softmax x -> (x - max x) - log (sum (exp (x - max x)))
struct DecomposeLogSoftmax : OpRewritePattern<LogSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    RankedTensorType type = op.getX().getType();
    int64_t dim = op.getDim();
    if (type.getDimSize(dim) == 0) {
      rewriter.replaceOp(op, op.getX()); // no elements
      return success();
    }
    Type compute = TensorBuilder::getComputeType(type.getElementType());
    Sizes sizes = getSizes(type);
    Value x = b.cast(op.getX(), compute);
    Value largest = b.reduce(ReductionKind::Max, x, dim, /*allowEmpty=*/true);
    Value shifted = b.sub(x, b.restoreDims(largest, sizes, dim));
    Value sum = b.reduce(ReductionKind::Sum, b.create<ExpOp>(shifted), dim);
    Value logarithm = b.restoreDims(b.create<LogOp>(sum), sizes, dim);
    rewriter.replaceOp(
        op, b.cast(b.sub(shifted, logarithm), type.getElementType()));
    return success();
  }
};

class DecomposeLogSoftmaxPass
    : public tc::impl::TCDecomposeLogSoftmaxPassBase<DecomposeLogSoftmaxPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeLogSoftmax>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
