//===- AttentionBackward.cpp - Gradients of attention to kernels ----------===//

#include "AttentionMask.h"
#include "Dropout.h"
#include "Elements.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;

namespace {
/// Pattern: tc.attention_backward -> kernel { reads; attention_backward_stage;
/// writes }
///
/// The domain has the batch dimensions of the keys, then the heads of a group
/// that share keys, queries, keys, depth and columns.
struct AttentionBackwardToKernel : public KernelPattern<AttentionBackwardOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(AttentionBackwardOp op,
                            PatternRewriter &rewriter) const override {
    if (!op.getGradQ().getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "has sums of f64");
    Sizes q = getSizes(op.getQ().getType()), k = getSizes(op.getK().getType()),
          v = getSizes(op.getV().getType());
    const size_t batches = q.size() - 2;
    std::optional<int64_t> ratio = 1;
    if (batches > 0 && q[batches - 1] != k[batches - 1])
      ratio = q[batches - 1].floorDiv(k[batches - 1]).getConstant();
    if (!ratio)
      return rewriter.notifyMatchFailure(op, "has a symbolic ratio of heads");
    Sizes domain(k.begin(), k.begin() + batches);
    domain.append({SizeExpr::constant(op.getContext(), *ratio), q[batches],
                   k[batches], k[batches + 1], v[batches + 1]});
    KernelBuilder kernel(rewriter, op.getLoc(), "attention_backward", domain,
                         op.getResultTypes());
    SmallVector<AffineExpr> shared = kernel.dims(batches), own = shared;
    const auto group = unsigned(batches), query = group + 1, key = group + 2,
               depth = group + 3, column = group + 4;
    if (*ratio != 1)
      own.back() = own.back() * *ratio + kernel.dim(group);
    auto at = [&](SmallVector<AffineExpr> point, ArrayRef<unsigned> dims) {
      for (unsigned dim : dims)
        point.push_back(kernel.dim(dim));
      return point;
    };
    Value grad = kernel.read(op.getGrad(), at(own, {query, column})),
          queries = kernel.read(op.getQ(), at(own, {query, depth})),
          keys = kernel.read(op.getK(), at(shared, {key, depth})),
          values = kernel.read(op.getV(), at(shared, {key, column})),
          sums = kernel.read(op.getLogsumexp(), at(own, {query})),
          products = kernel.read(op.getProducts(), at(own, {query}));
    Value kept;
    if (op.getDropout())
      kept = buildKept(kernel, op.getSeed(), op.getOffset(), *op.getDropout(),
                       own, ArrayRef(q).take_front(batches), kernel.dim(query),
                       q[batches], kernel.dim(key));
    Value added =
        buildMasked(kernel, /*score=*/Value(), sums.getType(), op.getMask(),
                    op.getCausal(), at(own, {query, key}));
    auto stage = AttentionBackwardStageOp::create(
        kernel.body, op.getLoc(), sums.getType(), keys.getType(),
        values.getType(), grad, queries, keys, values, sums, products, kept,
        added, op.getDropoutAttr(),
        rewriter.getDenseI64ArrayAttr({group, query, key, depth, column}),
        op.getScaleAttr());
    kernel.write(stage.getGradQ(), 0, at(own, {query, depth}));
    kernel.write(stage.getGradK(), 1, at(shared, {key, depth}));
    kernel.write(stage.getGradV(), 2, at(shared, {key, column}));
    return kernel.finish();
  }
};
} // namespace

void tc::populateAttentionBackwardToKernelPatterns(
    RewritePatternSet &patterns) {
  patterns.add<AttentionBackwardToKernel>(patterns.getContext());
}
