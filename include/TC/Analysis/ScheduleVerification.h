//===- ScheduleVerification.h - Schedules that fit their kernel -*- C++ -*-===//

#ifndef TC_ANALYSIS_SCHEDULEVERIFICATION_H
#define TC_ANALYSIS_SCHEDULEVERIFICATION_H

#include "TC/Analysis/ContractionRoles.h"

namespace tc {

/// Bits of the widest element that the body computes.
int64_t getComputeBits(KernelOp kernel);

/// Most bits that `vector_width` times `unroll` elements of a kernel may have:
/// 32 registers of AVX-512 where few operations are repeated for each of them,
/// down to 4 for long bodies. Code and the time to compile it are in proportion
/// to both.
int64_t getMostLaneBits(KernelOp kernel);

/// Whether a read's elements are not next to each other along `dim`: they are
/// put into lanes one by one.
bool readsApart(KernelOp kernel, unsigned dim);

/// Lanes of an access that a target makes one by one, each under a branch. A
/// load hands on the vector made so far: accessed as one, longer vectors would
/// take code of the square of their length, and are accessed in parts.
inline constexpr int64_t kMostLanesInBranches = 16;

/// Most lanes along a dimension along which elements are not next to each
/// other, which take code one by one, in parts of kMostLanesInBranches: of 256
/// lanes LLVM takes ten times as long as of 128.
inline constexpr int64_t kMostGatheredLanes = 8 * kMostLanesInBranches;

/// Most lanes, `vector_width` times `unroll`, along `vectorDim` (-1: none): as
/// many as getMostLaneBits allows, and kMostGatheredLanes where a read has
/// another stride than 0 or 1 along it.
int64_t getMostLanes(KernelOp kernel, int64_t vectorDim);

/// Whether the registers of the module's target hold the accumulators of a
/// contraction's tile: vector registers, or those of AMX.
bool fitsRegisters(KernelOp kernel, const ContractionRoles &roles,
                   ContractionScheduleAttr schedule);

/// What a schedule's own verifier cannot know: that it is for a kernel of this
/// class, rank and body and for the module's target, and that its lanes and
/// tiles are not too many for the body. Fails after an error that names the
/// field, or the schedule where it is of the wrong kind.
mlir::LogicalResult verifySchedule(KernelOp kernel,
                                   ScheduleAttrInterface schedule);

} // namespace tc

#endif // TC_ANALYSIS_SCHEDULEVERIFICATION_H
