//===- ContractionBlocks.h - Blocks of a contraction ------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONBLOCKS_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONBLOCKS_H

#include "ContractionOperands.h"

namespace tc {

/// Rows by lanes of a contraction's results: [low, high) of each (i64).
struct ContractionBlock {
  mlir::Value rowLow, rowHigh, laneLow, laneHigh;
};

/// Addresses of a thread's packed rows, packed panel and accumulators; null for
/// what is not packed.
struct ContractionScratch {
  mlir::Value rows, panel, accumulators;
};

/// Emits blocks of a contraction by one plan.
class ContractionEmitter {
public:
  /// A contraction of `rows` rows, which are at least `leastRows`.
  ContractionEmitter(KernelFrame &frame, const ContractionPlan &plan,
                     ContractionScratch scratch, SizeExpr rows,
                     int64_t leastRows)
      : frame(frame), plan(plan), scratch(scratch), rows(rows),
        leastRows(leastRows),
        epilogue(frame, plan.roles.vectorDim, plan.epilogueLanes()),
        result(ContractStageOp(plan.roles.stage).getResult()),
        compute(getComputeType(result.getType())) {}

  /// A block of the plan's size.
  void emitBlock(Scope &scope, ContractionBlock block);

private:
  /// The rows [low, high) of a block that a tile of the rows from `start` on
  /// writes. `start` may be less than `low`.
  struct Tile {
    mlir::Value start, low, high;
  };

  /// The loops of a block, for each way in which operands are packed.
  void emitBlockOfPackedRows(Scope &scope, ContractionBlock block);
  void emitPanelByPanel(Scope &scope, ContractionBlock block);
  void emitTileByTile(Scope &scope, ContractionBlock block);
  void emitBlockOfSums(Scope &scope, ContractionBlock block);
  using ReducedBody = llvm::function_ref<void(
      Scope &, ReducedBlock, mlir::Value isFirst, mlir::Value isLast)>;
  void emitReducedBlocks(Scope &scope, ReducedBlock range, int64_t step,
                         ReducedBody body);
  void emitReducedBlocks(Scope &scope, int64_t blocks, bool areAll,
                         ReducedBody body);
  void emitReducedBlocks(Scope &scope, ReducedBody body) {
    emitReducedBlocks(scope, /*blocks=*/1, plan.isOneBlock, body);
  }
  void emitPanels(Scope &scope, ContractionBlock block,
                  llvm::function_ref<void(Scope &, mlir::Value lane)> body);
  void emitTiles(Scope &scope, ContractionBlock block,
                 llvm::function_ref<void(Scope &, Tile)> body);
  mlir::Value getFirstLane(mlir::Value lane);
  mlir::Value getPanel(Scope &scope, ContractionBlock block, mlir::Value lane,
                       ReducedBlock reduced);
  void emitTileMultiplyAdds(Scope &scope, ContractionBlock block, Tile tile,
                            mlir::Value lane, mlir::Value panel,
                            ReducedBlock reduced, mlir::Value isFirst);
  mlir::Value panelPart(mlir::Value panel, ReducedBlock packed,
                        ReducedBlock reduced);
  void emitTileOfPanel(Scope &scope, ContractionBlock block, Tile tile,
                       mlir::Value lane, mlir::Value panel, ReducedBlock packed,
                       mlir::Value isFirst);
  void emitPanelMultiplyAdds(Scope &scope, ContractionBlock block,
                             mlir::Value lane, ReducedBlock reduced,
                             mlir::Value isFirst, mlir::Value isLast);
  void emitVectors(int64_t tileRows, TileAddresses operands, mlir::Value points,
                   mlir::Value isFirst);
  void emitMultiplyAddsInPlace(Tile tile, TileAddresses operands,
                               mlir::Value points, mlir::Value isFirst);
  void emitEpilogue(Scope &scope, ContractionBlock block, Tile tile,
                    mlir::Value lane);
  mlir::Value panelAhead(mlir::Value lane, ReducedBlock reduced);
  mlir::Value fetchPointer(ContractionBlock block, Tile tile, mlir::Value lane,
                           mlir::Value panel, ReducedBlock reduced);
  mlir::Value accumulatorPointer(ContractionBlock block, Tile tile,
                                 mlir::Value lane);

  KernelFrame &frame;
  const ContractionPlan &plan;
  ContractionScratch scratch;
  SizeExpr rows;
  int64_t leastRows;
  PointEmitter epilogue;
  mlir::Value result; ///< of the contraction, at a point
  mlir::Type compute;
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONBLOCKS_H
