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

// Pattern: tc.adaptive_avg_pool x -> a mean, a tc.avg_pool, or a tc.contract
// with window weights a dimension
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

  /// Means along `dim` as a product with weights [out, in]: 1 / size within
  /// window i, else 0.
  static Value poolDim(TensorBuilder &b, Value x, int64_t dim, SizeExpr out) {
    SizeExpr in = TensorBuilder::sizesOf(x)[dim];
    if (in == out)
      return x;
    Type elementType = TensorBuilder::typeOf(x).getElementType();
    RankedTensorType type =
        getTensorType({out, in}, b.getBuilder().getI64Type());
    Value window = b.iota(type, 0), element = b.iota(type, 1);
    Value inSize = b.fullOfSize(in, type), outSize = b.fullOfSize(out, type);
    Value product = b.mul(window, inSize);
    Value begin = b.create<FloorDivOp>(product, outSize);
    Value roundUp = b.add(inSize, b.sub(outSize, b.fullLike(1, window)));
    Value end = b.create<FloorDivOp>(b.add(product, roundUp), outSize);
    Value inside = b.create<BitwiseAndOp>(b.create<GeOp>(element, begin),
                                          b.create<LtOp>(element, end));
    Value share =
        b.create<ReciprocalOp>(b.cast(b.sub(end, begin), elementType));
    Value weights = b.select(inside, share, b.fullLike(0, share));
    // Letters for the dimensions of x: a, b, ...; the pooled one becomes z.
    std::string labels;
    for (int64_t index :
         llvm::seq<int64_t>(0, TensorBuilder::typeOf(x).getRank()))
      labels += static_cast<char>('a' + index);
    std::string result = labels;
    result[dim] = 'z';
    return ContractOp::create(b.getBuilder(), b.getLoc(),
                              labels + ",z" + labels[dim] + "->" + result, x,
                              weights);
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
