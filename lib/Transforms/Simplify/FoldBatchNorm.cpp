//===- FoldBatchNorm.cpp - Batch norm into the convolution before it ------===//

#include "GreedyPatterns.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFOLDBATCHNORMPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether `value` is computed from parameters and constants alone, so that it
/// is the same in every call.
static bool isOfParameters(Value value) {
  llvm::SetVector<Value> needed;
  needed.insert(value);
  for (size_t index = 0; index < needed.size(); ++index) {
    Operation *op = needed[index].getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    needed.insert_range(op->getOperands());
  }
  return true;
}

namespace {

/// A convolution, and the bias that is added to each channel of its result.
struct BiasedConvolution {
  ConvolutionOp convolution;
  Value bias; // of one dimension, may be null
};

/// `value` as a convolution, with or without a bias, that nothing else reads.
BiasedConvolution matchConvolution(Value value) {
  if (!value.hasOneUse())
    return {};
  if (auto convolution = value.getDefiningOp<ConvolutionOp>())
    return {convolution, Value()};
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return {};
  for (auto [x, y] :
       {std::pair(add.getX(), add.getY()), std::pair(add.getY(), add.getX())}) {
    auto convolution = x.getDefiningOp<ConvolutionOp>();
    auto bias = y.getDefiningOp<BroadcastOp>();
    if (convolution && convolution->hasOneUse() && bias &&
        bias.getDims() == ArrayRef<int64_t>{1})
      return {convolution, bias.getX()};
  }
  return {};
}

// Pattern: tc.batch_norm (tc.convolution x, w) + b -> tc.convolution x, (w *
// scale) + (b * scale + shift)
struct FoldBatchNorm : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    BiasedConvolution match = matchConvolution(op.getX());
    if (!match.convolution)
      return rewriter.notifyMatchFailure(
          op, "the operand is no convolution for this op alone");
    ConvolutionOp convolution = match.convolution;
    if (convolution.getTransposed() && convolution.getGroups() != 1)
      return rewriter.notifyMatchFailure(
          op, "the output channels of a transposed convolution in groups are "
              "no dimension of its weight");
    Type elementType = op.getX().getType().getElementType();
    if (TensorBuilder::getComputeType(elementType) != elementType)
      return rewriter.notifyMatchFailure(
          op, "a folded weight would be rounded to its narrow type");
    SmallVector<Value> parameters = {convolution.getWeight(), op.getMean(),
                                     op.getVariance()};
    for (Value optional :
         {match.bias, Value(op.getWeight()), Value(op.getBias())})
      if (optional)
        parameters.push_back(optional);
    if (!llvm::all_of(parameters, isOfParameters))
      return rewriter.notifyMatchFailure(
          op, "weights or statistics depend on the call");
    fold(op, match, rewriter);
    return success();
  }

private:
  static void fold(BatchNormOp op, BiasedConvolution match,
                   PatternRewriter &rewriter) {
    ConvolutionOp convolution = match.convolution;
    TensorBuilder b(rewriter, op.getLoc());
    Type elementType = op.getX().getType().getElementType();
    Value variance = b.cast(op.getVariance(), elementType);
    Value eps = b.fullLike(op.getEps().convertToDouble(), variance);
    Value deviation = b.create<SqrtOp>(b.add(variance, eps));
    Value weight = op.getWeight() ? b.cast(op.getWeight(), elementType)
                                  : b.fullLike(1.0, variance);
    Value scale = b.div(weight, deviation);
    // (convolution + bias - mean) * scale + shift.
    Value mean = b.cast(op.getMean(), elementType);
    Value offset = match.bias ? b.sub(match.bias, mean) : b.create<NegOp>(mean);
    Value shift = b.mul(offset, scale);
    if (op.getBias())
      shift = b.add(shift, b.cast(op.getBias(), elementType));

    Value kernel = convolution.getWeight();
    int64_t channelDim = convolution.getTransposed() ? 1 : 0;
    Value factors =
        b.alongDim(scale, TensorBuilder::sizesOf(kernel), channelDim);
    auto folded = cast<ConvolutionOp>(rewriter.clone(*convolution));
    rewriter.modifyOpInPlace(folded, [&] {
      folded.getWeightMutable().assign(b.mul(kernel, factors));
    });
    rewriter.moveOpBefore(folded, op);
    Value shifts = b.alongDim(shift, getSizes(op.getX().getType()), 1);
    rewriter.replaceOp(op, b.add(folded, shifts));
  }
};

class FoldBatchNormPass
    : public tc::impl::TCFoldBatchNormPassBase<FoldBatchNormPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldBatchNorm>(&getContext());
    // Greedily: the driver also erases the convolutions that are left over.
    if (failed(applyUntilNothingMatches(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
