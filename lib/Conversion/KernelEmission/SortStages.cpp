//===- SortStages.cpp - What a kernel sorts -------------------------------===//

#include "SortStages.h"
#include "TC/Analysis/KernelIterations.h"

using namespace mlir;
using namespace tc;

SizeExpr tc::getWrittenLength(KernelOp kernel, unsigned along) {
  SizeExpr length;
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    Sizes sizes = getSizes(cast<ShapedType>(write.getDestination().getType()));
    SizeExpr written;
    for (auto [expr, size] :
         llvm::zip_equal(write.getMap().getResults(), sizes))
      if (expr == getAffineDimExpr(along, kernel.getContext()))
        written = size;
    if (!written || (length && length != written))
      return kernel.getDimSize(along);
    length = written;
  }
  return length ? length.min(kernel.getDimSize(along))
                : kernel.getDimSize(along);
}

FailureOr<SmallVector<SortStageOp>>
tc::getSortStages(const KernelFrame &frame) {
  KernelOp kernel = frame.kernel;
  SmallVector<SortStageOp> stages(kernel.getBodyBlock().getOps<SortStageOp>());
  DimSet outer = getOuterDims(kernel, frame.dims);
  for (SortStageOp stage : stages) {
    DimSet rows = frame.dims.of(stage.getSorted());
    rows.reset(stage.getAlong());
    rows.reset(outer);
    if (stage.getAlong() != stages.front().getAlong() || rows.any())
      return stage.emitOpError("sorts other rows than the kernel's iterations; "
                               "expected a kernel of its own");
  }
  return stages;
}
