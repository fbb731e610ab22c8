//===- AttentionBackwardKernel.h - Its gradients ----------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDKERNEL_H

#include "GPUFrame.h"
#include "TC/Analysis/TensorCoreAttentionBackward.h"

namespace tc {

/// Threads of a block, tensor maps and counters.
GPUFrame::Launches getAttentionBackwardLaunches();

/// Emits `gradients`, which the kernel is: blocks have tiles of keys, for which
/// one warp group copies queries and their gradients to shared memory and what
/// is added up for the queries to memory, and two multiply. Queries and keys
/// are 2^30 at most; more are reported as an index out of range.
LaunchShape
emitAttentionBackwardKernel(GPUFrame &frame,
                            const TensorCoreAttentionBackward &gradients,
                            GPUAttentionBackwardScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDKERNEL_H
