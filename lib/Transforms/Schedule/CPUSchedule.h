//===- CPUSchedule.h - The machine model's schedules for a CPU --*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_CPUSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_CPUSCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Transforms/Parameters/PreparedValues.h"

namespace tc {

/// A schedule for a CPU, of the way of emission that suits the kernel: whole
/// sorts and routines in tasks; tiles of attention, of a contraction, of a
/// transpose where its body has the form and its sizes are known; else loops.
ScheduleAttrInterface getCPUSchedule(KernelOp kernel,
                                     const MachineModel &machine,
                                     PreparedValues &prepared);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_CPUSCHEDULE_H
