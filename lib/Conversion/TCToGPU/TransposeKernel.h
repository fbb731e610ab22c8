//===- TransposeKernel.h - Inputs transposed by blocks ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TRANSPOSEKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_TRANSPOSEKERNEL_H

#include "GPUFrame.h"
#include "TC/Analysis/TiledTranspose.h"

namespace tc {

/// Emits a pointwise kernel some of whose reads are transposed: each block
/// transposes a square tile of them in shared memory.
LaunchShape emitTransposeKernel(GPUFrame &frame,
                                const TiledTranspose &transpose,
                                GPUTransposeScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TRANSPOSEKERNEL_H
