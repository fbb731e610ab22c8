//===- Elementwise.cpp - Elementwise ops to kernels -----------------------===//

#include "Elements.h"
#include "Patterns.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

namespace {
/// Pattern: tc.op(tensors) -> kernel { read each; tc.op(scalars); write }
struct ElementwiseToKernel
    : public OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "is on scalars");
    KernelBuilder kernel =
        makeKernelOverResult(rewriter, op, op->getName().stripDialect());
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(readElement(kernel, operand, point));
    Value result =
        compute(kernel, op, scalars,
                KernelBuilder::getComputeType(type.getElementType()));
    kernel.write(result, 0, point);
    rewriter.replaceOp(op, kernel.finish().getResults());
    return success();
  }

private:
  /// Whether the op is computed in fewer steps where its result is rounded to
  /// `rounded`.
  static bool hasShortForm(Operation *op, Type rounded) {
    if (isa<ExpOp, Exp2Op, LogOp, SigmoidOp, SiluOp, TanhOp, ErfOp, GeluOp,
            GeluGradOp, GeluTanhOp>(op))
      return rounded.isF16() || rounded.isBF16();
    return isa<DivOp>(op) && rounded.isF16();
  }

  /// The op on scalars; a cast between types that are computed in one type is
  /// left to the read and the write, unless it rounds in any case.
  static Value compute(KernelBuilder &kernel, Operation *op,
                       ArrayRef<Value> scalars, Type resultType) {
    if (auto cast = dyn_cast<CastOp>(op)) {
      if (!cast.getRounds())
        return kernel.cast(scalars.front(), resultType);
      return CastOp::create(kernel.body, op->getLoc(),
                            getElementTypeOrSelf(cast.getType()),
                            scalars.front(), /*rounds=*/true);
    }
    OperationState state(op->getLoc(), op->getName().getStringRef(), scalars,
                         resultType, op->getAttrs());
    Operation *made = kernel.body.create(state);
    Type rounded = getElementTypeOrSelf(op->getResult(0));
    if (hasShortForm(made, rounded))
      made->setAttr(kRoundedAttr, TypeAttr::get(rounded));
    return made->getResult(0);
  }
};
} // namespace

void tc::populateElementwiseToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<ElementwiseToKernel>(patterns.getContext());
}
