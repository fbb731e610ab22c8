//===- ScanKernel.h - Scans of rows by blocks -------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SCANKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_SCANKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel that scans along one dimension. A block takes a row in chunks
/// of one element a thread: the threads fold a chunk in a tree, in the order of
/// the row, and carry its fold to the next. With segments, a first launch
/// writes the fold of each to workspace, and a second starts each from the
/// folds before it.
LaunchShape emitScanKernel(GPUFrame &frame, GPUScanScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SCANKERNEL_H
