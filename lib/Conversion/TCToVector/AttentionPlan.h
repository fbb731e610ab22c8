//===- AttentionPlan.h - How attention is emitted ---------------*- C++ -*-===//
//
// Attention is two matrix products on the tiles of contractions. One iteration
// of the launch is a block of query rows of one head. The keys are packed once
// an iteration, and the values too unless vectors of them can be read as they
// lie. For each tile of rows the queries are copied, then follow the scores of
// the whole rows, their exponentials in place, rounded as the kernel's body
// says, and the weighted sum of the values. Scores never leave the cache.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOVECTOR_ATTENTIONPLAN_H
#define TC_CONVERSION_TCTOVECTOR_ATTENTIONPLAN_H

#include "KernelEmitters.h"

namespace tc {

struct AttentionPlan {
  TiledAttention parts;
  AttentionScheduleAttr schedule;
  bool usesAMX; ///< both products are in tile registers
  /// What tiles multiply: queries by keys, weights by values.
  TileLayout scores, output;
  PackedOperand queries, keys, values;
  bool packsValues;
  /// Points of packed keys and of packed values, a panel each.
  int64_t keyPoints, valuePoints;
  int64_t softmaxLanes;  ///< of the loops over a row's scores
  int64_t epilogueLanes; ///< of the loops that write a tile
  int64_t scoreStride;   ///< f32 elements from one row of scores to the next
  /// Whether a tile's results take the place of its scores.
  bool sharesScratch;

  /// Rows of a tile where little is written.
  int64_t partRows() const { return getPartOfTile(schedule.getRows()); }
  /// Elements of the packed keys and values of one iteration.
  int64_t keyElements() const;
  int64_t valueElements() const;
  /// Bytes of a thread's stack, with whole tiles.
  int64_t scratchBytes() const;
};

/// Nothing where the schedule's tiles are not what the target's registers hold.
std::optional<AttentionPlan> planAttention(KernelFrame &frame,
                                           const TiledAttention &parts,
                                           AttentionScheduleAttr schedule);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ATTENTIONPLAN_H
