//===- RoutineKernel.h - Calls of factorisations ----------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_ROUTINEKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_ROUTINEKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/TaskPlan.h"

namespace tc {

/// Kernels with routine stages: each iteration copies its matrices to workspace
/// of its task and calls the runtime's routine on them. Fails, with a
/// diagnostic, when a stage has other iterations than another and for a kernel
/// without a workspace.
mlir::FailureOr<LaunchShape> emitRoutineKernel(CPUFrame &frame,
                                               const TaskPlan &plan);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ROUTINEKERNEL_H
