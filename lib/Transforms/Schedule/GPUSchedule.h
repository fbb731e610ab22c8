//===- GPUSchedule.h - The machine model's schedules for a GPU --*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A schedule for a GPU: `vector_dim` is the dimension that neighbouring
/// threads go along, `threads` the size of a block.
GPULoopScheduleAttr getGPUSchedule(KernelOp kernel);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H
