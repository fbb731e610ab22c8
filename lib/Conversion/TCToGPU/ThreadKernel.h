//===- ThreadKernel.h - Kernels of points for each thread -------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_THREADKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_THREADKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits the kernel of `frame`. Where the schedule's vector dimension is one
/// that the independent points do not vary over (a row), a block computes one
/// such point and its threads share the row; else every thread computes points
/// of its own, neighbours along the vector dimension.
LaunchShape emitThreadKernel(GPUFrame &frame);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_THREADKERNEL_H
