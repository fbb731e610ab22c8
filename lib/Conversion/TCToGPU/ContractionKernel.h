//===- ContractionKernel.h - Products on tensor cores -----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONKERNEL_H

#include "GPUFrame.h"
#include "TC/Analysis/TensorCoreProduct.h"

namespace tc {

/// Threads of a block and tensor maps of `product` with the schedule.
GPUFrame::Launches getContractionLaunches(const TensorCoreProduct &product,
                                          GPUContractionScheduleAttr schedule);

/// Emits `product`, which the kernel is, in tiles: one warp group brings the
/// operands to shared memory and the others multiply.
LaunchShape emitContractionKernel(GPUFrame &frame,
                                  const TensorCoreProduct &product,
                                  GPUContractionScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONKERNEL_H
