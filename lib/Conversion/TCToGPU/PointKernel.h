//===- PointKernel.h - Points on the threads of a grid ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_POINTKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_POINTKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel each of whose threads computes `units` vectors of
/// `vector_width` points that are independent of each other, and all that these
/// fold by itself.
LaunchShape emitPointKernel(GPUFrame &frame, GPULoopScheduleAttr schedule);

/// The write that vectors along `dim` are aligned for; null for none.
WriteOp findVectorWrite(KernelOp kernel, unsigned dim);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_POINTKERNEL_H
