//===- AttentionBackwardTiles.h - Tiles of its gradients --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDTILES_H

#include "CopiedBoxes.h"
#include "DrawnTiles.h"
#include "TC/Analysis/TensorCoreAttentionBackward.h"
#include "Words.h"

namespace tc {

/// A step of a block: a tile of queries of a point of the group.
struct BackwardStep {
  /// The point of all batch dimensions, that of the group among them, and the
  /// number of the tile of queries (i32).
  mlir::Value batch, tile;
  /// Whether keys of the block's tile may not count for some of the queries.
  bool isMasked;
};

/// The tile of keys of a block, the steps that it walks, and its pipelines.
class AttentionBackwardTiles {
public:
  AttentionBackwardTiles(GPUFrame &frame,
                         const TensorCoreAttentionBackward &gradients,
                         GPUAttentionBackwardScheduleAttr schedule);

  GPUFrame &frame;
  const TensorCoreAttentionBackward &gradients;
  AttentionBackwardStageOp stage;
  GPUAttentionBackwardScheduleAttr schedule;
  Words words;
  TensorCoreAttentionBackward::Memory memory;
  int64_t queries; ///< of a step

  SizeExpr countBlocks() const { return drawn.countBlocks(); }
  /// The tensor maps, in the order of `Map`.
  enum Map : unsigned { Q, K, V, Grad, LogSumExp, Products, GradQ };
  static constexpr int64_t kMaps = 7;
  mlir::ArrayAttr getTensorMaps() const;

  /// Makes the pipelines, which all threads run.
  void emitPipelines();
  /// Keys and values; queries; their gradients; the gradients of scores;
  /// sums for the gradients of the queries.
  mlir::Value rows, queryRing, gradRing, scoreRing, sums;

  /// Runs `body` for each tile of keys of the block, with values that it
  /// carries on from `first`; those after the last one. One thread `draws` the
  /// tiles.
  using TileBody =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> emitTiles(bool draws, mlir::ValueRange first,
                                           TileBody body);
  /// The tile: its point of the batch dimensions but that of the group, its
  /// number and its first key (i32).
  mlir::Value batch, tile, firstKey;
  /// Whether (i1) the tile has steps: none of the queries may have a key of
  /// its tile.
  mlir::Value emitHasSteps();
  /// Runs `body` for each step, from the last tile of queries down, with values
  /// that it carries on from `first`; those after the last step.
  using StepBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      const BackwardStep &, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> emitSteps(mlir::ValueRange first,
                                           StepBody body);
  /// The coordinates of the box of `matrix` at a point of all batch dimensions,
  /// from row `row` and element `element` on.
  llvm::SmallVector<mlir::Value> getCoordinates(const CopiedMatrix &matrix,
                                                mlir::Value point,
                                                mlir::Value row,
                                                int64_t element);
  /// Tiles of queries (i32), and those of keys, from `first` on, that add to
  /// the gradients of a tile of queries: one at least.
  mlir::Value countQueryTiles();
  struct Turns {
    mlir::Value first, count;
  };
  Turns emitTurns(mlir::Value queryTile);
  /// Whether keys may be behind the last one.
  bool hasPartialTile() const;
  mlir::Value size(SizeExpr expr) { return words.narrow(frame.size(expr)); }

private:
  /// Tiles of queries: the block has steps of [begin, end), of which those of
  /// [whole, end) need no mask.
  struct StepRange {
    mlir::Value begin, whole, end;
  };
  StepRange emitRange();
  bool isMasked() const { return !gradients.bounds.areAll(); }
  /// `number` + `more`, or 0 where that is negative.
  mlir::Value addOrZero(mlir::Value number, int64_t more);
  mlir::Value makePipeline(int64_t stages, int64_t bytes, int64_t offset,
                           int64_t consumers, int64_t producers = 1);
  llvm::SmallVector<mlir::Value> emitLoop(mlir::Value batchPoint,
                                          mlir::Value from, mlir::Value to,
                                          bool isMasked, mlir::ValueRange first,
                                          StepBody body);
  void emitTile(mlir::Value number);

  SizeExpr batches, keyTiles;
  DrawnTiles drawn;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDTILES_H
