//===- AttentionTiles.h - Tiles of attention --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONTILES_H

#include "DrawnTiles.h"
#include "TC/Analysis/TensorCoreAttention.h"
#include "TileStores.h"

namespace tc {

/// The blocks of keys of a tile of query rows, by number (i32): all that it has
/// keys of are in [begin, end), at least one, and all keys of those in
/// [wholeBegin, wholeEnd) count for all of its rows.
struct KeyBlocks {
  mlir::Value begin, end, wholeBegin, wholeEnd;
};

/// A tile: its point of the batch dimensions, walked as one, its first row
/// (i32), and the blocks of keys.
struct TilePlace {
  mlir::Value batch, row;
  KeyBlocks keyBlocks;
  /// Whether (i1) this block of a cluster has blocks of keys of the tile; null
  /// where it has for certain. It has one of another's otherwise.
  mlir::Value hasKeys;
};

/// A row of a tile: the index (i64) of its query, or of the last one where it
/// is behind that, the same of its head, of heads that share a tile, and
/// whether (i1) it is there, null where it is for certain.
struct TileRow {
  mlir::Value query, head, isThere;
};

/// The tiles of attention with a schedule, how a block walks them, and the
/// pipelines that it has for them.
class AttentionTiles {
public:
  AttentionTiles(GPUFrame &frame, const TensorCoreAttention &attention,
                 GPUAttentionScheduleAttr schedule);

  GPUFrame &frame;
  const TensorCoreAttention &attention;
  GPUAttentionScheduleAttr schedule;
  Words words;

  /// Warp groups that multiply.
  int64_t countConsumers() const {
    return schedule.getRows() / block::kAccumulatorRows;
  }
  /// Boxes of 64 elements next to each other along the depth, and the columns.
  int64_t countDepthBoxes() const {
    return llvm::divideCeil(attention.depth, block::kBoxElements);
  }
  int64_t countColumnBoxes() const {
    return llvm::divideCeil(attention.columns, block::kBoxElements);
  }
  block::PipelineType getQueryPipeline() const;
  block::PipelineType getKeyPipeline() const;
  block::PipelineType getValuePipeline() const;
  /// Where a block has what in its shared memory.
  TensorCoreAttention::Memory memory;

  /// Blocks of the launch.
  SizeExpr countBlocks() const;
  bool isSplit() const { return schedule.getSplits() > 1; }
  /// Makes the pipeline that tells blocks that stay which tile is next; one
  /// warp more takes numbers than those that multiply.
  void emitNumbers();
  /// Runs `body` for each tile of the block, with values that it carries on,
  /// from `first`; those after the last tile. One thread `draws` the numbers of
  /// tiles once `body` is done, and others, whole warps or their first threads,
  /// take them.
  using TileBody =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> emitTiles(bool draws, mlir::ValueRange first,
                                           TileBody body);
  /// The tile that operations are for.
  TilePlace place;
  /// Goes to the first tile of the block.
  void enterFirst() { enter(drawn.describeFirst()); }
  /// In a body of `emitTiles`, of blocks that stay, goes to the tile that
  /// follows, or to the last one of all where none does; whether (i1) one does.
  mlir::Value enterNext();
  /// Whether tiles may have blocks of keys, but for the first one from the end,
  /// of which not all keys count, at the end or at the begin.
  bool hasPartsAtEnd() const;
  bool hasPartsAtBegin() const;
  /// Whether the first block of keys of each tile of two warp groups is at the
  /// diagonal: keys count up to the row, and all of them are there. The first
  /// warp group has no keys of the second half of the block then.
  bool hasDiagonal() const;

  /// The tensor maps of queries, keys and values, and of results that the copy
  /// engine stores.
  mlir::ArrayAttr getTensorMaps() const;
  /// The coordinates of the tile's boxes of `matrix` but for the last two, and
  /// that of its first query.
  llvm::SmallVector<mlir::Value> getMatrixIndices(const CopiedMatrix &matrix);
  mlir::Value getFirstQuery() {
    return attention.shared ? words.constant(0) : place.row;
  }
  /// Binds the batch dimensions of `scope`, but for that of heads that share a
  /// tile, which a row has a head of.
  void bindBatches(Scope &scope);
  /// Row number `index` (i32) of the rows that tiles are of.
  TileRow emitRow(mlir::Value index);
  void bindRow(Scope &scope, const TileRow &tileRow);
  mlir::Value size(SizeExpr expr) { return words.narrow(frame.size(expr)); }

private:
  std::optional<int64_t> getShift(const KeyBound &bound) const;
  llvm::SmallVector<mlir::Value> describe(mlir::Value number);
  void enter(mlir::ValueRange tile);
  void emitKeyBlocks();
  void emitPartOfKeys();
  TensorMapAttr getQueryMap() const;
  llvm::SmallDenseMap<unsigned, mlir::Value> getBatchIndices();

  SizeExpr batches, tileRows;
  DrawnTiles drawn;
};

/// What those that emit a part of attention have in common.
struct AttentionEmission {
  explicit AttentionEmission(AttentionTiles &tiles)
      : tiles(tiles), frame(tiles.frame), b(frame.builder), loc(frame.loc),
        words(tiles.words), attention(tiles.attention) {}

  AttentionTiles &tiles;
  GPUFrame &frame;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Words words;
  const TensorCoreAttention &attention;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONTILES_H
