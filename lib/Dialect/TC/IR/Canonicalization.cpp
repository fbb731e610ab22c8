//===- Canonicalization.cpp - Canonical forms of shapes and views ---------===//

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tc;

namespace {

// Pattern: tc.constant dense<v> (a splat) -> tc.full v
struct SplatConstantToFull : OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConstantOp op,
                                PatternRewriter &rewriter) const override {
    TypedAttr value = getSplatValue(op);
    if (!value)
      return rewriter.notifyMatchFailure(op, "not one value");
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), value);
    return success();
  }
};

// Pattern: tc.broadcast, tc.transpose, tc.reshape, tc.slice (tc.full v) ->
// tc.full v
template <typename ViewOp> struct ViewOfFull : OpRewritePattern<ViewOp> {
  using OpRewritePattern<ViewOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getX().template getDefiningOp<FullOp>();
    if (!full)
      return rewriter.notifyMatchFailure(op, "the operand is no tc.full");
    rewriter.replaceOpWithNewOp<FullOp>(op, op.getType(), full.getValue());
    return success();
  }
};

// Pattern: tc.size_from "u0" = n; tc.size_value <u0> -> n
struct SizeValueOfTensor : OpRewritePattern<SizeValueOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SizeValueOp op,
                                PatternRewriter &rewriter) const override {
    SizeExpr size = op.getSize();
    if (size.getKind() != SizeExprKind::Symbol || !isDataDependent(size))
      return rewriter.notifyMatchFailure(op, "no data-dependent symbol");
    SizeFromOp definition = findSizeFrom(op, size.getSymbol().getValue());
    if (!definition || definition.getValue().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "no tensor that defines it");
    rewriter.replaceOp(op, definition.getValue());
    return success();
  }
};

// Pattern: tc.concat (tc.concat a, b dim d), c dim d -> tc.concat a, b, c dim d
struct FlattenConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto producer = input.getDefiningOp<ConcatOp>();
      // One that others read too would be computed all the same.
      if (producer && producer.getDim() == op.getDim() && producer->hasOneUse())
        llvm::append_range(inputs, producer.getInputs());
      else
        inputs.push_back(input);
    }
    if (inputs.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(
          op,
          "no input is a concat along the same dimension for this one alone");
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};

// Pattern: tc.concat a, (size 0 along dim), b -> tc.concat a, b
struct DropEmptyConcatInputs : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs())
      if (cast<RankedTensorType>(input.getType()).getDimSize(op.getDim()) != 0)
        inputs.push_back(input);
    if (inputs.empty() || inputs.size() == op.getInputs().size())
      return rewriter.notifyMatchFailure(op, "no input to leave out");
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};

// Pattern: tc.slice (tc.concat a, b) within b -> tc.slice b
struct SliceOfConcatInput : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getX().getDefiningOp<ConcatOp>();
    if (!concat)
      return rewriter.notifyMatchFailure(op, "the operand is no tc.concat");
    int64_t dim = concat.getDim();
    SizeExpr first = op.getOffsets().getSizes()[dim];
    SizeExpr count = getSizes(cast<RankedTensorType>(op.getType()))[dim];
    SizeExpr last = first.add(count.add(-1).mul(op.getStrides()[dim]));
    if (op.getStrides()[dim] < 0)
      std::swap(first, last);
    SizeExpr start = SizeExpr::constant(getContext(), 0);
    for (Value input : concat.getInputs()) {
      SizeExpr end =
          start.add(getSizes(cast<RankedTensorType>(input.getType()))[dim]);
      if (isAtLeast(first, start) && isAtLeast(end.add(-1), last)) {
        SmallVector<SizeExpr> offsets(op.getOffsets().getSizes());
        offsets[dim] = offsets[dim].sub(start);
        rewriter.replaceOpWithNewOp<SliceOp>(
            op, op.getType(), input, SizesAttr::get(getContext(), offsets),
            op.getStrides());
        return success();
      }
      start = end;
    }
    return rewriter.notifyMatchFailure(op, "not known to be within one input");
  }

private:
  /// Whether a - b is a constant of at least 0.
  static bool isAtLeast(SizeExpr a, SizeExpr b) {
    std::optional<int64_t> difference = a.sub(b).getConstant();
    return difference && *difference >= 0;
  }
};

} // namespace

void ConstantOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<SplatConstantToFull>(context);
}

void SizeValueOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<SizeValueOfTensor>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ViewOfFull<BroadcastOp>>(context);
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ViewOfFull<TransposeOp>>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ViewOfFull<ReshapeOp>>(context);
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<ViewOfFull<SliceOp>, SliceOfConcatInput>(context);
}

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FlattenConcat, DropEmptyConcatInputs>(context);
}
