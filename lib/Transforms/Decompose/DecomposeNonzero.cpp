//===- DecomposeNonzero.cpp - Places of true elements by a running count --===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSENONZEROPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The row-major positions of the `count` true elements of `x`, which has one
/// dimension: element i goes to the place that the running count gives, or
/// after the last where it is false.
static Value compact(TensorBuilder &b, Value x, SizeExpr count) {
  OpBuilder &builder = b.getBuilder();
  SizeExpr size = TensorBuilder::sizesOf(x).front();
  RankedTensorType indices = getTensorType(size, builder.getI64Type());
  Value running = ScanOp::create(builder, b.getLoc(), ReductionKind::Sum,
                                 b.cast(x, builder.getI64Type()), /*dim=*/0);
  Value places = b.select(x, b.sub(running, b.full(1, indices)),
                          b.fullOfSize(count, indices));
  Value zeros = b.full(0, getTensorType(count.add(1), builder.getI64Type()));
  Value packed = ScatterOp::create(builder, b.getLoc(), zeros.getType(),
                                   CombineKind::Replace, zeros, places,
                                   b.iota(indices, /*dim=*/0), /*dim=*/0);
  return b.sliceDim(packed, /*dim=*/0, SizeExpr::constant(x.getContext(), 0),
                    count);
}

namespace {

// Pattern: tc.nonzero x -> slice (tc.scatter replace zeros[running count] =
// tc.iota)
struct DecomposeNonzero : OpRewritePattern<NonzeroOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NonzeroOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    Sizes sizes = TensorBuilder::sizesOf(op.getX());
    SizeExpr count = TensorBuilder::sizesOf(op.getResult()).front();
    MLIRContext *context = getContext();
    if (sizes.empty()) { // a row has no indices
      rewriter.replaceOp(op, b.full(0, op.getResult().getType()));
      return success();
    }
    Value positions = compact(
        b, b.reshape(op.getX(), getElementCount(sizes, context)), count);
    RankedTensorType type = TensorBuilder::typeOf(positions);
    SmallVector<Value> columns;
    SizeExpr stride = getElementCount(sizes, context);
    for (SizeExpr size : sizes) {
      Value column = positions;
      stride = getElementCount(ArrayRef(sizes).drop_front(columns.size() + 1),
                               context);
      if (!stride.isConstant(1))
        column = b.create<FloorDivOp>(column, b.fullOfSize(stride, type));
      if (!columns.empty())
        column = b.create<RemainderOp>(column, b.fullOfSize(size, type));
      columns.push_back(
          b.reshape(column, {count, SizeExpr::constant(context, 1)}));
    }
    rewriter.replaceOp(op, columns.size() == 1
                               ? columns.front()
                               : ConcatOp::create(rewriter, op.getLoc(),
                                                  op.getResult().getType(),
                                                  columns, /*dim=*/1)
                                     .getResult());
    return success();
  }
};

class DecomposeNonzeroPass
    : public tc::impl::TCDecomposeNonzeroPassBase<DecomposeNonzeroPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeNonzero>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
