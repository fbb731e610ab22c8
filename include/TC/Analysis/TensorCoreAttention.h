//===- TensorCoreAttention.h - Attention for tensor cores -------*- C++ -*-===//

#ifndef TC_ANALYSIS_TENSORCOREATTENTION_H
#define TC_ANALYSIS_TENSORCOREATTENTION_H

#include "TC/Analysis/CopiedMatrix.h"
#include "TC/Analysis/TiledAttention.h"
#include "llvm/Support/Error.h"

namespace tc {

/// Attention whose queries, keys and values, of bf16 or f16, the copy engine of
/// a GPU takes to shared memory, and whose softmax may be computed of a block
/// of keys at a time. What is done with the scores before it may be anything of
/// their row and key, and what is done with the sums anything of their row.
struct TensorCoreAttention {
  TiledAttention parts;
  CopiedMatrix queries, keys, values;
  SizeExpr rowCount, keyCount;
  int64_t depth, columns;

  /// What the scores are reduced as: `scaled` is `factor` times the scores, or
  /// the scores themselves; between it and what the softmax is of, elements are
  /// at most replaced by -inf.
  mlir::Value scaled;
  double factor = 1;
  /// What the softmax is of, but where a key is -inf for its row because of
  /// `inside`, sets of which all elements that count are in.
  mlir::Value unmasked;
  llvm::SmallVector<mlir::IntegerSet> inside;
  /// Whether a dimension of the kernel is that of the rows.
  bool hasRow(KernelOp kernel) const { return parts.row < kernel.getNumDims(); }
  /// Whether the unmasked scores are the scores alone.
  bool isPlain() const { return unmasked == scaled; }

  /// Bytes of shared memory of a block that has `rows` query rows and rings of
  /// `stages` blocks of `keys` keys and of their values.
  int64_t getSharedBytes(int64_t rows, int64_t keys, int64_t stages) const;

  /// Of a kernel whose values have columns along `vectorDim`; the error says
  /// what keeps the kernel from being such attention.
  static llvm::Expected<TensorCoreAttention> find(KernelOp kernel,
                                                  int64_t vectorDim);
};

} // namespace tc

#endif // TC_ANALYSIS_TENSORCOREATTENTION_H
