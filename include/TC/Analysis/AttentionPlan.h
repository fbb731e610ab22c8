//===- AttentionPlan.h - How attention is computed --------------*- C++ -*-===//
//
// Attention is two matrix products on the tiles of contractions. One iteration
// of the launch is a block of query rows of one head, for which the keys are
// packed once. For each tile of rows follow the scores of the whole rows, their
// exponentials in place, rounded as the kernel's body says, and the weighted
// sum of the values. Scores never leave the cache.
//
// Vectors of f32 read queries and values in place. Pairs of bf16 (AVX512-BF16,
// AMX) need them packed: the values once for an iteration, the queries for each
// tile.
//
// The machine model chooses schedules by what a plan says of them, and the code
// generator follows the plan, so that both agree on the memory of a task.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_ATTENTIONPLAN_H
#define TC_ANALYSIS_ATTENTIONPLAN_H

#include "TC/Analysis/TiledAttention.h"

namespace tc {

struct AttentionPlan {
  TiledAttention parts;
  AttentionScheduleAttr schedule;
  int64_t width;    ///< f32 elements of a vector register
  int64_t keyWidth; ///< f32 elements of the vectors that keys are packed from
  /// Whether these vectors run along the depth, and those of the values along
  /// the keys: both are then transposed in registers.
  bool packsKeysAcross, packsValuesAcross;
  /// Points of packed keys and of packed values, a panel each; of values that
  /// are read in place none.
  int64_t keyPoints, valuePoints;
  int64_t queryStride; ///< of packed queries, in elements; 0 in place
  int64_t scoreStride; ///< of the rows of scores, in f32 elements
  /// Whether a tile's results take the place of its scores.
  bool sharesScratch;

  bool usesAMX() const {
    return schedule.getMultiplyAdds() == MultiplyAddKind::AMX;
  }
  /// Points multiplied together: 2 of bf16.
  int64_t pair() const {
    return schedule.getMultiplyAdds() == MultiplyAddKind::Vector ? 1 : 2;
  }
  /// Whether queries and values are packed as well as the keys.
  bool packsAll() const { return pair() == 2; }
  /// Points that a step of a tile multiplies.
  int64_t getStep() const;
  /// Elements of the packed keys and values of an iteration.
  int64_t countKeyElements() const;
  int64_t countValueElements() const;
  /// Bytes that a task takes of its thread's stack with tiles of `rows` rows,
  /// and what it takes of them for each row and whatever they are.
  int64_t getTaskBytes(int64_t rows) const {
    return getPackedBytes() + rows * getRowBytes();
  }
  int64_t getPackedBytes() const;
  int64_t getRowBytes() const;
};

/// The plan that code has for `schedule`. Nothing where the schedule multiplies
/// pairs of bf16 and the kernel or `machine` does not, or where the scores of a
/// tile or what is packed are larger than stacks are.
std::optional<AttentionPlan> planAttention(KernelOp kernel,
                                           const TiledAttention &parts,
                                           AttentionScheduleAttr schedule,
                                           const MachineModel &machine);

/// Whether code for `machine` may multiply by `kind` in this kernel.
bool mayMultiplyBy(const TiledAttention &parts, MultiplyAddKind kind,
                   const MachineModel &machine);

/// The schedule with the least estimated time on `machine`: tile registers
/// (AMX), pairs of bf16 or f32 in vector registers. Pairs are chosen where what
/// they pack is at most half of what the kernel writes at the smallest sizes
/// that its symbols allow, or no more than vectors of f32 would take. Null
/// where no plan is small enough.
AttentionScheduleAttr chooseAttentionSchedule(KernelOp kernel,
                                              const TiledAttention &parts,
                                              const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_ATTENTIONPLAN_H
