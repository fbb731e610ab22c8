//===- TaskSize.cpp - How much of a launch is worth a thread --------------===//

#include "TaskSize.h"

using namespace mlir;
using namespace tc;

SizeExpr tc::limitTasks(SizeExpr grain, SizeExpr count, SizeExpr tasksOfWork,
                        SizeExpr bytes, SizeExpr most) {
  MLIRContext *context = grain.getContext();
  SizeExpr one = SizeExpr::constant(context, 1);
  SizeExpr tasks = most.floorDiv(bytes.max(one)).max(tasksOfWork).max(one);
  return grain.max(count.ceilDiv(tasks));
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
