//===- DecomposePadModes.cpp - Reflecting, replicating and circular pads --===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEPADMODESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

// Pattern: tc.pad reflect, replicate or circular x -> tc.concat of slices of x,
// a dimension at a time
struct DecomposePad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getMode() == PadMode::Constant)
      return rewriter.notifyMatchFailure(op, "a constant pad is kept whole");
    TensorBuilder b(rewriter, op.getLoc());
    Value x = op.getX();
    for (auto [dim, low, high] : llvm::enumerate(op.getLow(), op.getHigh()))
      x = padDim(b, op.getMode(), x, dim, low, high);
    rewriter.replaceOp(op, x);
    return success();
  }

private:
  static Value padDim(TensorBuilder &b, PadMode mode, Value x, int64_t dim,
                      int64_t low, int64_t high) {
    SizeExpr size = TensorBuilder::sizesOf(x)[dim];
    SmallVector<Value> parts;
    if (low > 0)
      parts.push_back(makeLow(b, mode, x, dim, low, size));
    parts.push_back(x);
    if (high > 0)
      parts.push_back(makeHigh(b, mode, x, dim, high, size));
    if (parts.size() > 1)
      x = ConcatOp::create(b.getBuilder(), b.getLoc(), parts, dim);
    // Negative counts leave elements out.
    SizeExpr offset = SizeExpr::constant(b.getBuilder().getContext(),
                                         std::max<int64_t>(0, -low));
    return b.sliceDim(x, dim, offset, size.add(low + high));
  }

  static Value makeLow(TensorBuilder &b, PadMode mode, Value x, int64_t dim,
                       int64_t count, SizeExpr size) {
    SizeExpr number = SizeExpr::constant(size.getContext(), count);
    if (mode == PadMode::Reflect) // elements count, ..., 2, 1
      return b.sliceDim(x, dim, number, number, -1);
    if (mode == PadMode::Circular)
      return b.sliceDim(x, dim, size.add(-count), number);
    return repeat(b, x, dim, SizeExpr::constant(size.getContext(), 0), number);
  }

  static Value makeHigh(TensorBuilder &b, PadMode mode, Value x, int64_t dim,
                        int64_t count, SizeExpr size) {
    SizeExpr number = SizeExpr::constant(size.getContext(), count);
    if (mode == PadMode::Reflect) // from the last but one backwards
      return b.sliceDim(x, dim, size.add(-2), number, -1);
    if (mode == PadMode::Circular)
      return b.sliceDim(x, dim, SizeExpr::constant(size.getContext(), 0),
                        number);
    return repeat(b, x, dim, size.add(-1), number);
  }

  /// Element `at` along `dim`, `count` times.
  static Value repeat(TensorBuilder &b, Value x, int64_t dim, SizeExpr at,
                      SizeExpr count) {
    Value element =
        b.sliceDim(x, dim, at, SizeExpr::constant(at.getContext(), 1));
    Sizes sizes = TensorBuilder::sizesOf(x);
    sizes[dim] = count;
    return b.broadcast(element, sizes,
                       llvm::to_vector(llvm::seq<int64_t>(0, sizes.size())));
  }
};

class DecomposePadModesPass
    : public tc::impl::TCDecomposePadModesPassBase<DecomposePadModesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposePad>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
