//===- AttentionBackwardWeights.h - Weights of its gradients ----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDWEIGHTS_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDWEIGHTS_H

#include "../KernelEmission/PointEmitter.h"
#include "AttentionBackwardTiles.h"

namespace tc {

/// What a thread computes of its scores of a step, keys by queries, in the
/// order of an accumulator.
class BackwardWeights {
public:
  BackwardWeights(AttentionBackwardTiles &tiles, Scope &scope)
      : tiles(tiles), frame(tiles.frame), b(frame.builder), loc(frame.loc),
        words(tiles.words), gradients(tiles.gradients), scope(scope) {}

  /// The weights of scores, which are 0 where a key does not count for a query,
  /// and negated where dropout does not keep them; `sums` are the logarithms.
  /// The thread's first key in the tile is `row`, and its first one of every 8
  /// queries `column` (i32).
  llvm::SmallVector<mlir::Value> emit(llvm::ArrayRef<mlir::Value> scores,
                                      llvm::ArrayRef<mlir::Value> sums,
                                      const BackwardStep &step, mlir::Value row,
                                      mlir::Value column);
  /// The weights, 0 in place of those that are negated.
  llvm::SmallVector<mlir::Value> keepOnly(llvm::ArrayRef<mlir::Value> weights);
  /// The gradients of scores, times the scale: where a weight is negated,
  /// nothing comes from the results.
  llvm::SmallVector<mlir::Value>
  emitScoreGradients(llvm::ArrayRef<mlir::Value> weights,
                     llvm::ArrayRef<mlir::Value> ofWeights,
                     llvm::ArrayRef<mlir::Value> products);
  /// What sums of kept weights are multiplied by.
  double getFactor();

private:
  mlir::Value number(double value) {
    return mlir::arith::ConstantFloatOp::create(b, loc, b.getF32Type(),
                                                llvm::APFloat(float(value)));
  }
  /// For one of a thread's two keys: of a step's queries, from the thread's
  /// first one on, the first and the last that the key counts for (i32, of any
  /// sign); null where all before or behind do.
  struct Limits {
    mlir::Value first, last;
  };
  llvm::SmallVector<Limits> emitLimits(const BackwardStep &step);
  mlir::Value emitCounts(const Limits &limits, int64_t query);
  llvm::SmallVector<mlir::Value>
  emitSubtracted(llvm::ArrayRef<mlir::Value> sums, const BackwardStep &step);
  llvm::SmallVector<mlir::Value> emitAdded(const BackwardStep &step,
                                           int64_t count);
  void bindBatches(Scope &point, const BackwardStep &step);
  void markDropped(llvm::MutableArrayRef<mlir::Value> weights,
                   const BackwardStep &step);

  AttentionBackwardTiles &tiles;
  GPUFrame &frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Words words;
  const TensorCoreAttentionBackward &gradients;
  Scope &scope;
  mlir::Value rowInTile, column;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDWEIGHTS_H
