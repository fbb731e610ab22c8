//===- SortKernel.h - Kernels that sort rows --------------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_SORTKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_SORTKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/TaskPlan.h"

namespace tc {

/// Kernels with sort stages: each iteration sorts one row, in workspace of its
/// task. Fails, with a diagnostic, when a stage sorts other rows than another
/// and for a kernel without a workspace.
mlir::FailureOr<LaunchShape> emitSortKernel(CPUFrame &frame,
                                            const TaskPlan &plan);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_SORTKERNEL_H
