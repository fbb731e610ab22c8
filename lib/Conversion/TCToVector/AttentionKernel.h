//===- AttentionKernel.h - Attention by tiles of queries --------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_ATTENTIONKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_ATTENTIONKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/AttentionPlan.h"

namespace tc {

/// Emits attention by `plan`: for one tile of query rows at a time its scores,
/// their softmax over the keys, and the weighted sum of the values. The scores
/// of a tile stay in the cache, and its queries are read before its results are
/// written, so that results may overwrite queries.
LaunchShape emitAttentionKernel(CPUFrame &frame, const AttentionPlan &plan);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ATTENTIONKERNEL_H
