//===- DecomposeAdaptiveAvgPool.cpp - Adaptive average pooling ------------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEADAPTIVEAVGPOOLPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

// Pattern: tc.adaptive_avg_pool x -> a mean, a tc.avg_pool, or a sum over the
// elements of each window a dimension
struct DecomposeAdaptiveAvgPool : OpRewritePattern<AdaptiveAvgPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AdaptiveAvgPoolOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    RankedTensorType type = op.getX().getType();
    auto resultType = cast<RankedTensorType>(op.getType());
    Type compute = TensorBuilder::getComputeType(type.getElementType());
    Value result;
    if (llvm::all_of(resultType.getShape().drop_front(2),
                     [](int64_t size) { return size == 1; })) {
      auto spatial = llvm::to_vector(llvm::seq<int64_t>(2, type.getRank()));
      result = b.reshape(b.mean(b.cast(op.getX(), compute), spatial),
                         getSizes(resultType));
    } else if (SmallVector<int64_t> kernel = getEqualWindows(type, resultType);
               !kernel.empty()) {
      SmallVector<int64_t> padding(kernel.size(), 0);
      result = AvgPoolOp::create(rewriter, op.getLoc(), op.getX(), kernel,
                                 kernel, padding,
                                 /*ceil_mode=*/false, /*exclude_padding=*/false,
                                 /*divisor=*/IntegerAttr());
    } else {
      result = b.cast(op.getX(), compute);
      for (int64_t dim = 2; dim < type.getRank(); ++dim)
        result = poolDim(b, result, dim, getSizes(resultType)[dim]);
    }
    rewriter.replaceOp(op, b.cast(result, type.getElementType()));
    return success();
  }

private:
  /// The windows' sizes where the input's are multiples of the result's; none
  /// otherwise.
  static SmallVector<int64_t> getEqualWindows(RankedTensorType from,
                                              RankedTensorType to) {
    SmallVector<int64_t> kernel;
    for (auto [in, out] : llvm::zip_equal(from.getShape().drop_front(2),
                                          to.getShape().drop_front(2))) {
      if (ShapedType::isDynamic(in) || ShapedType::isDynamic(out) ||
          in % out != 0)
        return {};
      kernel.push_back(in / out);
    }
    return kernel;
  }

  /// Means along `dim`: x repeated along a new dimension of windows, summed
  /// where an element is within the window. What is outside, infinities
  /// included, has no influence.
  static Value poolDim(TensorBuilder &b, Value x, int64_t dim, SizeExpr out) {
    Sizes sizes = TensorBuilder::sizesOf(x);
    SizeExpr in = sizes[dim];
    if (in == out)
      return x;
    Type elementType = TensorBuilder::typeOf(x).getElementType();
    RankedTensorType type = getTensorType(out, b.getBuilder().getI64Type());
    Value window = b.iota(type, 0);
    Value inSize = b.fullOfSize(in, type), outSize = b.fullOfSize(out, type);
    Value product = b.mul(window, inSize);
    Value begin = b.create<FloorDivOp>(product, outSize);
    Value roundUp = b.add(inSize, b.sub(outSize, b.fullLike(1, window)));
    Value end = b.create<FloorDivOp>(b.add(product, roundUp), outSize);
    Value length = b.cast(b.sub(end, begin), elementType);

    // Dimension dim: windows; dim + 1: elements.
    Sizes expanded = sizes, pooled = sizes;
    expanded.insert(expanded.begin() + dim, out);
    pooled[dim] = out;
    SmallVector<int64_t> dims;
    for (int64_t index : llvm::seq<int64_t>(0, sizes.size()))
      dims.push_back(index < dim ? index : index + 1);
    Value repeated = b.broadcast(x, expanded, dims);
    Value element =
        b.iota(getTensorType(expanded, b.getBuilder().getI64Type()), dim + 1);
    Value inside = b.create<BitwiseAndOp>(
        b.create<GeOp>(element, b.alongDim(begin, expanded, dim)),
        b.create<LtOp>(element, b.alongDim(end, expanded, dim)));
    Value sum =
        b.reduce(ReductionKind::Sum,
                 b.select(inside, repeated, b.fullLike(0, repeated)), dim + 1);
    return b.div(sum, b.alongDim(length, pooled, dim));
  }
};

class DecomposeAdaptiveAvgPoolPass
    : public tc::impl::TCDecomposeAdaptiveAvgPoolPassBase<
          DecomposeAdaptiveAvgPoolPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAdaptiveAvgPool>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
