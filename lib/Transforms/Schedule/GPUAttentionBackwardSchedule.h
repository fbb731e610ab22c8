//===- GPUAttentionBackwardSchedule.h - Its gradients -----------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_GPUATTENTIONBACKWARDSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_GPUATTENTIONBACKWARDSCHEDULE_H

#include "ModelSchedule.h"

namespace tc {

/// The schedule of gradients of attention that the tensor cores of `machine`
/// compute; null where they cannot.
ScheduleAttrInterface
getGPUAttentionBackwardSchedule(KernelOp kernel, const MachineModel &machine);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_GPUATTENTIONBACKWARDSCHEDULE_H
