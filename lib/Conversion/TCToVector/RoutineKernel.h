//===- RoutineKernel.h - Calls of factorisations ----------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_ROUTINEKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_ROUTINEKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"

namespace tc {

/// Kernels with routine stages: each iteration copies its matrices to scratch
/// memory and calls the runtime's routine on them. Fails, with a diagnostic,
/// when a stage has other iterations than another.
mlir::FailureOr<LaunchShape> emitRoutineKernel(CPUFrame &frame);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ROUTINEKERNEL_H
