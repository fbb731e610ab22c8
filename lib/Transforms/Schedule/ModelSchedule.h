//===- ModelSchedule.h - The machine model's schedules ----------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_MODELSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_MODELSCHEDULE_H

#include "CPUSchedule.h"
#include "GPUSchedule.h"

namespace tc {

/// The schedule that the model of `machine`, a CPU or a GPU, chooses for a
/// kernel on tensors or memrefs.
inline ScheduleAttrInterface getModelSchedule(KernelOp kernel,
                                              const MachineModel &machine,
                                              PreparedValues &prepared) {
  if (machine.isGPU)
    return getGPUSchedule(kernel, machine);
  return getCPUSchedule(kernel, machine, prepared);
}

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_MODELSCHEDULE_H
