//===- ScheduleVerification.h - Schedules that fit their kernel -*- C++ -*-===//

#ifndef TC_ANALYSIS_SCHEDULEVERIFICATION_H
#define TC_ANALYSIS_SCHEDULEVERIFICATION_H

#include "TC/Dialect/TC/IR/TCOps.h"

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

/// Most lanes, `vector_width` times `unroll`, along `vectorDim` (-1: none): as
/// many as getMostLaneBits allows, and 128 where a read has them apart.
int64_t getMostLanes(KernelOp kernel, int64_t vectorDim);

/// What the verifier of #tc.schedule cannot know: that the fields are those of
/// a kernel of this class and rank, and that its lanes are not too many for its
/// body. Fails after an error that names the field.
mlir::LogicalResult verifySchedule(KernelOp kernel, ScheduleAttr schedule);

} // namespace tc

#endif // TC_ANALYSIS_SCHEDULEVERIFICATION_H
