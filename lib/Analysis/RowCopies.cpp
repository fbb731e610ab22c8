//===- RowCopies.cpp - Rows that threads copy to shared memory ------------===//

#include "TC/Analysis/RowCopies.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Dialect/TC/IR/KernelDims.h"

using namespace mlir;
using namespace tc;

RowCopies::RowCopies(KernelOp kernel, GPURowScheduleAttr schedule)
    : alignment(kernel, unsigned(schedule.getVectorDim()),
                schedule.getVectorWidth()) {
  KernelDims dims(kernel);
  auto isCopied = [&](ReadOp read) {
    auto stride = getElementStride(cast<ShapedType>(read.getSource().getType()),
                                   read.getMap(), alignment.dim);
    int64_t bytes = getVectorBytes(read);
    return alignment.isUseful() && alignment.contains(read) &&
           !read.getWithin() && read.getIndices().empty() && stride &&
           stride->isConstant(1) && (bytes == 4 || bytes == 8 || bytes == 16);
  };
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    if (!dims.of(read.getResult()).test(alignment.dim))
      continue;
    if (isCopied(read))
      reads.push_back(read);
    else
      isComplete = false;
  }
}

int64_t RowCopies::getVectorBytes(ReadOp read) const {
  return alignment.lanes * getElementBytes(read.getResult().getType());
}

int64_t RowCopies::getBytes(GPURowScheduleAttr schedule) const {
  int64_t bytes = 0;
  for (ReadOp read : reads)
    bytes += getVectorBytes(read);
  return bytes * schedule.getUnits() * schedule.getThreads() *
         schedule.getRows();
}
