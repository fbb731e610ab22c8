//===- TaskSize.cpp - How much of a launch is worth a thread --------------===//

#include "TaskSize.h"
#include "TC/Analysis/ContractionRoles.h"

using namespace mlir;
using namespace tc;

SizeExpr tc::limitPieces(SizeExpr grain, SizeExpr count, SizeExpr products,
                         SizeExpr written, int64_t bytes) {
  MLIRContext *context = grain.getContext();
  SizeExpr pieces =
      written.floorDiv(SizeExpr::constant(context, bytes))
          .max(products.floorDiv(SizeExpr::constant(context, kManyProducts)))
          .max(SizeExpr::constant(context, 1));
  return grain.max(count.ceilDiv(pieces));
}

SizeExpr tc::reaches(SizeExpr size, int64_t least) {
  MLIRContext *context = size.getContext();
  return size.floorDiv(SizeExpr::constant(context, least))
      .min(SizeExpr::constant(context, 1));
}

SizeExpr tc::getWrittenBytes(KernelOp kernel, SizeExpr points) {
  int64_t bytes = 0;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    bytes += getElementBytes(write.getValue().getType());
  return points.mul(bytes);
}

SizeExpr tc::getGrain(SizeExpr work, int64_t worth) {
  SizeExpr one = SizeExpr::constant(work.getContext(), 1);
  return SizeExpr::constant(work.getContext(), worth).ceilDiv(work.max(one));
}
