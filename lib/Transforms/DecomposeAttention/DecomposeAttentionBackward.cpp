//===- DecomposeAttentionBackward.cpp - Gradients by products -------------===//
//
// What later phases compute tile by tile stays whole: the weights, of which
// there is one for each query and key, are in no memory then.
//
//===----------------------------------------------------------------------===//

#include "TC/Transforms/DecomposeAttentionBackward.h"
#include "AttentionMatrices.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Analysis/TensorCoreAttentionBackward.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEATTENTIONBACKWARDPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

SmallVector<Value> tc::decomposeAttentionBackward(AttentionBackwardOp op,
                                                  OpBuilder &builder) {
  AttentionMatrices matrices(op, builder);
  TensorBuilder &b = matrices.b;
  auto widen = [&](Value x) { return matrices.widen(x); };
  Value q = widen(op.getQ()), grad = widen(op.getGrad()),
        k = matrices.repeatHeads(widen(op.getK())),
        v = matrices.repeatHeads(widen(op.getV())),
        sums = widen(op.getLogsumexp());
  Value scores = matrices.makeScores(q, k);
  // Of a query whose keys do not count -inf is not subtracted from itself.
  Value lowest = b.fullLike(-std::numeric_limits<double>::infinity(), sums);
  sums = b.select(b.create<EqOp>(sums, lowest), b.fullLike(0, sums), sums);
  Value weights = b.create<ExpOp>(b.sub(scores, matrices.alongKeys(sums)));
  Value products = widen(op.getProducts());
  Value ofWeights = matrices.drop(matrices.contract("qv,kv->qk", grad, v));
  Value ofScores =
      b.mul(weights, b.sub(ofWeights, matrices.alongKeys(products)));
  // Tensor cores multiply two matrices of the inputs' type, in f32.
  Type narrow = op.getQ().getType().getElementType();
  const bool hasTensorCores = MachineModel::get(op).hasWarpProducts &&
                              (narrow.isBF16() || narrow.isF16());
  auto multiply = [&](StringRef spec, Value x, Value y) {
    if (!hasTensorCores)
      return matrices.contract(spec, x, widen(y));
    return widen(matrices.contract(spec, b.cast(x, narrow), y));
  };
  return {b.cast(matrices.scaled(multiply("qk,kd->qd", ofScores,
                                          matrices.repeatHeads(op.getK()))),
                 op.getGradQ().getType().getElementType()),
          matrices.addHeads(
              matrices.scaled(multiply("qk,qd->kd", ofScores, op.getQ())),
              op.getGradK().getType()),
          matrices.addHeads(
              multiply("qk,qv->kv", matrices.drop(weights), op.getGrad()),
              op.getGradV().getType())};
}

namespace {
// Pattern: tc.attention_backward -> tc.contract of the weights, their gradients
// and what is multiplied by them
struct DecomposeAttentionBackward : OpRewritePattern<AttentionBackwardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionBackwardOp op,
                                PatternRewriter &rewriter) const override {
    if (mayUseTensorCores(op))
      return rewriter.notifyMatchFailure(
          op, "it is computed tile by tile on tensor cores");
    rewriter.replaceOp(op, decomposeAttentionBackward(op, rewriter));
    return success();
  }
};

class DecomposeAttentionBackwardPass
    : public tc::impl::TCDecomposeAttentionBackwardPassBase<
          DecomposeAttentionBackwardPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAttentionBackward>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
