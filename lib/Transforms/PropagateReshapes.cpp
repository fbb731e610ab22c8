//===- PropagateReshapes.cpp - Reshapes to where they meet ----------------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPROPAGATERESHAPESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether `product` is a multiple of `factor`, other than itself, in every
/// call.
static bool isMultiple(SizeExpr product, SizeExpr factor) {
  if (std::optional<int64_t> whole = product.getConstant())
    if (std::optional<int64_t> part = factor.getConstant())
      return *part != 0 && *whole > *part && *whole % *part == 0;
  return product != factor && factor.mul(product.floorDiv(factor)) == product;
}

/// For each dimension of `to`, the dimension of `from` that a reshape leaves as
/// it is there, or -1 where dimensions are split or merged. Nothing where the
/// two cannot be matched piece by piece.
static std::optional<SmallVector<int64_t>> matchDims(ArrayRef<SizeExpr> from,
                                                     ArrayRef<SizeExpr> to) {
  SmallVector<int64_t> kept(to.size(), -1);
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    if (from[i] == to[j]) {
      kept[j++] = static_cast<int64_t>(i++);
      continue;
    }
    if (from[i].isConstant(1)) {
      ++i;
      continue;
    }
    if (to[j].isConstant(1)) {
      ++j;
      continue;
    }
    // Multiply the smaller side until both are equal.
    SizeExpr left = from[i++], right = to[j++];
    while (left != right) {
      if (i < from.size() && isMultiple(right, left))
        left = left.mul(from[i++]);
      else if (j < to.size() && isMultiple(left, right))
        right = right.mul(to[j++]);
      else
        return std::nullopt;
    }
  }
  return kept;
}

namespace {

// Pattern: elementwise (tc.reshape x), (tc.reshape y) -> tc.reshape
// (elementwise x, y)
struct MoveBelowElementwise
    : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    ReshapeOp first;
    for (Value operand : op->getOperands())
      if (!first)
        first = operand.getDefiningOp<ReshapeOp>();
    if (!first)
      return rewriter.notifyMatchFailure(op, "no operand is a reshape");
    Sizes from = getSizes(first.getX().getType());
    Sizes to = getSizes(cast<RankedTensorType>(first.getType()));
    std::optional<SmallVector<int64_t>> kept = matchDims(from, to);
    for (Value operand : op->getOperands())
      if (!canUndo(operand, from, kept, op))
        return rewriter.notifyMatchFailure(
            op, "an operand is neither the same reshape for this op alone nor "
                "a repeated value");

    TensorBuilder b(rewriter, op->getLoc());
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, undo(operand, from, kept, b));
    Operation *moved = rewriter.clone(*op, mapping);
    Type elementType = TensorBuilder::typeOf(op->getResult(0)).getElementType();
    moved->getResult(0).setType(getTensorType(from, elementType));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResult(0).getType(),
                                           moved->getResult(0));
    return success();
  }

private:
  using Kept = std::optional<SmallVector<int64_t>>;

  static bool canUndo(Value operand, ArrayRef<SizeExpr> from, const Kept &kept,
                      Operation *user) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>())
      return ArrayRef<SizeExpr>(getSizes(reshape.getX().getType())) == from &&
             llvm::all_of(operand.getUsers(),
                          [&](Operation *other) { return other == user; });
    if (operand.getDefiningOp<FullOp>())
      return true;
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    return broadcast && kept &&
           llvm::all_of(broadcast.getDims(),
                        [&](int64_t dim) { return (*kept)[dim] >= 0; });
  }

  static Value undo(Value operand, ArrayRef<SizeExpr> from, const Kept &kept,
                    TensorBuilder &b) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>())
      return reshape.getX();
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
      SmallVector<int64_t> dims = llvm::map_to_vector(
          broadcast.getDims(), [&](int64_t dim) { return (*kept)[dim]; });
      return b.broadcast(broadcast.getX(), from, dims);
    }
    auto full = operand.getDefiningOp<FullOp>();
    Type elementType = TensorBuilder::typeOf(operand).getElementType();
    return FullOp::create(b.getBuilder(), b.getLoc(),
                          getTensorType(from, elementType), full.getValue());
  }
};

// Pattern: tc.broadcast (tc.reshape x), which adds dimensions of size 1 ->
// tc.broadcast x
struct SkipUnitDims : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "the operand is no reshape");
    Sizes from = getSizes(reshape.getX().getType());
    Sizes to = getSizes(cast<RankedTensorType>(reshape.getType()));
    SmallVector<int64_t> dims;
    for (auto [dim, size] : llvm::enumerate(to)) {
      if (dims.size() < from.size() && size == from[dims.size()])
        dims.push_back(op.getDims()[dim]);
      else if (!size.isConstant(1))
        return rewriter.notifyMatchFailure(
            op, "the reshape does more than add dimensions of size 1");
    }
    if (dims.size() != from.size())
      return rewriter.notifyMatchFailure(op, "the reshape drops a dimension");
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reshape.getX(),
                                             dims);
    return success();
  }
};

// Pattern: tc.reshape (tc.broadcast x) that splits or merges repeated
// dimensions alone -> tc.broadcast x
struct MoveAboveBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "the operand is no broadcast");
    // Where the reshape leaves the broadcast's dimensions.
    std::optional<SmallVector<int64_t>> places =
        matchDims(getSizes(cast<RankedTensorType>(op.getType())),
                  getSizes(op.getX().getType()));
    if (!places || llvm::any_of(broadcast.getDims(), [&](int64_t dim) {
          return (*places)[dim] < 0;
        }))
      return rewriter.notifyMatchFailure(
          op, "a dimension that is not repeated is split or merged");
    SmallVector<int64_t> dims = llvm::map_to_vector(
        broadcast.getDims(), [&](int64_t dim) { return (*places)[dim]; });
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getX(),
                                             dims);
    return success();
  }
};

class PropagateReshapesPass
    : public tc::impl::TCPropagateReshapesPassBase<PropagateReshapesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveBelowElementwise, SkipUnitDims, MoveAboveBroadcast>(
        &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
