//===- DecomposeGroupNorm.cpp - Group norm by layer norm over groups ------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSEGROUPNORMPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

// Pattern: tc.group_norm x -> tc.layer_norm (x as [batch, groups, rest]) as x *
// weight + bias
struct DecomposeGroupNorm : OpRewritePattern<GroupNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GroupNormOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    RankedTensorType type = op.getX().getType();
    Sizes sizes = getSizes(type);
    int64_t groups = op.getGroups();
    Type compute = TensorBuilder::getComputeType(type.getElementType());
    SizeExpr length = sizes[1].floorDiv(groups);
    for (SizeExpr size : llvm::drop_begin(sizes, 2))
      length = length.mul(size);
    SizeExpr rows[] = {sizes[0], SizeExpr::constant(getContext(), groups),
                       length};
    Value grouped = b.reshape(b.cast(op.getX(), compute), rows);
    Value normalized = LayerNormOp::create(
        rewriter, op.getLoc(), grouped.getType(), grouped, /*weight=*/Value(),
        /*bias=*/Value(), rewriter.getI64IntegerAttr(1), op.getEpsAttr());
    Value result = b.reshape(normalized, sizes);
    if (op.getWeight())
      result =
          b.mul(result, b.alongDim(b.cast(op.getWeight(), compute), sizes, 1));
    if (op.getBias())
      result =
          b.add(result, b.alongDim(b.cast(op.getBias(), compute), sizes, 1));
    rewriter.replaceOp(op, b.cast(result, type.getElementType()));
    return success();
  }
};

class DecomposeGroupNormPass
    : public tc::impl::TCDecomposeGroupNormPassBase<DecomposeGroupNormPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeGroupNorm>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
