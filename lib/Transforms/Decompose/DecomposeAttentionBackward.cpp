//===- DecomposeAttentionBackward.cpp - Gradients by products -------------===//
//
// What later phases compute tile by tile stays whole: the weights, of which
// there is one for each query and key, are in no memory then.
//
//===----------------------------------------------------------------------===//

#include "TC/Transforms/DecomposeAttentionBackward.h"
#include "TC/Analysis/TensorCoreAttentionBackward.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEATTENTIONBACKWARDPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// The decomposition of one op, in the type that it computes in.
class Decomposition {
public:
  Decomposition(AttentionBackwardOp op, OpBuilder &builder);
  SmallVector<Value> run();

private:
  /// Sizes behind those of the batch.
  Sizes with(ArrayRef<SizeExpr> inner) const {
    Sizes sizes = batch;
    llvm::append_range(sizes, inner);
    return sizes;
  }
  Value widen(Value x) { return b.cast(x, compute); }
  Value contract(StringRef spec, Value x, Value y);
  Value repeatHeads(Value x);
  Value addHeads(Value x, RankedTensorType type);
  Value alongKeys(Value x);
  Value mask(Value scores);

  AttentionBackwardOp op;
  TensorBuilder b;
  Type compute;
  Sizes batch;
  SizeExpr queries, keys;
};
} // namespace

Decomposition::Decomposition(AttentionBackwardOp op, OpBuilder &builder)
    : op(op), b(builder, op.getLoc()),
      compute(
          TensorBuilder::getComputeType(op.getQ().getType().getElementType())) {
  batch = getSizes(op.getQ().getType());
  queries = batch[batch.size() - 2];
  batch.truncate(batch.size() - 2);
  keys = getSizes(op.getK().getType())[batch.size()];
}

/// The product by `spec`, such as "qd,kd->qk", for each point of the batch.
Value Decomposition::contract(StringRef spec, Value x, Value y) {
  std::string labels, whole;
  for (size_t dim = 0; dim < batch.size(); ++dim)
    labels += char('A' + dim);
  auto [operands, result] = spec.split("->");
  auto [lhs, rhs] = operands.split(',');
  whole = (labels + lhs + "," + labels + rhs + "->" + labels + result).str();
  return b.create<ContractOp>(StringRef(whole), x, y);
}

/// The keys or values `x` of every head of the queries.
Value Decomposition::repeatHeads(Value x) {
  Sizes sizes = TensorBuilder::sizesOf(x);
  if (batch.empty() || sizes[batch.size() - 1] == batch.back())
    return x;
  const size_t heads = batch.size() - 1;
  Sizes repeated = sizes;
  repeated.insert(repeated.begin() + heads + 1,
                  batch.back().floorDiv(sizes[heads]));
  SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    dims.push_back(int64_t(dim + (dim > heads)));
  sizes[heads] = batch.back();
  return b.reshape(b.broadcast(x, repeated, dims), sizes);
}

/// The sums of `x`, of every head of the queries, over those that share the
/// heads of `type`; as `type`.
Value Decomposition::addHeads(Value x, RankedTensorType type) {
  Sizes sizes = getSizes(type);
  if (TensorBuilder::sizesOf(x) != sizes) {
    const size_t heads = batch.size() - 1;
    Sizes grouped = sizes;
    grouped.insert(grouped.begin() + heads + 1,
                   batch.back().floorDiv(sizes[heads]));
    x = b.reduce(ReductionKind::Sum, b.reshape(x, grouped), int64_t(heads + 1));
  }
  return b.cast(x, type.getElementType());
}

/// Numbers of the queries for all of their keys.
Value Decomposition::alongKeys(Value x) {
  return b.restoreDims(x, with({queries, keys}), int64_t(batch.size() + 1));
}

/// The scores where a key counts, minus infinity elsewhere.
Value Decomposition::mask(Value scores) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  Sizes sizes = with({queries, keys});
  const auto rank = int64_t(sizes.size());
  if (Value mask = op.getMask()) {
    RankedTensorType type = TensorBuilder::typeOf(mask);
    SmallVector<int64_t> dims;
    for (int64_t dim = rank - type.getRank(); dim < rank; ++dim)
      dims.push_back(dim);
    bool isTruth = type.getElementType().isInteger(1);
    mask = b.broadcast(isTruth ? mask : widen(mask), sizes, dims);
    scores = isTruth ? b.select(mask, scores, b.fullLike(kLowest, scores))
                     : b.add(scores, mask);
  }
  if (!op.getCausal())
    return scores;
  RankedTensorType positions =
      tc::getTensorType(sizes, IntegerType::get(op.getContext(), 64));
  Value counts =
      b.create<GeOp>(b.iota(positions, rank - 2), b.iota(positions, rank - 1));
  return b.select(counts, scores, b.fullLike(kLowest, scores));
}

SmallVector<Value> Decomposition::run() {
  Value q = widen(op.getQ()), grad = widen(op.getGrad()),
        k = repeatHeads(widen(op.getK())), v = repeatHeads(widen(op.getV())),
        sums = widen(op.getLogsumexp());
  Value scores = contract("qd,kd->qk", q, k);
  auto scaled = [&](Value x) {
    return b.mul(x, b.fullLike(op.getScale().convertToDouble(), x));
  };
  scores = mask(scaled(scores));
  // Of a query whose keys do not count -inf is not subtracted from itself.
  Value lowest = b.fullLike(-std::numeric_limits<double>::infinity(), sums);
  sums = b.select(b.create<EqOp>(sums, lowest), b.fullLike(0, sums), sums);
  Value weights = b.create<ExpOp>(b.sub(scores, alongKeys(sums)));
  Value products = widen(op.getProducts());
  Value ofWeights = contract("qv,kv->qk", grad, v);
  Value ofScores = b.mul(weights, b.sub(ofWeights, alongKeys(products)));
  return {
      b.cast(scaled(contract("qk,kd->qd", ofScores, k)),
             op.getGradQ().getType().getElementType()),
      addHeads(scaled(contract("qk,qd->kd", ofScores, q)),
               op.getGradK().getType()),
      addHeads(contract("qk,qv->kv", weights, grad), op.getGradV().getType())};
}

SmallVector<Value> tc::decomposeAttentionBackward(AttentionBackwardOp op,
                                                  OpBuilder &builder) {
  return Decomposition(op, builder).run();
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
