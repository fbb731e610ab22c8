//===- ScheduleVerification.cpp - Schedules that fit their kernel ---------===//

#include "TC/Analysis/ScheduleVerification.h"

using namespace mlir;
using namespace tc;

LogicalResult tc::verifySchedule(KernelOp kernel, ScheduleAttr schedule) {
  int64_t rank = kernel.getNumDims();
  if (schedule.getVectorDim() < -1 || schedule.getVectorDim() >= rank)
    return kernel.emitOpError("has a schedule with vector_dim ")
           << schedule.getVectorDim() << "; expected -1 or one of its " << rank
           << " dimensions";
  if (schedule.getVectorDim() == -1 && schedule.getVectorWidth() != 1)
    return kernel.emitOpError("has a schedule with vector_width ")
           << schedule.getVectorWidth()
           << " and no vector_dim; expected vector_width 1";
  size_t expected = 0;
  switch (kernel.getKernelClass()) {
  case KernelClass::Contraction:
    expected = 5;
    break;
  case KernelClass::Attention:
  case KernelClass::Transpose:
    expected = 2;
    break;
  default:
    break;
  }
  if (schedule.getTile().empty() || schedule.getTile().size() == expected)
    return success();
  return kernel.emitOpError("has a schedule with tile [")
         << schedule.getTile() << "]; a "
         << stringifyKernelClass(kernel.getKernelClass()) << " kernel has "
         << expected << " tile sizes";
}
