//===- SortKernel.h - Sorts of rows by blocks -------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SORTKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_SORTKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel with sort stages: a launch that sorts tiles of the rows in
/// shared memory, one for each round of merges of two runs, in workspace, and
/// one that writes. Fails, with a diagnostic, for a kernel without a workspace,
/// for one that folds, and when a stage sorts other rows than another.
mlir::FailureOr<LaunchShape> emitSortKernel(GPUFrame &frame,
                                            GPUSortScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SORTKERNEL_H
