//===- GPUContractionSchedule.h - Products on tensor cores ------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_GPUCONTRACTIONSCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_GPUCONTRACTIONSCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Whether a kernel with a contraction multiplies f32, which tensor cores do
/// not.
bool isMultipliedByThreads(KernelOp kernel);

/// The schedule of a product that the tensor cores of `machine` multiply, or
/// threads in tiles, in the tiles with the least estimated time; null for
/// another kernel, and with `mayUseThreads` for one that threads are estimated
/// to multiply as fast.
ScheduleAttrInterface getGPUContractionSchedule(KernelOp kernel,
                                                const MachineModel &machine,
                                                bool mayUseThreads);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_GPUCONTRACTIONSCHEDULE_H
