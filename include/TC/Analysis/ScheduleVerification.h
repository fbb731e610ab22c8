//===- ScheduleVerification.h - Schedules that fit their kernel -*- C++ -*-===//

#ifndef TC_ANALYSIS_SCHEDULEVERIFICATION_H
#define TC_ANALYSIS_SCHEDULEVERIFICATION_H

#include "TC/Analysis/ContractionRoles.h"

namespace tc {

/// Bits of the widest float that the body computes; of the widest element of
/// the buffers where it computes none, at least 8.
int64_t getComputeBits(KernelOp kernel);

/// Most bits that `vector_width` times `unroll` elements of a kernel may have:
/// 32 registers of AVX-512, of 512 bits each, for bodies of few operations, 8
/// for longer and 4 for the longest. The length of the code and the time to
/// compile it are proportional to the registers and to the body.
int64_t getMostLaneBits(KernelOp kernel);

/// Whether some read has dynamic indices, or along `dim` another stride than 0
/// and 1: its elements are put into lanes one by one.
bool hasStridedRead(KernelOp kernel, unsigned dim);

/// Most lanes of one access that a target executes lane by lane, each under a
/// branch. Each branch of a load passes the vector made so far on to the next,
/// so that code is as long as the square of the lanes: longer vectors are
/// accessed in parts of this many lanes.
inline constexpr int64_t kMostLanesInBranches = 16;

/// Most lanes along a dimension where `hasStridedRead` holds, as these take
/// code for each lane, in parts of kMostLanesInBranches: LLVM compiles 256
/// lanes ten times as long as 128.
inline constexpr int64_t kMostGatheredLanes = 8 * kMostLanesInBranches;

/// Most lanes, `vector_width` times `unroll`, along `vectorDim` (-1: none): as
/// many as getMostLaneBits allows, and at most kMostGatheredLanes where
/// `hasStridedRead` holds along it.
int64_t getMostLanes(KernelOp kernel, int64_t vectorDim);

/// Whether the registers of the module's target hold the accumulators of a
/// contraction's tile: vector registers, or those of AMX.
bool fitsRegisters(KernelOp kernel, const ContractionRoles &roles,
                   ContractionScheduleAttr schedule);

/// Verifies what the attribute's own verifier cannot know: that the schedule is
/// for a kernel of this class, rank and body and for the module's target, and
/// that its lanes and accumulators are not too many for the body. Fails after
/// an error that names the field, or the schedule where it is of the wrong
/// kind.
mlir::LogicalResult verifySchedule(KernelOp kernel,
                                   ScheduleAttrInterface schedule);

/// Whether the threads of a block can fold a row that the kernel scans: it
/// scans along one dimension and every write puts points at elements of their
/// own.
bool mayScanInBlocks(KernelOp kernel);
/// Whether blocks can scan parts of a row: besides, it has one scan, no other
/// fold, and all writes vary over all dimensions.
bool mayScanInSegments(KernelOp kernel);

/// Whether atomic operations can do the writes that may meet: those that
/// replace, sums of f32, f64, i32 and i64, maxima and minima of these integers,
/// each alone in its buffer.
bool mayCombineAtomically(KernelOp kernel);

/// Whether a kernel that scatters writes whole columns along `dim`, an outer
/// dimension: where a point goes is the same for all of them.
bool mayScatterColumns(KernelOp kernel, unsigned dim);

} // namespace tc

#endif // TC_ANALYSIS_SCHEDULEVERIFICATION_H
