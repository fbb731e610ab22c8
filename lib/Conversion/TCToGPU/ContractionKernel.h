//===- ContractionKernel.h - Products on tensor cores -----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONKERNEL_H

#include "GPUFrame.h"
#include "TC/Analysis/TensorCoreProduct.h"

namespace tc {

/// Threads of a block and tensor maps of a kernel with the schedule.
GPUFrame::Launches getContractionLaunches(GPUContractionScheduleAttr schedule);

/// Emits `product`, which the kernel is, in tiles: one warp group copies the
/// operands to shared memory and the others multiply. Where a buffer is not
/// aligned for that, threads compute point by point.
LaunchShape emitContractionKernel(GPUFrame &frame,
                                  const TensorCoreProduct &product,
                                  GPUContractionScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONKERNEL_H
