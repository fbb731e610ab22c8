//===- ClassifyKernels.cpp - tc-classify-kernels --------------------------===//

#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCCLASSIFYKERNELSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The order that dimensions should have: parallel ones as the first result's
/// indices run, other parallel ones, then the reduced ones.
static SmallVector<unsigned> getDimOrder(KernelOp kernel) {
  KernelDims values(kernel);
  SmallVector<unsigned> order;
  llvm::SmallBitVector placed(kernel.getNumDims());
  auto place = [&](unsigned dim) {
    if (!placed.test(dim))
      order.push_back(dim);
    placed.set(dim);
  };
  // The largest result's order is the one to follow.
  WriteOp leading;
  unsigned most = 0;
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    unsigned used =
        KernelDims::ofMap(write.getMap(), kernel.getNumDims()).count();
    if (!leading || used > most) {
      leading = write;
      most = used;
    }
  }
  if (leading)
    for (AffineExpr expr : leading.getMap().getResults())
      for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
        if (expr.isFunctionOfDim(dim))
          place(dim);
  for (unsigned dim : values.written().set_bits())
    place(dim);
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    place(dim);
  return order;
}

static void reorderDims(KernelOp kernel, ArrayRef<unsigned> order) {
  if (llvm::is_sorted(order))
    return;
  SmallVector<DimAttr> dims;
  SmallVector<AffineExpr> exprs(kernel.getNumDims());
  for (auto [position, dim] : llvm::enumerate(order)) {
    exprs[dim] = getAffineDimExpr(position, kernel.getContext());
    dims.push_back(kernel.getDim(dim));
  }
  (void)changeDomain(kernel, dims, exprs);
}

namespace {
class ClassifyKernelsPass
    : public tc::impl::TCClassifyKernelsPassBase<ClassifyKernelsPass> {
public:
  void runOnOperation() override {
    for (KernelOp kernel : getOutermostKernels(getOperation())) {
      simplifyKernel(kernel);
      reorderDims(kernel, getDimOrder(kernel));
      updateIteratorKinds(kernel);
      kernel.setKernelClass(classifyKernel(kernel));
    }
  }
};
} // namespace
