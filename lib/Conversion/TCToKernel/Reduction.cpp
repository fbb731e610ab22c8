//===- Reduction.cpp - Reductions to kernels ------------------------------===//

#include "Elements.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;

/// The dimensions of the domain that are not in `over`.
static SmallVector<AffineExpr> keptDims(KernelBuilder &kernel,
                                        ArrayRef<int64_t> over) {
  SmallVector<AffineExpr> kept;
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim)
    if (!llvm::is_contained(over, dim))
      kept.push_back(kernel.dim(dim));
  return kept;
}

namespace {
/// Pattern: tc.reduce kind %x dims -> kernel { read; reduce_stage; write }
struct ReduceToKernel : public KernelPattern<ReduceOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(ReduceOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel(
        rewriter, op.getLoc(), stringifyReductionKind(op.getKind()),
        getSizes(op.getX().getType()), TypeRange(op.getType()));
    Value value = readElement(kernel, op.getX(), kernel.dims(kernel.getRank()));
    kernel.write(kernel.reduce(op.getKind(), value, op.getDims()), 0,
                 keptDims(kernel, op.getDims()));
    return kernel.finish();
  }
};

/// Pattern: tc.arg_reduce %x dim -> kernel { read; reduce_stage arg*; write 1 }
struct ArgReduceToKernel : public KernelPattern<ArgReduceOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(ArgReduceOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel(
        rewriter, op.getLoc(), stringifyReductionKind(op.getKind()),
        getSizes(op.getX().getType()), TypeRange(op.getType()));
    Value value = readElement(kernel, op.getX(), kernel.dims(kernel.getRank()));
    int64_t over = op.getDim();
    auto stage = ReduceStageOp::create(
        kernel.body, op.getLoc(),
        TypeRange{value.getType(), kernel.body.getI64Type()}, op.getKind(),
        value, over);
    kernel.write(stage.getResult(1), 0, keptDims(kernel, over));
    return kernel.finish();
  }
};

} // namespace

void tc::populateReductionToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<ReduceToKernel, ArgReduceToKernel>(patterns.getContext());
}
