//===- PropagateTransposes.cpp - Transposes to where they vanish ----------===//

#include "GreedyPatterns.h"
#include "ReshapeParts.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPROPAGATETRANSPOSESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The permutation that undoes `permutation`.
static SmallVector<int64_t> invert(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation))
    inverse[dim] = index;
  return inverse;
}

/// `items`, item `permutation[i]` at place i.
template <typename Range>
static auto permute(const Range &items, ArrayRef<int64_t> permutation) {
  Range result(items);
  for (auto [index, dim] : llvm::enumerate(permutation))
    result[index] = items[dim];
  return result;
}

namespace {

// Pattern: tc.contract (tc.transpose a), b -> tc.contract a, b with the labels
// of a permuted
struct AbsorbIntoOperands : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    std::string lhs = op.getLhsLabels().str(), rhs = op.getRhsLabels().str();
    Value newLhs = absorb(op.getLhs(), lhs), newRhs = absorb(op.getRhs(), rhs);
    if (newLhs == op.getLhs() && newRhs == op.getRhs())
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    std::string spec = lhs + "," + rhs + "->" + op.getResultLabels().str();
    rewriter.replaceOpWithNewOp<ContractOp>(op, spec, newLhs, newRhs,
                                            op.getFast());
    return success();
  }

private:
  /// What `operand` is a transpose of, with its labels in that order.
  static Value absorb(Value operand, std::string &labels) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose)
      return operand;
    labels = permute(labels, invert(transpose.getPermutation()));
    return transpose.getX();
  }
};

// Pattern: tc.transpose (tc.contract a, b) -> tc.contract a, b with the
// result's labels permuted
struct AbsorbIntoResult : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto contract = op.getX().getDefiningOp<ContractOp>();
    if (!contract || !contract->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "the operand is no contraction for this op alone");
    std::string result =
        permute(contract.getResultLabels().str(), op.getPermutation());
    std::string spec = (contract.getLhsLabels() + "," +
                        contract.getRhsLabels() + "->" + result)
                           .str();
    rewriter.replaceOpWithNewOp<ContractOp>(
        op, spec, contract.getLhs(), contract.getRhs(), contract.getFast());
    return success();
  }
};

// Pattern: tc.transpose (tc.broadcast x) -> tc.broadcast (tc.transpose x), on
// fewer elements
struct MoveAboveBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "the operand is no broadcast");
    // Where each dimension of x goes, and the order of those places.
    SmallVector<int64_t> inverse = invert(op.getPermutation());
    SmallVector<int64_t> places = llvm::map_to_vector(
        broadcast.getDims(), [&](int64_t dim) { return inverse[dim]; });
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, places.size()));
    llvm::sort(order,
               [&](int64_t a, int64_t b) { return places[a] < places[b]; });
    llvm::sort(places);
    TensorBuilder b(rewriter, op.getLoc());
    Value x = b.transpose(broadcast.getX(), order);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), x, places);
    return success();
  }
};

// Pattern: elementwise (tc.transpose x), (tc.transpose y) -> tc.transpose
// (elementwise x, y)
struct MoveBelowElementwise
    : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    TransposeOp first;
    for (Value operand : op->getOperands())
      if (!first)
        first = operand.getDefiningOp<TransposeOp>();
    if (!first)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    if (auto contract = first.getX().getDefiningOp<ContractOp>();
        contract && contract->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "the contraction before the transpose takes it");
    SmallVector<int64_t> permutation(first.getPermutation());
    for (Value operand : op->getOperands())
      if (!canUndo(operand, permutation, op))
        return rewriter.notifyMatchFailure(
            op, "an operand is neither the same transpose for this op alone "
                "nor a repeated value");

    TensorBuilder b(rewriter, op->getLoc());
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, undo(operand, permutation, b));
    Operation *moved = rewriter.clone(*op, mapping);
    Value result = op->getResult(0);
    Sizes sizes = permute(TensorBuilder::sizesOf(result), invert(permutation));
    Type elementType = TensorBuilder::typeOf(result).getElementType();
    moved->getResult(0).setType(getTensorType(sizes, elementType));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, moved->getResult(0),
                                             permutation);
    return success();
  }

