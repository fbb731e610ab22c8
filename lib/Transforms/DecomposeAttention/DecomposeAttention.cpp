//===- DecomposeAttention.cpp - Attention with dropout by products --------===//

#include "AttentionMatrices.h"
#include "TC/Analysis/TensorCoreAttention.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEATTENTIONPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
// Pattern: tc.attention with dropout -> tc.contract, softmax, tc.select of what
// is kept, tc.contract
struct DecomposeAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDropout() || mayUseTensorCores(op))
      return rewriter.notifyMatchFailure(
          op, "it has no dropout, or is computed tile by tile on tensor cores");
    AttentionMatrices matrices(op, rewriter);
    TensorBuilder &b = matrices.b;
    Value scores = matrices.makeScores(
              matrices.widen(op.getQ()),
              matrices.repeatHeads(matrices.widen(op.getK()))),
          v = matrices.repeatHeads(matrices.widen(op.getV()));
    const int64_t keys = TensorBuilder::typeOf(scores).getRank() - 1;
    // A row whose keys do not count has weights of 0.
    Value largest =
        b.create<ReduceOp>(ReductionKind::Max, scores, ArrayRef<int64_t>(keys),
                           /*allowEmpty=*/true);
    Value lowest =
        b.fullLike(-std::numeric_limits<double>::infinity(), largest);
    largest = b.select(b.create<EqOp>(largest, lowest), b.fullLike(0, largest),
                       largest);
    Value weights = b.create<ExpOp>(b.sub(scores, matrices.alongKeys(largest)));
    Value total = b.reduce(ReductionKind::Sum, weights, keys);
    Value zero = b.fullLike(0, total);
    Value sum =
        b.select(b.create<EqOp>(total, zero), b.fullLike(1, total), total);
    Value shares = b.div(weights, matrices.alongKeys(sum));
    SmallVector<Value> results = {
        b.cast(matrices.contract("qk,kv->qv", matrices.drop(shares), v),
               op.getResult().getType().getElementType())};
    if (op.getLogsumexp())
      results.push_back(b.add(largest, b.create<LogOp>(total)));
    else
      results.push_back(nullptr);
    rewriter.replaceOp(op, results);
    return success();
  }
};

class DecomposeAttentionPass
    : public tc::impl::TCDecomposeAttentionPassBase<DecomposeAttentionPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAttention>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
