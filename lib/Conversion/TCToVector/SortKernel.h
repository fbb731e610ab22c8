//===- SortKernel.h - Kernels that sort rows --------------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_SORTKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_SORTKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"

namespace tc {

/// Kernels with sort stages: each iteration sorts one row, in scratch memory.
/// Fails, with a diagnostic, when a stage sorts other rows than another.
mlir::FailureOr<LaunchShape> emitSortKernel(CPUFrame &frame);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_SORTKERNEL_H
