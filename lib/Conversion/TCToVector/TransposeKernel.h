//===- TransposeKernel.h - Kernels of transposed inputs ---------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_TRANSPOSEKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_TRANSPOSEKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/TiledTranspose.h"

namespace tc {

/// Emits a pointwise kernel whose reads are transposed in registers, one square
/// of `vector_width` rows and lanes at a time.
LaunchShape emitTransposeKernel(CPUFrame &frame,
                                const TiledTranspose &transpose,
                                TransposeScheduleAttr schedule);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_TRANSPOSEKERNEL_H
