//===- AttentionPlan.h - How attention is computed --------------*- C++ -*-===//
//
// Attention is two matrix products in the register tiles of contractions. One
// iteration of the launch computes a block of query rows of one head, for which
// it packs the keys once. For each tile of rows it computes the scores of the
// rows with all keys, replaces them by their exponentials, rounded as the
// kernel's body says, and computes the weighted sum of the values. The scores
// of a tile stay in the cache.
//
// Multiply-adds of f32 read queries and values in place. Those of pairs of bf16
// (AVX512-BF16, AMX) need both packed: the values once an iteration, the
// queries once a tile.
//
// The machine model chooses schedules by their plans, and the code generator
// follows the same plan, so that both agree on the memory of a task.
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
  int64_t keyWidth; ///< elements of the vectors that keys are packed from
  /// Whether keys are packed from vectors along the depth, and values from
  /// vectors along the keys: both are then transposed in registers.
  bool packsKeysAcross, packsValuesAcross;
  /// Points of a panel of packed keys, and of one of packed values; 0 for
  /// values that are read in place.
  int64_t keyPoints, valuePoints;
  /// The stride of the rows of packed queries, in elements; 0 where queries are
  /// read in place.
  int64_t queryStride;
  int64_t scoreStride; ///< of the rows of scores, in f32 elements
  /// Whether a tile's results overwrite its scores.
  bool sharesScratch;

  bool usesAMX() const {
    return schedule.getMultiplyAdds() == MultiplyAddKind::AMX;
  }
  /// Points multiplied together: 2 of bf16, or 1.
  int64_t pair() const {
    return schedule.getMultiplyAdds() == MultiplyAddKind::Vector ? 1 : 2;
  }
  /// Whether queries and values are packed as well as the keys.
  bool packsAll() const { return pair() == 2; }
  /// Points that one step of a tile multiplies: 32 with AMX.
  int64_t getStep() const;
  /// Elements of the packed keys, and of the packed values, of one iteration.
  int64_t countKeyElements() const;
  int64_t countValueElements() const;
  /// Bytes that a task takes of its thread's stack with tiles of `rows` rows:
  /// of these, getPackedBytes for keys and values, and getRowBytes for each
  /// row.
  int64_t getTaskBytes(int64_t rows) const {
    return getPackedBytes() + rows * getRowBytes();
  }
  int64_t getPackedBytes() const;
  int64_t getRowBytes() const;
};

/// The plan of `schedule` that code for `machine` follows. Nothing where
/// `mayMultiplyBy` refuses the schedule's multiply-adds, or where the scores of
/// a tile or the packed values are too large for a thread's stack.
std::optional<AttentionPlan> planAttention(KernelOp kernel,
                                           const TiledAttention &parts,
                                           AttentionScheduleAttr schedule,
                                           const MachineModel &machine);

/// Whether code for `machine` may use multiply-adds of `kind` in this kernel:
/// those of bf16 need both contractions to multiply bf16, and the instructions.
bool mayMultiplyBy(const TiledAttention &parts, MultiplyAddKind kind,
                   const MachineModel &machine);

/// The schedule with the least estimated time on `machine`: AMX tile registers,
/// then pairs of bf16 in vector registers, then f32 in vector registers. Pairs
/// are chosen where a task takes at most half as many bytes of its stack as the
/// kernel writes at the smallest sizes that its symbols allow, or no more than
/// a task of f32 takes. Null where no plan fits a thread's stack.
AttentionScheduleAttr chooseAttentionSchedule(KernelOp kernel,
                                              const TiledAttention &parts,
                                              const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_ATTENTIONPLAN_H
