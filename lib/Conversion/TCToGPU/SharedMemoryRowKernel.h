//===- SharedMemoryRowKernel.h - Rows in shared memory ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SHAREDMEMORYROWKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_SHAREDMEMORYROWKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel whose blocks copy rows to shared memory, compute them there,
/// and copy what comes of them back. `verifySchedule` holds.
LaunchShape emitSharedMemoryRowKernel(GPUFrame &frame,
                                      GPUSharedMemoryRowScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SHAREDMEMORYROWKERNEL_H
