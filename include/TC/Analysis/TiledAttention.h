//===- TiledAttention.h - Dimensions and stages of attention ----*- C++ -*-===//

#ifndef TC_ANALYSIS_TILEDATTENTION_H
#define TC_ANALYSIS_TILEDATTENTION_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// A kernel of scores, a softmax over one dimension of keys and a weighted sum
/// of values, which a CPU computes one tile of query rows at a time: first the
/// scores of the tile's rows with all keys, then their softmax weights, then
/// the results of these rows. Only the scores read the queries.
struct TiledAttention {
  ContractStageOp scores, output;
  ReduceStageOp largest, sum;
  mlir::Value keys, queries, values; ///< operands of the contractions
  /// Dimensions: of the queries, of the keys, of the columns of the values.
  /// Where several are of the queries alone, all but the last are batch
  /// dimensions; where none is, for one query, the row is the number of all
  /// dimensions.
  unsigned row, key, column;
  bool hasOneRowDim;
  /// Dimensions: those that the scores are contracted over, and those of the
  /// results that are neither `row` nor `column`.
  llvm::SmallVector<unsigned> depth, batches;
  /// Whether (i1) dropout keeps a weight, behind the sum; null without it.
  mlir::Value kept;
  bool causal = false; ///< whether keys after the row have the score -inf
  /// What is written of the weighted values, and what of the rows' softmax
  /// alone: one element for all columns, such as the logarithm of the sum.
  llvm::SmallVector<WriteOp> columnWrites, rowWrites;

  /// Points of `key`, `depth` and `column`.
  int64_t keyCount, depthCount, columnCount;

  /// Multiply-adds of one row of queries, with 16 for each exponential, and
  /// those for the exponentials alone.
  int64_t countRowMultiplyAdds() const;
  int64_t countExponentials() const;

  /// The stages and dimensions of a kernel that is attention, whatever its
  /// types and sizes; numbers of points are not set.
  static std::optional<TiledAttention> findRoles(KernelOp kernel,
                                                 const KernelDims &dims);
  /// Nothing where the kernel is not attention of f32 scores without dropout,
  /// where the number
  /// of keys, depth or columns is not constant, or where the packed keys are
  /// too large for a thread's stack.
  static std::optional<TiledAttention> find(KernelOp kernel,
                                            const KernelDims &dims);
};

} // namespace tc

#endif // TC_ANALYSIS_TILEDATTENTION_H
