//===- PointKernel.h - Kernels as loops over points -------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_POINTKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_POINTKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"

namespace tc {

/// Pointwise ops, reductions, and any kernel without a better emitter: outer
/// parallel dimensions are the iterations, the schedule's vector dimension the
/// lanes. Fails, with a diagnostic, on stages that need another emitter.
mlir::FailureOr<LaunchShape> emitPointKernel(CPUFrame &frame);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_POINTKERNEL_H