private:
  static bool canUndo(Value operand, ArrayRef<int64_t> permutation,
                      Operation *user) {
    if (auto transpose = operand.getDefiningOp<TransposeOp>())
      return transpose.getPermutation() == permutation &&
             llvm::all_of(operand.getUsers(),
                          [&](Operation *other) { return other == user; });
    if (operand.getDefiningOp<FullOp>())
      return true;
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    return broadcast && llvm::is_sorted(getPlaces(broadcast, permutation));
  }

  /// Where the dimensions of the broadcast's operand are before `permutation`.
  static SmallVector<int64_t> getPlaces(BroadcastOp broadcast,
                                        ArrayRef<int64_t> permutation) {
    return llvm::map_to_vector(broadcast.getDims(),
                               [&](int64_t dim) { return permutation[dim]; });
  }

  /// The value that `permutation` makes `operand` of.
  static Value undo(Value operand, ArrayRef<int64_t> permutation,
                    TensorBuilder &b) {
    if (auto transpose = operand.getDefiningOp<TransposeOp>())
      return transpose.getX();
    Sizes sizes = permute(TensorBuilder::sizesOf(operand), invert(permutation));
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return b.broadcast(broadcast.getX(), sizes,
                         getPlaces(broadcast, permutation));
    Type elementType = TensorBuilder::typeOf(operand).getElementType();
    auto full = operand.getDefiningOp<FullOp>();
    return FullOp::create(b.getBuilder(), b.getLoc(),
                          getTensorType(sizes, elementType), full.getValue());
  }
};

// Pattern: tc.reshape (tc.transpose x) -> tc.transpose (tc.reshape x), where
// what is merged are neighbours in x as well
struct MoveBelowReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "the operand is no transpose");
    Sizes to = TensorBuilder::sizesOf(op.getResult());
    auto parts = matchReshape(TensorBuilder::sizesOf(op.getX()), to);
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    auto areNeighbours = [&](const ReshapePart &part) {
      for (size_t dim = part.from.begin + 1; dim < part.from.end; ++dim)
        if (permutation[dim] != permutation[dim - 1] + 1)
          return false;
      return part.from.count() != 0;
    };
    if (!parts || !llvm::all_of(*parts, areNeighbours))
      return rewriter.notifyMatchFailure(
          op, "dimensions are merged that are no neighbours before the "
              "transpose, or added");
    llvm::sort(*parts, [&](const ReshapePart &a, const ReshapePart &b) {
      return permutation[a.from.begin] < permutation[b.from.begin];
    });
    Sizes sizes;
    SmallVector<int64_t> places(to.size());
    for (const ReshapePart &part : *parts)
      for (size_t dim = part.to.begin; dim < part.to.end; ++dim) {
        places[dim] = static_cast<int64_t>(sizes.size());
        sizes.push_back(to[dim]);
      }
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op,
                       b.transpose(b.reshape(transpose.getX(), sizes), places));
    return success();
  }
};

// Pattern: tc.reduce (tc.transpose x) -> tc.transpose (tc.reduce x), which
// often is none
struct MoveBelowReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose)
      return rewriter.notifyMatchFailure(op, "the operand is no transpose");
    SmallVector<int64_t> dims, kept;
    for (auto [index, dim] : llvm::enumerate(transpose.getPermutation()))
      (llvm::is_contained(op.getDims(), static_cast<int64_t>(index)) ? dims
                                                                     : kept)
          .push_back(dim);
    llvm::sort(dims);
    // Dimensions that stay are numbered without the reduced ones.
    SmallVector<int64_t> order = llvm::map_to_vector(kept, [&](int64_t dim) {
      return dim - llvm::count_if(dims, [&](int64_t d) { return d < dim; });
    });
    TensorBuilder b(rewriter, op.getLoc());
    Value reduced =
        b.reduce(op.getKind(), transpose.getX(), dims, op.getAllowEmpty());
    rewriter.replaceOp(op, b.transpose(reduced, order));
    return success();
  }
};

// Pattern: tc.softmax (tc.transpose x) -> tc.transpose (tc.softmax x)
struct MoveBelowSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    if (!transpose || !transpose->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "the operand is no transpose for this op alone");
    int64_t dim = transpose.getPermutation()[op.getDim()];
    Value x = transpose.getX();
    Value moved = SoftmaxOp::create(rewriter, op.getLoc(), x.getType(), x,
                                    rewriter.getI64IntegerAttr(dim));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, moved,
                                             transpose.getPermutation());
    return success();
  }
};

class PropagateTransposesPass
    : public tc::impl::TCPropagateTransposesPassBase<PropagateTransposesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AbsorbIntoOperands, AbsorbIntoResult, MoveAboveBroadcast,
                 MoveBelowElementwise, MoveBelowReduce, MoveBelowReshape,
                 MoveBelowSoftmax>(&getContext());
    if (failed(applyUntilNothingMatches(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
