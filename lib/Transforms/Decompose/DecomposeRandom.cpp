//===- DecomposeRandom.cpp - Random numbers from tc.philox ----------------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSERANDOMPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

// Pattern: tc.random -> arithmetic on tc.philox of tc.iota
struct DecomposeRandom : OpRewritePattern<RandomOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RandomOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    Type elementType = type.getElementType();
    bool isUniform = op.getDistribution() == DistributionKind::Uniform;
    // Element i counts from 0 in row-major order.
    SizeExpr count = getElementCount(getSizes(type), getContext());
    Value index = b.iota(getTensorType(count, rewriter.getI64Type()), 0);
    Value result = isUniform ? makeUniform(op, b, index, elementType)
                             : makeNormal(op, b, index, elementType);
    rewriter.replaceOp(op,
                       b.reshape(b.cast(result, elementType), getSizes(type)));
    return success();
  }

private:
  /// The high `digits` bits of word `counter`, as a float of `compute`.
  static Value makeBits(RandomOp op, TensorBuilder &b, Value counter,
                        int64_t digits, Type compute) {
    Sizes sizes = TensorBuilder::sizesOf(counter);
    Value word =
        b.create<PhiloxOp>(b.broadcast(op.getSeed(), sizes, {}),
                           b.broadcast(op.getOffset(), sizes, {}), counter);
    Value high = b.create<ShiftRightOp>(word, b.fullLike(32 - digits, word));
    return b.cast(high, compute);
  }

  static Value makeUniform(RandomOp op, TensorBuilder &b, Value index,
                           Type elementType) {
    // As many bits as the element type holds, so that none rounds up to 1.
    int64_t digits = elementType.isBF16() ? 8 : elementType.isF16() ? 11 : 24;
    Value bits = makeBits(op, b, index, digits,
                          TensorBuilder::getComputeType(elementType));
    return b.mul(bits, b.fullLike(std::ldexp(1.0, -digits), bits));
  }

  /// Box-Muller on two words: sqrt(-2 log u) * cos(2 pi v).
  static Value makeNormal(RandomOp op, TensorBuilder &b, Value index,
                          Type elementType) {
    Type compute = TensorBuilder::getComputeType(elementType);
    Value first = b.mul(index, b.fullLike(2, index));
    Value second = b.add(first, b.fullLike(1, index));
    Value u = makeBits(op, b, first, 24, compute);
    Value v = makeBits(op, b, second, 24, compute);
    Value unit = b.fullLike(std::ldexp(1.0, -24), u);
    u = b.mul(b.add(u, b.fullLike(1, u)), unit); // in (0, 1]
    v = b.mul(v, unit);                          // in [0, 1)
    Value radius =
        b.create<SqrtOp>(b.mul(b.create<LogOp>(u), b.fullLike(-2, u)));
    constexpr double twoPi = 6.283185307179586477;
    return b.mul(radius, b.create<CosOp>(b.mul(v, b.fullLike(twoPi, v))));
  }
};

class DecomposeRandomPass
    : public tc::impl::TCDecomposeRandomPassBase<DecomposeRandomPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeRandom>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
