//===- Attention.cpp - Scaled dot-product attention to kernels ------------===//

#include "AttentionMask.h"
#include "Dropout.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;

namespace {
/// Pattern: tc.attention %q, %k, %v -> kernel { contract; mask; softmax;
/// contract }
struct AttentionToKernel : public KernelPattern<AttentionOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(AttentionOp op,
                            PatternRewriter &rewriter) const override {
    Sizes q = getSizes(op.getQ().getType()), k = getSizes(op.getK().getType());
    unsigned batches = q.size() - 2;
    FailureOr<int64_t> ratio = getHeadRatio(q, k, batches);
    if (failed(ratio))
      return rewriter.notifyMatchFailure(op, "has a symbolic ratio of heads");
    SmallVector<Value> results;
    for (Type resultType : op.getResultTypes())
      results.push_back(EmptyOp::create(rewriter, op.getLoc(), resultType));
    KernelBuilder kernel(rewriter, op.getLoc(), "attention",
                         getDims(op, batches), results);
    AffineExpr query = kernel.dim(batches), column = kernel.dim(batches + 1),
               key = kernel.dim(batches + 2), depth = kernel.dim(batches + 3);
    int64_t keyDim = batches + 2, depthDim = batches + 3;

    SmallVector<AffineExpr> batch = kernel.dims(batches), shared = batch;
    if (*ratio != 1)
      shared.back() = shared.back().floorDiv(*ratio);
    auto with = [](SmallVector<AffineExpr> dims, AffineExpr a, AffineExpr b) {
      dims.append({a, b});
      return dims;
    };
    Value left = kernel.read(op.getQ(), with(batch, query, depth));
    Value right = kernel.read(op.getK(), with(shared, key, depth));
    Type type = KernelBuilder::getComputeType(left.getType());
    Value score = ContractStageOp::create(kernel.body, op.getLoc(), type, left,
                                          right, depthDim);
    score = kernel.create<MulOp>(
        score, kernel.scalar(op.getScale().convertToDouble(), type));
    score = buildMasked(kernel, score, type, op.getMask(), op.getCausal(),
                        with(batch, query, key));

    auto [weight, sum, largest, total] = exponentials(kernel, score, keyDim);
    if (op.getDropout()) // behind the sum, which is of all weights
      weight = kernel.create<SelectOp>(
          type,
          buildKept(kernel, op.getSeed(), op.getOffset(), *op.getDropout(),
                    batch, ArrayRef(q).take_front(batches), query, q[batches],
                    key),
          weight, kernel.scalar(0.0, type));
    Value value = kernel.read(op.getV(), with(shared, key, column));
    Value result = ContractStageOp::create(kernel.body, op.getLoc(), type,
                                           kernel.cast(weight, value.getType()),
                                           value, keyDim);
    result = kernel.create<DivOp>(result, sum);
    if (op.getDropout())
      result = kernel.create<MulOp>(
          result, kernel.scalar(getKeptFactor(*op.getDropout()), type));
    kernel.write(result, 0, with(batch, query, column));
    if (op.getLogsumexp()) {
      batch.push_back(query);
      kernel.write(kernel.create<AddOp>(largest, kernel.create<LogOp>(total)),
                   1, batch);
    }
    return kernel.finish();
  }

private:
  static FailureOr<int64_t> getHeadRatio(ArrayRef<SizeExprAttr> q,
                                         ArrayRef<SizeExprAttr> k,
                                         unsigned batches) {
    if (batches == 0 || q[batches - 1] == k[batches - 1])
      return 1;
    return q[batches - 1].floorDiv(k[batches - 1]).getConstant().has_value()
               ? FailureOr<int64_t>(
                     *q[batches - 1].floorDiv(k[batches - 1]).getConstant())
               : FailureOr<int64_t>(failure());
  }

  /// Batches, query, value column; reduced: key, depth.
  static SmallVector<DimAttr> getDims(AttentionOp op, unsigned batches) {
    Sizes q = getSizes(op.getQ().getType());
    SmallVector<DimAttr> dims;
    auto add = [&](StringRef name, SizeExprAttr size) {
      dims.push_back(
          DimAttr::get(op.getContext(), name, IteratorKind::Parallel, size));
    };
    for (unsigned index = 0; index < batches; ++index)
      add("b" + std::to_string(index), q[index]);
    add("q", q[batches]);
    add("v", getSizes(op.getV().getType())[batches + 1]);
    add("k", getSizes(op.getK().getType())[batches]);
    add("d", q[batches + 1]);
    return dims;
  }

  /// exp(score - max) and its sum; a row with nothing kept, without keys or
  /// with scores of minus infinity has weights 0 and sum 1, and so gives 0, as
  /// in PyTorch. Behind these what was subtracted, and the sum as it is: 0 of
  /// such a row, so that the logarithm of both is minus infinity.
  static std::tuple<Value, Value, Value, Value>
  exponentials(KernelBuilder &kernel, Value score, int64_t keyDim) {
    Type type = score.getType();
    Value lowest =
        kernel.scalar(-std::numeric_limits<double>::infinity(), type);
    Value zero = kernel.scalar(0.0, type), one = kernel.scalar(1.0, type);
    Value largest = kernel.reduce(ReductionKind::Max, score, keyDim);
    Value isLowest = kernel.create<EqOp>(largest, lowest);
    largest = kernel.create<SelectOp>(type, isLowest, zero, largest);
    Value weight = kernel.create<ExpOp>(kernel.create<SubOp>(score, largest));
    Value total = kernel.reduce(ReductionKind::Sum, weight, keyDim);
    Value isZero = kernel.create<EqOp>(total, zero);
    Value sum = kernel.create<SelectOp>(type, isZero, one, total);
    return {weight, sum, largest, total};
  }
};
} // namespace

void tc::populateAttentionToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<AttentionToKernel>(patterns.getContext());
}
