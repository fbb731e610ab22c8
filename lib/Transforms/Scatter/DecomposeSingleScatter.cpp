//===- DecomposeSingleScatter.cpp - One place of each row as a choice -----===//
//
// The gradient of a picked class, and a one-hot encoding, put one element into
// each row of an otherwise constant tensor. As a choice of each point between
// the two it is a part of what reads it, and the tensor itself is not written.
//
//===----------------------------------------------------------------------===//

#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSESINGLESCATTERPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether `index` has one element for each row of `sizes` along `dim`.
static bool isOneOfEachRow(ArrayRef<SizeExprAttr> sizes,
                           ArrayRef<SizeExprAttr> index, unsigned dim) {
  for (auto [at, size] : llvm::enumerate(sizes))
    if (at == dim ? !index[at].isConstant(1) : index[at] != size)
      return false;
  return true;
}

/// The elements of `index`, positions along a dimension of `size` elements, in
/// one dimension. Picking them out of the positions checks their range.
static Value checkIndex(TensorBuilder &b, Value index, SizeExprAttr size) {
  Type position = b.getBuilder().getI64Type();
  SizeExprAttr count =
      getElementCount(TensorBuilder::sizesOf(index), index.getContext());
  Value positions = b.iota(getTensorType(ArrayRef(size), position), 0);
  return GatherOp::create(b.getBuilder(), b.getLoc(),
                          getTensorType(ArrayRef(count), position), positions,
                          b.reshape(index, count), /*dim=*/0);
}

namespace {

// Pattern: tc.reduce sum (tc.scatter replace 0[index] = u) over rows, one index
// a row -> u + 0
struct FoldSumOfSingleScatter : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto scatter = op.getX().getDefiningOp<ScatterOp>();
    if (op.getKind() != ReductionKind::Sum || op.getDims().size() != 1 ||
        !scatter || scatter.getCombine() != CombineKind::Replace)
      return rewriter.notifyMatchFailure(op, "no sum of what is scattered");
    Type element = TensorBuilder::typeOf(op.getX()).getElementType();
    Sizes sizes = TensorBuilder::sizesOf(op.getX());
    const auto dim = unsigned(scatter.getDim());
    // What else reads the scatter has it check its index.
    if (int64_t(dim) != op.getDims()[0] || scatter->hasOneUse() ||
        getSplatValue(scatter.getX()) != getZero(element) ||
        !isOneOfEachRow(sizes, TensorBuilder::sizesOf(scatter.getIndex()), dim))
      return rewriter.notifyMatchFailure(op, "rows are no single elements");
    TensorBuilder b(rewriter, op.getLoc());
    Value update =
        b.reshape(scatter.getUpdates(), TensorBuilder::sizesOf(op.getResult()));
    rewriter.replaceOp(op, b.add(update, b.fullLike(0.0, update)));
    return success();
  }
};

// Pattern: tc.scatter replace c[index] = u, one index a row ->
// tc.select (tc.eq positions, index), u, c
struct DecomposeSingleScatter : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    const CombineKind combine = op.getCombine();
    if (combine != CombineKind::Replace && combine != CombineKind::Sum)
      return rewriter.notifyMatchFailure(op, "no replacement and no sum");
    if (!getSplatValue(op.getX()))
      return rewriter.notifyMatchFailure(
          op, "few elements of a tensor in memory are replaced there");
    TensorBuilder b(rewriter, op.getLoc());
    const Sizes sizes = TensorBuilder::sizesOf(op.getX()),
                rows = TensorBuilder::sizesOf(op.getIndex());
    const auto dim = unsigned(op.getDim());
    if (sizes.empty() || !isOneOfEachRow(sizes, rows, dim))
      return rewriter.notifyMatchFailure(op, "no index or several for a row");
    if (sizes[dim].isConstant(0))
      return rewriter.notifyMatchFailure(op, "no element is in range");
    SmallVector<int64_t> kept;
    for (unsigned at = 0; at < sizes.size(); ++at)
      if (at != dim)
        kept.push_back(at);
    Sizes outer(rows);
    outer.erase(outer.begin() + dim);
    auto spread = [&](Value value) {
      return b.broadcast(b.reshape(value, outer), sizes, kept);
    };
    Value index = spread(checkIndex(b, op.getIndex(), sizes[dim]));
    Value here = b.create<EqOp>(
        b.iota(TensorBuilder::typeOf(index), op.getDim()), index);
    Value updates = spread(op.getUpdates());
    if (combine == CombineKind::Sum)
      updates = b.add(op.getX(), updates);
    rewriter.replaceOp(op, b.select(here, updates, op.getX()));
    return success();
  }
};

class DecomposeSingleScatterPass
    : public tc::impl::TCDecomposeSingleScatterPassBase<
          DecomposeSingleScatterPass> {
  void runOnOperation() override {
    RewritePatternSet sums(&getContext()), patterns(&getContext());
    sums.add<FoldSumOfSingleScatter>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(sums));
    patterns.add<DecomposeSingleScatter>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
