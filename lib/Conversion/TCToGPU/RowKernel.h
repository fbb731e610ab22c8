//===- RowKernel.h - Rows that threads share --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ROWKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_ROWKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel whose rows are each computed by `threads` threads, which hold
/// it in registers where the schedule has `units`.
LaunchShape emitRowKernel(GPUFrame &frame, GPURowScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ROWKERNEL_H
