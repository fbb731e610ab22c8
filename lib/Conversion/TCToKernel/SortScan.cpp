//===- SortScan.cpp - Sorting and scans to kernels ------------------------===//

#include "Elements.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;

/// The sorted value and its origin along dimension `along`.
static SortStageOp createSort(KernelBuilder &kernel, Value x, int64_t along,
                              bool descending) {
  Value value = kernel.read(x, kernel.dims(kernel.getRank()));
  auto stage =
      SortStageOp::create(kernel.body, kernel.loc,
                          TypeRange{value.getType(), kernel.body.getI64Type()},
                          value, along, descending);
  return stage;
}

namespace {
/// Pattern: tc.sort %x -> kernel { read; sort_stage; write values, indices }
struct SortToKernel : public KernelPattern<SortOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(SortOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op.getLoc(), "sort",
                         getSizes(op.getX().getType()), op.getResultTypes());
    SortStageOp stage =
        createSort(kernel, op.getX(), op.getDim(), op.getDescending());
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    kernel.write(stage.getSorted(), 0, point);
    kernel.write(stage.getOrigin(), 1, point);
    return kernel.finish();
  }
};

/// Pattern: tc.topk %x -> kernel { read; sort_stage; write the first k }
struct TopKToKernel : public KernelPattern<TopKOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(TopKOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel(rewriter, op.getLoc(), "topk",
                         getSizes(op.getX().getType()), op.getResultTypes());
    SortStageOp stage =
        createSort(kernel, op.getX(), op.getDim(), !op.getSmallest());
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    int64_t count = op.getK();
    IntegerSet first = kernel.setOf(count - 1 - point[op.getDim()]);
    kernel.write(stage.getSorted(), 0, point, {}, first);
    kernel.write(stage.getOrigin(), 1, point, {}, first);
    return kernel.finish();
  }
};

/// Pattern: tc.scan kind %x -> kernel { read; scan_stage; write }
struct ScanToKernel : public KernelPattern<ScanOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(ScanOp op,
                            PatternRewriter &rewriter) const override {
    KernelBuilder kernel = makeKernelOverResult(rewriter, op, "scan");
    SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
    Value value = readElement(kernel, op.getX(), point);
    kernel.write(ScanStageOp::create(kernel.body, op.getLoc(), value.getType(),
                                     op.getKind(), value, op.getDim()),
                 0, point);
    return kernel.finish();
  }
};
} // namespace

void tc::populateSortScanToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<SortToKernel, TopKToKernel, ScanToKernel>(patterns.getContext());
}
