//===- PointKernel.h - Kernels as loops over points -------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_POINTKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_POINTKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"

namespace tc {

/// Emits a kernel point by point: iterations run over the outer dimensions,
/// lanes along the schedule's `vector_dim`. Fails after an error on stages that
/// need another emitter.
mlir::FailureOr<LaunchShape> emitPointKernel(CPUFrame &frame);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_POINTKERNEL_H
