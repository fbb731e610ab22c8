//===- TiledAttention.h - What attention's dims are for ---------*- C++ -*-===//

#ifndef TC_ANALYSIS_TILEDATTENTION_H
#define TC_ANALYSIS_TILEDATTENTION_H

#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// A kernel of scores, a softmax over one dimension of keys and a weighted sum
/// of values that is computed a tile of query rows at a time on a CPU: first
/// the scores of the tile's rows with all keys, then their weights, then the
/// results of these rows. The queries of a row are read for nothing but its
/// scores.
struct TiledAttention {
  ContractStageOp scores, output;
  ReduceStageOp largest, sum;
  mlir::Value keys, queries, values; ///< operands of the contractions
  unsigned row, key, column;         ///< dimensions: query, key, value column
  llvm::SmallVector<unsigned> depth, batches;
  bool causal = false; ///< keys after the row count for nothing

  /// Points of `key`, `depth` and `column`.
  int64_t keyCount, depthCount, columnCount;
  /// Nothing when the kernel is another, or its keys or columns are of no
  /// constant number.
  static std::optional<TiledAttention> find(KernelOp kernel,
                                            const KernelDims &dims);

  /// Elements of a row of scores: whole lanes.
  int64_t getRowLength(AttentionScheduleAttr schedule) const {
    return llvm::alignTo(keyCount, schedule.getKeyLanes());
  }
  /// Elements of the largest of what is packed or computed on a thread's stack
  /// (the keys, the scores of a tile), and how many it may have.
  int64_t getScratch(AttentionScheduleAttr schedule) const;
  static constexpr int64_t kMostScratch = 1 << 18;

  /// The machine model's schedule; null where none needs little enough of the
  /// stack.
  AttentionScheduleAttr chooseSchedule(KernelOp kernel) const;
};

} // namespace tc

#endif // TC_ANALYSIS_TILEDATTENTION_H
