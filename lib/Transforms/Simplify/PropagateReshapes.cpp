//===- PropagateReshapes.cpp - Reshapes to where they meet ----------------===//

#include "GreedyPatterns.h"
#include "ReshapeParts.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPROPAGATERESHAPESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// For each dimension of `to`, the dimension of `from` that a reshape leaves as
/// it is there, or -1 where dimensions are split or merged. Nothing where the
/// two cannot be matched part by part.
static std::optional<SmallVector<int64_t>> matchDims(ArrayRef<SizeExpr> from,
                                                     ArrayRef<SizeExpr> to) {
  auto parts = matchReshape(from, to);
  if (!parts)
    return std::nullopt;
  SmallVector<int64_t> kept(to.size(), -1);
  for (const ReshapePart &part : *parts)
    if (part.keepsDim())
      kept[part.to.begin] = static_cast<int64_t>(part.from.begin);
  return kept;
}

/// How a reshape rearranges dimensions.
struct Rearrangement {
  Sizes from, to;
  /// See matchDims.
  std::optional<SmallVector<int64_t>> kept;

  explicit Rearrangement(ReshapeOp op)
      : from(getSizes(op.getX().getType())),
        to(getSizes(cast<RankedTensorType>(op.getType()))),
        kept(matchDims(from, to)) {}

  bool keeps(int64_t dim) const { return kept && (*kept)[dim] >= 0; }
  bool keeps(ArrayRef<int64_t> dims) const {
    return llvm::all_of(dims, [&](int64_t dim) { return keeps(dim); });
  }
  /// Places before the reshape of dimensions that it keeps.
  SmallVector<int64_t> before(ArrayRef<int64_t> dims) const {
    return llvm::map_to_vector(dims, [&](int64_t dim) { return (*kept)[dim]; });
  }
  /// Whether it splits dimensions and leaves the last one alone: without it
  /// there are fewer loops, and rows are the same.
  bool splitsRows() const {
    return from.size() < to.size() && !from.empty() && keeps(to.size() - 1) &&
           kept->back() == static_cast<int64_t>(from.size()) - 1;
  }
};

namespace {

// Pattern: elementwise (tc.reshape x), (tc.reshape y) -> tc.reshape
// (elementwise x, y) Pattern: elementwise (tc.reshape x), y -> tc.reshape
// (elementwise x, (tc.reshape y)) if x is computed, of fewer dimensions and the
// same rows
struct MoveBelowElementwise
    : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    ReshapeOp reshape;
    for (Value operand : op->getOperands())
      if (auto candidate = operand.getDefiningOp<ReshapeOp>();
          candidate && (!reshape || isWorthReshaping(candidate)))
        reshape = candidate;
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "no operand is a reshape");
    Rearrangement rearrangement(reshape);
    bool mayReshape = isWorthReshaping(reshape);
    for (Value operand : op->getOperands())
      if (!canUndo(operand, rearrangement, mayReshape))
        return rewriter.notifyMatchFailure(
            op, "an operand is neither the same reshape nor a repeated value");

    TensorBuilder b(rewriter, op->getLoc());
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, undo(operand, rearrangement, b));
    Operation *moved = rewriter.clone(*op, mapping);
    Type elementType = TensorBuilder::typeOf(op->getResult(0)).getElementType();
    moved->getResult(0).setType(getTensorType(rearrangement.from, elementType));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResult(0).getType(),
                                           moved->getResult(0));
    return success();
  }

private:
  /// Whether other operands should be reshaped to what this is a reshape of.
  static bool isWorthReshaping(ReshapeOp op) {
    Operation *producer = op.getX().getDefiningOp();
    return producer && !isa<ParameterOp>(producer) &&
           Rearrangement(op).splitsRows();
  }

  static bool canUndo(Value operand, const Rearrangement &rearrangement,
                      bool mayReshape) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>())
      if (getSizes(reshape.getX().getType()) == rearrangement.from)
        return true;
    if (operand.getDefiningOp<FullOp>())
      return true;
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return rearrangement.keeps(broadcast.getDims());
    return mayReshape;
  }

  static Value undo(Value operand, const Rearrangement &rearrangement,
                    TensorBuilder &b) {
    if (auto reshape = operand.getDefiningOp<ReshapeOp>())
      if (getSizes(reshape.getX().getType()) == rearrangement.from)
        return reshape.getX();
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return b.broadcast(broadcast.getX(), rearrangement.from,
                         rearrangement.before(broadcast.getDims()));
    auto full = operand.getDefiningOp<FullOp>();
    if (!full)
      return b.reshape(operand, rearrangement.from);
    Type elementType = TensorBuilder::typeOf(operand).getElementType();
    return FullOp::create(b.getBuilder(), b.getLoc(),
                          getTensorType(rearrangement.from, elementType),
                          full.getValue());
  }
};

