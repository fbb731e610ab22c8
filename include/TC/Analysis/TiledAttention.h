//===- TiledAttention.h - What attention's dims are for ---------*- C++ -*-===//

#ifndef TC_ANALYSIS_TILEDATTENTION_H
#define TC_ANALYSIS_TILEDATTENTION_H

#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// f32 lanes of one vector register, registers for the sums of a tile, and
/// lanes of the tile's epilogue: fewer, its temporaries need registers.
inline constexpr int64_t kRegisterLanes = 16, kAccumulators = 24,
                         kEpilogueLanes = 32;

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
  /// Lanes along the keys and along the columns, rows of a tile.
  int64_t keyLanes, columnLanes, rows;
  /// Elements of a row of scores: whole lanes.
  int64_t rowLength() const {
    return llvm::divideCeil(keyCount, keyLanes) * keyLanes;
  }

  /// Nothing when the kernel is another, or its keys, depth or columns are of
  /// no constant number, or too many for a thread's stack.
  static std::optional<TiledAttention> find(KernelOp kernel,
                                            const KernelDims &dims);
};

} // namespace tc

#endif // TC_ANALYSIS_TILEDATTENTION_H
