//===- AttentionKernel.h - Attention on tensor cores ------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONKERNEL_H

#include "GPUFrame.h"
#include "TC/Analysis/TensorCoreAttention.h"

namespace tc {

/// Threads of a block and tensor maps of attention with the schedule.
GPUFrame::Launches getAttentionLaunches(GPUAttentionScheduleAttr schedule);

/// Emits `attention`, which the kernel is: blocks have tiles of query rows, for
/// which one warp group copies keys and values to shared memory and the others
/// multiply. Rows and keys are 2^30 at most; more are reported as an
/// index out of range.
LaunchShape emitAttentionKernel(GPUFrame &frame,
                                const TensorCoreAttention &attention,
                                GPUAttentionScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONKERNEL_H
