//===- GPUSchedule.h - The machine model's schedules for a GPU --*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The machine model's schedule of a kernel for a GPU: `vector_dim` is the
/// dimension along which consecutive threads compute consecutive points,
/// `threads` the number of threads of a block.
GPULoopScheduleAttr getGPUSchedule(KernelOp kernel);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H
