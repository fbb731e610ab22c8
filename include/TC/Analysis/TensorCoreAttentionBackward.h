//===- TensorCoreAttentionBackward.h - Its gradients ------------*- C++ -*-===//

#ifndef TC_ANALYSIS_TENSORCOREATTENTIONBACKWARD_H
#define TC_ANALYSIS_TENSORCOREATTENTIONBACKWARD_H

#include "TC/Analysis/CopiedMatrix.h"
#include "TC/Analysis/KeptWeights.h"
#include "TC/Analysis/KeyBounds.h"
#include "llvm/Support/Error.h"

namespace tc {

/// Whether a kernel of `op` is for the tensor cores of its module's target, as
/// types and sizes say: then it need not be decomposed.
bool mayUseTensorCores(AttentionBackwardOp op);

/// Gradients of attention whose matrices, of bf16 or f16, the copy engine of a
/// GPU takes to shared memory.
struct TensorCoreAttentionBackward {
  AttentionBackwardStageOp stage;
  CopiedMatrix grad, q, k, v;
  /// One f32 for each query.
  CopiedMatrix logsumexp, products;
  CopiedMatrix gradQ; ///< f32, which the copy engine adds to
  WriteOp gradKWrite, gradVWrite;
  /// The batch dimensions; the last one is that of the group, whose points add
  /// to the same gradients of keys and values.
  llvm::SmallVector<unsigned> batches;
  SizeExpr queryCount, keyCount, groupCount;
  int64_t depth, columns;
  /// Dropout of the weights.
  std::optional<KeptWeights> kept;
  /// What is added to the scaled scores, null where that is nothing, but for
  /// minus infinity where a key is out of `bounds`.
  mlir::Value added;
  /// The first and the last key that count for a query, less its number: tiles
  /// of queries that have none of a tile of keys are left out. Where both are
  /// there, the first is not behind the last.
  struct Bounds {
    std::optional<int64_t> first, last;
    bool areAll() const { return !first && !last; }
  };
  Bounds bounds;

  /// Keys of a tile, half of them for each warp group that multiplies.
  static constexpr int64_t kKeys = 128, kConsumers = 2;
  /// The f32 of a step's queries that are copied: as many as fill 1024 bytes,
  /// of which those behind the queries are not read.
  static constexpr int64_t kFloats = 256;
  /// Stages of the ring of what is added up for the queries.
  static constexpr int64_t kSumStages = 2;

  /// Boxes of 64 elements next to each other along depth and columns.
  int64_t countDepthBoxes() const;
  int64_t countColumnBoxes() const;
  /// Whether warp groups have 64 of the depth of a step's gradients of queries
  /// each, and not 64 of the queries.
  bool splitsDepth() const { return countDepthBoxes() > 1; }
  /// Queries of a step.
  int64_t getQueries() const { return splitsDepth() ? 64 : 128; }

  /// Where a block has what in its shared memory, in bytes, and bytes of a
  /// stage; keys and values are at the beginning.
  struct Memory {
    int64_t queries, grads, scores, sums, number, end;
    int64_t keyBytes, valueBytes, queryBytes, gradBytes, scoreBytes, sumBytes;
    /// Where in a stage of queries or of grads the f32 of its rows are.
    int64_t logsumexp, products;
  };
  Memory getMemory(int64_t stages) const;

  /// The gradients of attention that the kernel is, or why it is none, as a
  /// clause about the kernel.
  static llvm::Expected<TensorCoreAttentionBackward> find(KernelOp kernel);
};

} // namespace tc

#endif // TC_ANALYSIS_TENSORCOREATTENTIONBACKWARD_H
