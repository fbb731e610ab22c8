//===- AttentionKernel.h - Attention by tiles of queries --------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_ATTENTIONKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_ATTENTIONKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/AttentionPlan.h"

namespace tc {

/// Scores, a softmax over one dimension of keys, a weighted sum: a tile of
/// query rows at a time, which stays in the cache. The queries of a tile are
/// read before its results are written.
LaunchShape emitAttentionKernel(CPUFrame &frame, const AttentionPlan &plan);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ATTENTIONKERNEL_H
