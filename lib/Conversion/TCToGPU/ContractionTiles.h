//===- ContractionTiles.h - The tiles of a product --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONTILES_H

#include "ContractionKernel.h"
#include "TileStores.h"

namespace tc {

/// Where a step sums (i32): the number of the window's point, 0 without one,
/// and the first of the elements that are summed over there.
struct StepPlace {
  mlir::Value point, reduced;
};

/// The tensor map of an operand, null where it has none, and that of the last
/// box of its tile where it is not whole.
struct OperandMaps {
  mlir::Value whole, part;
};

/// What a block computes of a tile: all of its steps along what is summed over,
/// or a part of them.
struct TileWork {
  TileCorner corner;
  mlir::Value begin, end; ///< steps (i32), at least one
  /// Of a tile that blocks may share: whether (i1) this one has the last steps,
  /// and the first of all steps of such tiles that is the tile's (i32). Null
  /// otherwise.
  mlir::Value isLast, firstShared;
};

/// The tiles of a product with a schedule, and how a block walks them.
class ContractionTiles {
public:
  ContractionTiles(GPUFrame &frame, const TensorCoreProduct &product,
                   GPUContractionScheduleAttr schedule);

  GPUFrame &frame;
  const TensorCoreProduct &product;
  GPUContractionScheduleAttr schedule;
  Words words;

  /// Lanes of a tile of the results: each of two products has half of those
  /// that are multiplied.
  int64_t getResultLanes() const {
    return schedule.getLanes() / product.countProducts();
  }
  /// Those that a stage has of each product: where the operand is contiguous
  /// along them, whole boxes, of which each block of a cluster copies as many.
  int64_t getStageLanes() const {
    return product.getStageLanes(getResultLanes(), schedule.getCluster());
  }
  /// Elements of what is multiplied in 16 bytes, of which the copy engine needs
  /// strides to be multiples.
  int64_t getUnit() const {
    constexpr int64_t kUnitBytes = 16;
    return kUnitBytes / product.getElementBytes();
  }
  /// The type of sums, f32 or i32.
  mlir::Type getSumType() const {
    ContractStageOp stage = product.roles.stage;
    return stage.getResult().getType();
  }
  /// Warp groups that multiply.
  int64_t countConsumers() const {
    return schedule.getRows() / schedule.getGroupRows();
  }
  /// Of a stage: the bytes before the tile of the lanes' operand, and all.
  int64_t getLaneOffset() const {
    return schedule.getRows() * block::kBoxRowBytes;
  }
  int64_t getStageBytes() const {
    return getLaneOffset() +
           getStageLanes() * product.countProducts() * block::kBoxRowBytes;
  }
  block::PipelineType getPipelineType() const;
  /// This block's number in its cluster (i32), of two or more blocks.
  mlir::Value getRank() { return words.narrow(frame.clusterRank); }

  /// The number of tiles, of all blocks of a cluster together.
  SizeExpr countTiles() const { return batches.mul(tileRows).mul(tileLanes); }
  /// How many steps a block has of a tile at least.
  int64_t countKnownSteps() const;
  StepPlace getStepPlace(mlir::Value step);
  bool isSplit() const { return schedule.getSplits() > 1; }
  /// Whether blocks share the tiles of a wave that is not full.
  bool sharesTail() const { return schedule.getTailBlocks() > 0; }
  /// Of the steps of these tiles, one after the other, the first (i32) that
  /// cluster number `cluster` has.
  mlir::Value getFirstShared(mlir::Value cluster);
  /// The number of this block's cluster (i32).
  mlir::Value getCluster();

  /// Runs `body` for each tile of this block, with values that it carries on,
  /// from `first`; those after the last tile.
  using TileBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      const TileWork &, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> emitTiles(mlir::ValueRange first, Scope &scope,
                                           TileBody body);
  /// The number (i32) of the matrix that rows are multiplied by: where each row
  /// has one of several, the tile is walked once for each that one of its rows
  /// has. Null where there is one for all.
  mlir::Value group;
  /// The number (i32) of the matrix of the row that `scope` binds.
  mlir::Value emitGroupOfRow(PointEmitter &emitter, Scope &scope);

  /// The tensor maps of the operands that the copy engine may copy, and of the
  /// results where it stores them; null where there is none.
  mlir::ArrayAttr getTensorMaps() const;
  /// Those of operand number `number` of the product.
  OperandMaps getOperandMaps(size_t number) const;
  /// Points of the last box of the operand's tile where it is not whole; 0
  /// otherwise.
  int64_t getPartOfBox(const TensorCoreProduct::Operand &operand) const {
    return &operand == &product.rows
               ? 0
               : product.getPartOfBox(operand, getResultLanes());
  }
  /// Whether (i1) the copy engine copies all operands that it may copy; null
  /// where that needs no check.
  mlir::Value emitMayCopy();
  /// Whether (i1) pairs of neighbours along the lanes are aligned for what the
  /// epilogue reads and writes; null where that needs no check.
  mlir::Value emitHasAlignedPairs();
  /// Where the results that wait to be stored, or sums that blocks share, begin
  /// in shared memory, and its bytes.
  int64_t getStoreOffset() const;
  int64_t getSharedBytes() const;
  /// The least of what the lanes of a warp have (i32), for all of them.
  mlir::Value emitLeast(mlir::Value own);
  /// Binds the batch dimensions at point `batch` of all (i32).
  void bindBatches(Scope &scope, mlir::Value batch);
  /// The indices there of the matrices that `matrix` has.
  llvm::SmallVector<mlir::Value> getMatrixIndices(const CopiedMatrix &matrix,
                                                  mlir::Value batch) {
    auto indices =
        emitMatrixIndices(frame, product.roles.batches, matrix, batch);
    if (matrix.groupStride)
      indices.insert(indices.begin(), group);
    return indices;
  }
  /// Those of the filters at `point` of the window.
  llvm::SmallVector<mlir::Value> getFilterIndices(const CopiedMatrix &matrix,
                                                  mlir::Value point) {
    return emitMatrixIndices(frame, product.windowDims, matrix, point);
  }

private:
  /// Steps of a block along what is summed over (i32), at least 1. Blocks that
  /// share a tile of a cluster have as many each: what the copy engine copies
  /// from behind the end is zero.
  mlir::Value countSteps();
  SizeExpr countStepsOfBlock() const;
  mlir::Value countClusters();
  llvm::SmallVector<mlir::Value> emitTilesAndTail(mlir::ValueRange first,
                                                  TileBody body);
  TileCorner getCorner(mlir::Value tile);
  llvm::SmallVector<mlir::Value> emitGroups(const TileWork &work,
                                            mlir::ValueRange first,
                                            Scope &scope, TileBody body);
  llvm::SmallVector<mlir::Value> emitGroupsOfRows(const TileCorner &corner,
                                                  Scope &scope);
  TensorMapAttr describeOperand(const CopiedMatrix &matrix, SizeExpr own,
                                int64_t tile) const;
  mlir::Value size(SizeExpr expr) { return words.narrow(frame.size(expr)); }

  SizeExpr batches, tileRows, tileLanes;
  /// Steps that each cluster has of the tiles that are shared, and how many
  /// clusters have one more (i32).
  mlir::Value stepsOfCluster, moreSteps;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONTILES_H
