//===- SharedMemoryRowSchedule.h - Rows in shared memory --------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_SHAREDMEMORYROWSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_SHAREDMEMORYROWSCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A schedule for a kernel that folds along `dim`, where registers do not hold
/// its rows by aligned vectors of `lanes` points: they begin anywhere, are
/// short, or have elements at a stride. Null where they do, or where rows do
/// not fit into shared memory.
ScheduleAttrInterface getSharedMemoryRowSchedule(KernelOp kernel,
                                                 const MachineModel &machine,
                                                 unsigned dim, int64_t lanes);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_SHAREDMEMORYROWSCHEDULE_H
