//===- CPUSchedule.h - The machine model's schedules for a CPU --*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_CPUSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_CPUSCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Transforms/Parameters/PreparedValues.h"

namespace tc {

/// The machine model's schedule of a kernel for a CPU: tasks for sorts and
/// routines; tiles for attention, a contraction or a transpose whose body and
/// sizes have the form that tiles need; loops otherwise.
ScheduleAttrInterface getCPUSchedule(KernelOp kernel,
                                     const MachineModel &machine,
                                     PreparedValues &prepared);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_CPUSCHEDULE_H
