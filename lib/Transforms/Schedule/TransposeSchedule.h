//===- TransposeSchedule.h - Tiles of transposed inputs ---------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_TRANSPOSESCHEDULE_H
#define TC_LIB_TRANSFORMS_SCHEDULE_TRANSPOSESCHEDULE_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A schedule for a kernel whose results are contiguous along another dimension
/// than some inputs, with vectors of `lanes` points of the results; null where
/// the kernel is none such, or where no tile of it fits into shared memory.
GPUTransposeScheduleAttr getTransposeTiles(KernelOp kernel,
                                           const MachineModel &machine,
                                           KernelDims &dims, int64_t lanes);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_TRANSPOSESCHEDULE_H
