//===- AttentionTiles.h - Tiles of attention --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONTILES_H

#include "CopiedBoxes.h"
#include "TC/Analysis/TensorCoreAttention.h"
#include "Words.h"

namespace tc {

/// The blocks of keys of a tile of query rows, by number (i32): all that it has
/// keys of are in [begin, end), at least one, and all keys of those in
/// [wholeBegin, wholeEnd) count for all of its rows.
struct KeyBlocks {
  mlir::Value begin, end, wholeBegin, wholeEnd;
};

/// The tiles of attention with a schedule, one for each block, and the
/// pipelines that it has for one.
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
  /// Where the pipelines of keys and values begin, and where the last one ends.
  int64_t getKeyOffset() const;
  int64_t getValueOffset() const;
  int64_t getSharedBytes() const;

  SizeExpr countTiles() const { return batches.mul(tileRows); }
  /// The block's tile: its point of the batch dimensions, walked as one, its
  /// first row (i32), and the blocks of keys.
  mlir::Value batch, row;
  KeyBlocks keyBlocks;
  /// Sets these.
  void emitTile();
  /// Whether tiles may have blocks of keys, but for the first one from the end,
  /// of which not all keys count, at the end or at the begin.
  bool hasPartsAtEnd() const;
  bool hasPartsAtBegin() const;

  /// The tensor maps of queries, keys and values.
  mlir::ArrayAttr getTensorMaps() const;
  llvm::SmallVector<mlir::Value> getMatrixIndices(const CopiedMatrix &matrix) {
    return emitMatrixIndices(frame, attention.parts.batches, matrix, batch);
  }
  /// Binds the batch dimensions of `scope`.
  void bindBatches(Scope &scope);
  mlir::Value size(SizeExpr expr) { return words.narrow(frame.size(expr)); }

private:
  void emitKeyBlocks();

  SizeExpr batches, tileRows;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONTILES_H
