//===- ContractionBlocks.h - Blocks of a contraction ------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONBLOCKS_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONBLOCKS_H

#include "ContractionOperands.h"

namespace tc {

/// Rows by lanes of a contraction.
struct ContractionBlock {
  mlir::Value rowLow, rowHigh, laneLow, laneHigh;
};

/// Where a thread keeps what it stages and its sums; null where it does not.
struct ContractionScratch {
  mlir::Value rows, panel, sums;
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
  /// The rows [low, high) of a block, which are or end the tile of rows from
  /// `start` on.
  struct Tile {
    mlir::Value start, low, high;
  };

  /// Of each kind of operands, the loops of a block.
  void emitStagedBlock(Scope &scope, ContractionBlock block);
  void emitPanelsInTurn(Scope &scope, ContractionBlock block);
  void emitTilesInTurn(Scope &scope, ContractionBlock block);
  using ReducedBody = llvm::function_ref<void(
      Scope &, ReducedBlock, mlir::Value isFirst, mlir::Value isLast)>;
  void emitReducedBlocks(Scope &scope, ReducedBody body);
  void emitPanels(Scope &scope, ContractionBlock block,
                  llvm::function_ref<void(Scope &, mlir::Value lane)> body);
  void emitTiles(Scope &scope, ContractionBlock block,
                 llvm::function_ref<void(Scope &, Tile)> body);
  mlir::Value getPanel(Scope &scope, ContractionBlock block, mlir::Value lane,
                       ReducedBlock reduced);
  void emitProducts(Scope &scope, ContractionBlock block, Tile tile,
                    mlir::Value lane, mlir::Value panel, ReducedBlock reduced,
                    mlir::Value isFirst);
  void emitPanelProducts(Scope &scope, ContractionBlock block, mlir::Value lane,
                         ReducedBlock reduced, mlir::Value isFirst,
                         mlir::Value isLast);
  void emitProductsInPlace(Tile tile, TileAddresses operands,
                           mlir::Value points, mlir::Value isFirst);
  void emitEpilogue(Scope &scope, ContractionBlock block, Tile tile,
                    mlir::Value lane);
  mlir::Value panelAhead(mlir::Value lane, ReducedBlock reduced);
  mlir::Value sumPointer(ContractionBlock block, Tile tile, mlir::Value lane);

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
