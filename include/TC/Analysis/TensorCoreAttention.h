//===- TensorCoreAttention.h - Attention for tensor cores -------*- C++ -*-===//

#ifndef TC_ANALYSIS_TENSORCOREATTENTION_H
#define TC_ANALYSIS_TENSORCOREATTENTION_H

#include "TC/Analysis/CopiedMatrix.h"
#include "TC/Analysis/KeptWeights.h"
#include "TC/Analysis/KeyBounds.h"
#include "TC/Analysis/TiledAttention.h"
#include "llvm/Support/Error.h"

namespace tc {

/// Whether a kernel of `op` is for the tensor cores of its module's target, as
/// types and sizes say: then it need not be decomposed.
bool mayUseTensorCores(AttentionOp op);

/// Attention whose queries, keys and values, of bf16 or f16, the copy engine of
/// a GPU takes to shared memory, and whose softmax may be computed of a block
/// of keys at a time. What is done with the scores before it may be anything of
/// their row and key, and what is done with the sums anything of their row.
struct TensorCoreAttention {
  TiledAttention parts;
  CopiedMatrix queries, keys, values;
  /// Where the copy engine can store what the kernel writes.
  std::optional<CopiedMatrix> results;
  SizeExpr queryCount, keyCount; ///< rows of the queries, and keys
  /// Rows that tiles are of: those of the queries, or of the heads that share.
  SizeExpr rowCount;
  int64_t depth, columns;
  /// The columns with those of 0 that tensor cores multiply behind them.
  int64_t countMultipliedColumns() const;

  /// Heads, points of a batch dimension, that have the same keys and values,
  /// and so few queries that they are rows of one tile.
  struct SharedHeads {
    unsigned dim;
    int64_t count; ///< of those that share
    int64_t rows;  ///< of each, filled up to a power of two
  };
  std::optional<SharedHeads> shared;
  bool isShared(unsigned dim) const { return shared && shared->dim == dim; }
  /// Points of a batch dimension that have tiles of their own: of shared heads,
  /// the groups of those that share.
  SizeExpr countBatchPoints(KernelOp kernel, unsigned dim) const;

  /// What the scores are reduced as: `scaled` is `factor` times the scores, or
  /// the scores themselves; between it and what the softmax is of, elements are
  /// at most replaced by -inf.
  mlir::Value scaled;
  double factor = 1;
  /// What the softmax is of, but where a key is -inf for its row because it is
  /// out of `bounds`.
  mlir::Value unmasked;
  llvm::SmallVector<KeyBound> bounds;
  /// Whether a dimension of the kernel is that of the rows.
  bool hasRow(KernelOp kernel) const { return parts.row < kernel.getNumDims(); }
  /// What is read of the kernel's memory for the scores of each key.
  llvm::SmallVector<ReadOp> getScoreReads(KernelOp kernel) const;
  /// Whether the unmasked scores are the scores alone.
  bool isPlain() const { return unmasked == scaled; }

  /// The sums of weighted values divided by those of the weights, or by 1 where
  /// these are 0; null where the kernel does anything else with them.
  DivOp normalized;
  /// Dropout of the weights behind the sums.
  std::optional<KeptWeights> kept;

  /// Where a block has what in its shared memory, in bytes: a tile's queries
  /// are at the beginning.
  struct Memory {
    int64_t keys, values; ///< the two rings
    int64_t number;       ///< of the tile that is next
    int64_t results;      ///< that wait to be stored
    int64_t states, sums; ///< of the rows, that blocks share
    int64_t end;
  };
  Memory getMemory(GPUAttentionScheduleAttr schedule) const;
  /// Bytes of a row of the results that wait to be stored at the same time.
  int64_t getWaitingBytes() const;

  /// Of a kernel whose values have columns along `vectorDim`; the error says
  /// what keeps the kernel from being such attention. Where there is no copy
  /// engine (`hasCopyEngine`), heads do not share tiles.
  static llvm::Expected<TensorCoreAttention>
  find(KernelOp kernel, int64_t vectorDim, bool hasCopyEngine = true);
};

} // namespace tc

#endif // TC_ANALYSIS_TENSORCOREATTENTION_H