/// Replaces an op on rows of a reshape by the reshape of that op on rows of its
/// operand.
LogicalResult moveBelow(Operation *op, ReshapeOp reshape,
                        PatternRewriter &rewriter) {
  IRMapping mapping;
  mapping.map(reshape.getResult(), reshape.getX());
  Operation *moved = rewriter.clone(*op, mapping);
  moved->getResult(0).setType(reshape.getX().getType());
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op->getResult(0).getType(),
                                         moved->getResult(0));
  return success();
}

// Pattern: tc.layer_norm or tc.rms_norm (tc.reshape x) -> tc.reshape (the norm
// of x), which has fewer dimensions and the same rows
template <typename OpTy> struct MoveBelowNorm : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getX().template getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "the operand is no reshape");
    Rearrangement rearrangement(reshape);
    int64_t rank = op.getRank();
    bool keepsRows = rearrangement.splitsRows() &&
                     rank < static_cast<int64_t>(rearrangement.from.size());
    for (int64_t back = 1; keepsRows && back <= rank; ++back)
      keepsRows = rearrangement.keeps(rearrangement.to.size() - back);
    if (!keepsRows)
      return rewriter.notifyMatchFailure(
          op, "the reshape does not just split what counts the rows");
    return moveBelow(op, reshape, rewriter);
  }
};

// Pattern: tc.softmax (tc.reshape x) -> tc.reshape (tc.softmax x), which has
// fewer dimensions and the same rows
struct MoveBelowSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "the operand is no reshape");
    Rearrangement rearrangement(reshape);
    int64_t dim = op.getDim();
    if (dim + 1 != static_cast<int64_t>(rearrangement.to.size()) ||
        !rearrangement.splitsRows())
      return rewriter.notifyMatchFailure(
          op, "the reshape does not just split what counts the rows");
    auto moved = SoftmaxOp::create(
        rewriter, op.getLoc(), reshape.getX().getType(), reshape.getX(),
        rewriter.getI64IntegerAttr(rearrangement.from.size() - 1));
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), moved);
    return success();
  }
};

// Pattern: tc.reduce (tc.reshape x) -> tc.reshape (tc.reduce x) over dimensions
// that the reshape keeps
struct MoveBelowReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getX().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "the operand is no reshape");
    Rearrangement rearrangement(reshape);
    if (!rearrangement.splitsRows() || !rearrangement.keeps(op.getDims()))
      return rewriter.notifyMatchFailure(
          op, "the reshape does not just split what counts the rows");
    TensorBuilder b(rewriter, op.getLoc());
    Value reduced =
        b.reduce(op.getKind(), reshape.getX(),
                 rearrangement.before(op.getDims()), op.getAllowEmpty());
    rewriter.replaceOp(
        op, b.reshape(reduced, getSizes(cast<RankedTensorType>(op.getType()))));
    return success();
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

/// The keys or values that `x`, those of attention, repeats for heads next to
/// each other: [..., g, n, d] of [..., g * r, n, d]; null where it does not.
Value getSharedHeads(Value x) {
  auto reshape = x.getDefiningOp<ReshapeOp>();
  auto broadcast =
      reshape ? reshape.getX().getDefiningOp<BroadcastOp>() : nullptr;
  if (!broadcast)
    return {};
  Sizes own = getSizes(broadcast.getX().getType()),
        repeated = getSizes(cast<RankedTensorType>(broadcast.getType())),
        merged = getSizes(cast<RankedTensorType>(x.getType()));
  const size_t rank = own.size();
  if (rank < 3 || repeated.size() != rank + 1 || merged.size() != rank)
    return {};
  const size_t heads = rank - 3, added = rank - 2;
  for (auto [dim, place] : llvm::enumerate(broadcast.getDims()))
    if (place != int64_t(dim + (dim >= added)) || own[dim] != repeated[place])
      return {};
  own[heads] = own[heads].mul(repeated[added]);
  return own == merged && merged[heads].isConstant() ? broadcast.getX()
                                                     : Value();
}

// Pattern: tc.attention q, (tc.reshape (tc.broadcast k)), (tc.reshape
// (tc.broadcast v)) -> tc.attention q, k, v, whose heads share keys and values
struct ShareHeads : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Value k = getSharedHeads(op.getK()), v = getSharedHeads(op.getV());
    if (!k || !v)
      return rewriter.notifyMatchFailure(
          op, "keys or values are not those of fewer heads");
    rewriter.modifyOpInPlace(op, [&] {
      op.getKMutable().assign(k);
      op.getVMutable().assign(v);
    });
    return success();
  }
};

class PropagateReshapesPass
    : public tc::impl::TCPropagateReshapesPassBase<PropagateReshapesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveBelowElementwise, MoveBelowNorm<LayerNormOp>,
                 MoveBelowNorm<RmsNormOp>, MoveBelowSoftmax, MoveBelowReduce,
                 SkipUnitDims, MoveAboveBroadcast, ShareHeads>(&getContext());
    if (failed(applyUntilNothingMatches(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
