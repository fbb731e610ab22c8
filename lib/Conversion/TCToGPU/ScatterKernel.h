//===- ScatterKernel.h - Writes to computed places --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SCATTERKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_SCATTERKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel whose points may meet at one element. Elements belong to
/// warps, by their number in their buffer; each warp finds its own among all
/// points and writes them in the order of the domain. Atomic, every thread
/// writes its own points; where these replace, a launch of atomic maxima in
/// workspace finds the last point of each element before. Fails, with a
/// diagnostic, without that workspace.
mlir::FailureOr<LaunchShape> emitScatterKernel(GPUFrame &frame,
                                               GPUScatterScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SCATTERKERNEL_H
