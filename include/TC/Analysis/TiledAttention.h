//===- TiledAttention.h - What attention's dims are for ---------*- C++ -*-===//

#ifndef TC_ANALYSIS_TILEDATTENTION_H
#define TC_ANALYSIS_TILEDATTENTION_H

#include "TC/Analysis/MachineModel.h"
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

  /// Multiply-adds that one row of queries is worth, its exponentials included.
  int64_t countRowMultiplyAdds() const;
  /// Elements from the values of one key to those of the next where vectors of
  /// them can be read as they lie; nothing where values have to be packed.
  std::optional<int64_t> getValueStride(KernelOp kernel) const;

  /// Nothing when the kernel is another, or its keys, depth or columns are of
  /// no constant number, or too many for a thread's stack.
  static std::optional<TiledAttention> find(KernelOp kernel,
                                            const KernelDims &dims);

  /// Whether both contractions multiply bf16 and the schedule's tiles are such
  /// that tile registers (AMX) accumulate them, where the target has them.
  bool fitsTileRegisters(AttentionScheduleAttr schedule) const;
  /// Whether a tile has no more accumulators than 32 vector registers of 16
  /// lanes hold.
  bool fitsVectorRegisters(AttentionScheduleAttr schedule) const;
  /// Lanes of the exponentials: no more than there are keys, but whole steps of
  /// tile registers.
  int64_t getSoftmaxLanes(AttentionScheduleAttr schedule) const;
  /// Elements of a row of scores: whole lanes of tiles and of the softmax.
  int64_t getRowLength(AttentionScheduleAttr schedule) const;
  /// Elements of the scores of a tile, on a thread's stack, and how many there
  /// may be.
  int64_t countScores(AttentionScheduleAttr schedule) const;
  static constexpr int64_t kMostScores = 1 << 18;
};

/// The schedule with the least estimated time on `machine`: of vector
/// registers, or of tile registers where the machine has those of bf16 and both
/// contractions multiply bf16.
AttentionScheduleAttr chooseAttentionSchedule(KernelOp kernel,
                                              const TiledAttention &attention,
                                              const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_TILEDATTENTION_H
