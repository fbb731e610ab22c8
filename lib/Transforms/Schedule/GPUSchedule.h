//===- GPUSchedule.h - The machine model's schedules for a GPU --*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H

#include "TC/Analysis/MachineModel.h"

namespace tc {

/// The machine model's schedule of a kernel for a GPU; a routine has that of
/// the host.
ScheduleAttrInterface getGPUSchedule(KernelOp kernel,
                                     const MachineModel &machine);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_GPUSCHEDULE_H
