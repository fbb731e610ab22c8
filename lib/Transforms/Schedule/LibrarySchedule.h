//===- LibrarySchedule.h - Kernels that become calls ------------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_LIBRARYSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_LIBRARYSCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The schedule of a kernel that a library of the target should compute; null
/// for another kernel.
ScheduleAttrInterface getLibrarySchedule(KernelOp kernel,
                                         const MachineModel &machine);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_LIBRARYSCHEDULE_H
