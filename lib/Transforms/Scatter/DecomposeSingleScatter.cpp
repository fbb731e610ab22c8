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

namespace {

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
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeSingleScatter>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
