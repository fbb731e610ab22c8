//===- AttentionScores.h - Softmax of blocks of scores ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONSCORES_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONSCORES_H

#include "../KernelEmission/PointEmitter.h"
#include "AttentionTiles.h"
#include "TC/Analysis/VectorAlignment.h"
#include "UnalignedVectors.h"

namespace tc {

/// The two rows of a tile that a thread has values of, 8 apart.
inline constexpr int64_t kThreadRows = 2;

/// What a thread knows of its two rows: the largest of the scores so far, in
/// units of `TensorCoreAttention::scaled`, of the whole row, and the sum of the
/// weights so far, of the keys that the thread has.
struct RowStates {
  mlir::Value largest[kThreadRows], sum[kThreadRows];
};

/// The weights of a block of keys, as accumulators have scores; the new states,
/// and what sums and results so far are multiplied by.
struct BlockWeights {
  llvm::SmallVector<mlir::Value> weights;
  RowStates states;
  mlir::Value scale[kThreadRows];
};

/// What is done with the scores of blocks of keys (online softmax, in base 2).
class AttentionScores {
public:
  /// For a thread that has values of the rows (i32) `row` and 8 below, at
  /// `column` of every 8 keys and behind. `areAligned`: what is read for two
  /// neighbouring keys.
  AttentionScores(AttentionTiles &tiles, mlir::Value row, mlir::Value column,
                  bool areAligned, Scope &scope);

  /// Begins with the `keys` keys from number `first` (i32) on: loads what is
  /// read for their scores, while these are computed. Keys that do not count
  /// for a row are left out where `masked`.
  void begin(mlir::Value first, int64_t keys, bool masked);
  /// Of the sums `scores` of the keys of the block; without `before`, it is the
  /// first one.
  BlockWeights emit(llvm::ArrayRef<mlir::Value> scores,
                    const RowStates *before);

  /// The states of rows whose keys several blocks have, from those of each of
  /// them, with sums of whole rows; and what the results of this block, whose
  /// states are `own`, are multiplied by.
  RowStates merge(llvm::ArrayRef<RowStates> parts, const RowStates &own,
                  mlir::Value (&scale)[kThreadRows]);

  /// Values of a thread as words of two, of `type`.
  llvm::SmallVector<mlir::Value> pack(llvm::ArrayRef<mlir::Value> values,
                                      mlir::Type type);
  mlir::Value number(double value);
  /// The sum of a row of all threads that have values of it.
  mlir::Value addUp(mlir::Value sum);
  TileRow rows[kThreadRows];

private:
  llvm::SmallVector<mlir::Value> transform(llvm::ArrayRef<mlir::Value> scores);
  mlir::Value transformPair(mlir::Value pair, Scope &point);
  using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
  mlir::Value fold(llvm::ArrayRef<mlir::Value> values, Combine combine);
  mlir::Value exchange(mlir::Value value, Combine combine);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value exp2(mlir::Value x);
  mlir::Value getSubtracted(mlir::Value largest);
  mlir::Value weigh(mlir::Value score, mlir::Value subtracted);
  void drop(llvm::MutableArrayRef<mlir::Value> weights);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, mlir::Value b);

  AttentionTiles &tiles;
  GPUFrame &frame;
  const TensorCoreAttention &attention;
  Words words;
  mlir::Value column;
  mlir::Value firstKey;         ///< of the keys that the thread has (i32)
  mlir::Value factor, negative; ///< of scores to units of ln 2, and negated
  mlir::Value lowest;           ///< -inf
  Scope batch;                  ///< binds the batch dimensions
  VectorAlignment alignment;
  bool hasPairs; ///< whether an access loads what is aligned for two keys
  UnalignedVectors unaligned;
  PointEmitter emitter;
  llvm::SmallVector<ReadOp> reads; ///< of what is read for the scores
  mlir::Value current;             ///< the scaled scores of a pair of keys
  bool masked = false;             ///< whether the block is
  /// The points of the block, pairs of keys, in the order of an accumulator;
  /// none where nothing is done with the scores.
  llvm::SmallVector<std::unique_ptr<Scope>> points;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONSCORES_H
