//===- GPUAttentionSchedule.h - Attention on tensor cores -------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_GPUATTENTIONSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_GPUATTENTIONSCHEDULE_H

#include "ModelSchedule.h"

namespace tc {

/// The schedule of attention that the tensor cores of `machine` compute; null
/// where they cannot.
ScheduleAttrInterface getGPUAttentionSchedule(KernelOp kernel,
                                              const MachineModel &machine);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_GPUATTENTIONSCHEDULE_H
