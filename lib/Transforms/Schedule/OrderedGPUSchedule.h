//===- OrderedGPUSchedule.h - Scans, sorts and scatters on a GPU *- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_ORDEREDGPUSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_ORDEREDGPUSCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The schedule on a GPU of a kernel whose points depend on each other: that
/// scans, sorts or writes to computed places, or calls a routine, which the
/// host does. Null for any other kernel.
ScheduleAttrInterface getOrderedGPUSchedule(KernelOp kernel,
                                            const MachineModel &machine);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_ORDEREDGPUSCHEDULE_H
