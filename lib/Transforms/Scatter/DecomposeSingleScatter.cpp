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
static bool isOneOfEachRow(ArrayRef<SizeExprAttr> sizes, Sizes index,
                           unsigned dim) {
  for (auto [at, size] : llvm::enumerate(sizes))
    if (at == dim ? !index[at].isConstant(1) : index[at] != size)
      return false;
  return true;
}

/// `index`, of positions along a dimension of `size` elements. Picking it out
/// of the positions checks that it is one of them.
static Value checkIndex(TensorBuilder &b, Value index, SizeExprAttr size) {
  Type position = b.getBuilder().getI64Type();
  Sizes sizes = TensorBuilder::sizesOf(index);
  SizeExprAttr count = getElementCount(sizes, index.getContext());
  Value positions = b.iota(getTensorType(ArrayRef(size), position), 0);
  Value picked = GatherOp::create(
      b.getBuilder(), b.getLoc(), getTensorType(ArrayRef(count), position),
      positions, b.reshape(index, count), /*dim=*/0);
  return b.reshape(picked, sizes);
}

/// `value` without dimension `dim`, along which it is the same number
/// everywhere: of the broadcast or the constant that it is. Null for others.
static Value dropRepeated(TensorBuilder &b, Value value, int64_t dim) {
  Sizes outer = TensorBuilder::sizesOf(value);
  outer.erase(outer.begin() + dim);
  RankedTensorType type =
      getTensorType(outer, TensorBuilder::typeOf(value).getElementType());
  if (TypedAttr same = getSplatValue(value))
    return FullOp::create(b.getBuilder(), b.getLoc(), type, same);
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  Value x = broadcast.getX();
  SmallVector<int64_t> dims(broadcast.getDims());
  if (auto at = llvm::find(dims, dim); at != dims.end()) {
    Sizes sizes = TensorBuilder::sizesOf(x);
    auto size = sizes.begin() + (at - dims.begin());
    if (!size->isConstant(1))
      return {};
    sizes.erase(size);
    dims.erase(at);
    x = b.reshape(x, sizes);
  }
  for (int64_t &at : dims)
    at -= at > dim;
  return b.broadcast(x, outer, dims);
}

namespace {

// Pattern: tc.reduce sum (tc.mul (tc.scatter replace 0[index] = u), s) over
// rows -> u s + 0 s, of which the second is not a number where s is none or
// infinite
struct FoldSumOfSingleScatter : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto product = op.getX().getDefiningOp<MulOp>();
    if (op.getKind() != ReductionKind::Sum || op.getDims().size() != 1 ||
        !product)
      return rewriter.notifyMatchFailure(op, "no sum of products");
    Value factor = product->getOperand(1);
    auto scatter = product->getOperand(0).getDefiningOp<ScatterOp>();
    if (!scatter) {
      factor = product->getOperand(0);
      scatter = product->getOperand(1).getDefiningOp<ScatterOp>();
    }
    const int64_t dim = op.getDims()[0];
    Type element = TensorBuilder::typeOf(op.getX()).getElementType();
    // What is left of the scatter checks its index.
    if (!scatter || scatter.getCombine() != CombineKind::Replace ||
        int64_t(scatter.getDim()) != dim || product->hasOneUse() ||
        !isa<FloatType>(element) ||
        getSplatValue(scatter.getX()) != getZero(element))
      return rewriter.notifyMatchFailure(op, "no scatter into zeros");
    Sizes sizes = TensorBuilder::sizesOf(scatter.getX());
    if (!isOneOfEachRow(sizes, TensorBuilder::sizesOf(scatter.getIndex()),
                        unsigned(dim)) ||
        sizes[dim].getConstant().value_or(0) < 2)
      return rewriter.notifyMatchFailure(op, "rows are no single elements");
    TensorBuilder b(rewriter, op.getLoc());
    Value row = dropRepeated(b, factor, dim);
    if (!row)
      return rewriter.notifyMatchFailure(op, "the factor varies in a row");
    Value update = b.reshape(scatter.getUpdates(), TensorBuilder::sizesOf(row));
    rewriter.replaceOp(
        op, b.add(b.mul(update, row), b.mul(b.fullLike(0.0, row), row)));
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
