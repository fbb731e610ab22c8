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

  /// Multiply-adds that one row of queries is worth, its exponentials included,
  /// and what these alone are.
  int64_t countRowMultiplyAdds() const;
  int64_t countExponentials() const;

  /// Nothing when the kernel is another, or its keys, depth or columns are of
  /// no constant number, or the keys too many for a thread's stack.
  static std::optional<TiledAttention> find(KernelOp kernel,
                                            const KernelDims &dims);
};

} // namespace tc

#endif // TC_ANALYSIS_TILEDATTENTION_H
