//===- AttentionMatrices.h - Scores and weights as matrices -----*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_DECOMPOSEATTENTION_ATTENTIONMATRICES_H
#define TC_LIB_TRANSFORMS_DECOMPOSEATTENTION_ATTENTIONMATRICES_H

#include "TC/Dialect/TC/IR/TensorBuilder.h"

namespace tc {

/// What attention and its gradients have an element of for each query and key,
/// in the type that they compute in.
class AttentionMatrices {
public:
  template <typename OpTy>
  AttentionMatrices(OpTy op, mlir::OpBuilder &builder)
      : AttentionMatrices(builder, op.getLoc(), op.getQ(), op.getK()) {
    inputMask = op.getMask();
    seed = op.getSeed();
    offset = op.getOffset();
    dropout = op.getDropout();
    scale = op.getScale().convertToDouble();
    causal = op.getCausal();
  }

  mlir::Value widen(mlir::Value x) { return b.cast(x, compute); }
  /// The product by `spec`, such as "qd,kd->qk", for each point of the batch.
  mlir::Value contract(llvm::StringRef spec, mlir::Value x, mlir::Value y);
  /// The keys or values `x` of every head of the queries.
  mlir::Value repeatHeads(mlir::Value x);
  /// The sums of `x`, of every head of the queries, over those that share the
  /// heads of `type`; as `type`.
  mlir::Value addHeads(mlir::Value x, mlir::RankedTensorType type);
  /// Numbers of the queries for all of their keys.
  mlir::Value alongKeys(mlir::Value x);
  mlir::Value scaled(mlir::Value x);
  /// The scores of queries and keys of every head, minus infinity where a key
  /// does not count.
  mlir::Value makeScores(mlir::Value q, mlir::Value k);
  /// `x` times 1 / (1 - p) where dropout of probability p keeps the weight, and
  /// 0 elsewhere; `x` where there is none.
  mlir::Value drop(mlir::Value x);

  TensorBuilder b;
  mlir::Type compute;

private:
  AttentionMatrices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value q,
                    mlir::Value k);
  /// Sizes behind those of the batch.
  Sizes with(llvm::ArrayRef<SizeExpr> inner) const;
  mlir::Value mask(mlir::Value scores);
  mlir::Value makeKept();

  mlir::Value inputMask, seed, offset;
  std::optional<llvm::APFloat> dropout;
  double scale;
  bool causal;
  Sizes batch;
  SizeExpr queries, keys;
  mlir::Value kept;
};

} // namespace tc

#endif // TC_LIB_TRANSFORMS_DECOMPOSEATTENTION_ATTENTIONMATRICES_H
