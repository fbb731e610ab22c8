//===- ContractionBlocks.cpp - Blocks of a contraction --------------------===//

#include "ContractionBlocks.h"
#include "../KernelEmission/KernelWrites.h"
#include "RegisterTile.h"
#include "VectorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// A tile of registers
//===----------------------------------------------------------------------===//

/// Where the sums of the tile, which begins at `lane`, are kept.
Value ContractionEmitter::sumPointer(ContractionBlock block, Tile tile,
                                     Value lane) {
  Value row = plan.finishesTiles() ? frame.constant(0)
                                   : frame.sub(tile.low, block.rowLow);
  Value offset = frame.mul(row, frame.constant(plan.sumStride()));
  if (!plan.finishesPanels())
    offset = frame.add(offset, frame.sub(lane, block.laneLow));
  return LLVM::GEPOp::create(frame.builder, frame.loc, scratch.sums.getType(),
                             compute, scratch.sums, ValueRange{offset});
}

/// Of rows that are read where they lie, a tile is whole unless there are not
/// as many rows in all: then one is taken at a time.
void ContractionEmitter::emitProductsInPlace(Tile tile, TileAddresses operands,
                                             Value points, Value isFirst) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto emitWhole = [&] {
    emitVectorTile(frame, getTileLayout(plan, plan.tile.rows), operands, points,
                   isFirst);
  };
  if (leastRows >= plan.tile.rows)
    return emitWhole();
  OpBuilder::InsertionGuard guard(builder);
  if (!rows.isConstant()) {
    Value isWhole =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                              frame.size(rows), frame.constant(plan.tile.rows));
    auto choice =
        scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
    builder.setInsertionPoint(choice.thenBlock()->getTerminator());
    emitWhole();
    builder.setInsertionPoint(choice.elseBlock()->getTerminator());
  }
  auto loop =
      scf::ForOp::create(builder, loc, frame.constant(0),
                         frame.sub(tile.high, tile.start), frame.constant(1));
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  auto advance = [&](Value pointer, Type element, int64_t stride) -> Value {
    Value offset = frame.mul(loop.getInductionVar(), frame.constant(stride));
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                               pointer, ValueRange{offset});
  };
  operands.rows = advance(operands.rows, getRowElement(plan), plan.rowStride());
  operands.accumulators =
      advance(operands.accumulators, compute, plan.sumStride());
  emitVectorTile(frame, getTileLayout(plan, /*rows=*/1), operands, points,
                 isFirst);
}

/// Adds the products of a block of reduced points to the tile's sums.
void ContractionEmitter::emitProducts(Scope &scope, ContractionBlock block,
                                      Tile tile, Value lane, Value panel,
                                      ReducedBlock reduced, Value isFirst) {
  TileAddresses operands;
  if (plan.rowsApart) {
    operands.rows = pointerToRow(frame, plan, scope, tile.start, reduced);
  } else {
    Value offset = frame.mul(frame.sub(tile.start, block.rowLow),
                             frame.constant(plan.rowStride()));
    operands.rows = LLVM::GEPOp::create(
        frame.builder, frame.loc, scratch.rows.getType(), getRowElement(plan),
        scratch.rows, ValueRange{offset});
  }
  operands.panel = panel;
  operands.accumulators = sumPointer(block, tile, lane);
  if (!plan.usesTiles && plan.rowsApart)
    return emitProductsInPlace(tile, operands, reduced.points, isFirst);
  TileLayout layout = getTileLayout(plan, plan.tile.rows);
  layout.usesAMX = plan.usesTiles;
  emitMultiplyAdds(frame, layout, operands, reduced.points, isFirst);
}

/// The kernel's writes for one tile of finished sums.
void ContractionEmitter::emitEpilogue(Scope &scope, ContractionBlock block,
                                      Tile tile, Value lane) {
  Value laneEnd = arith::MinSIOp::create(
      frame.builder, frame.loc,
      frame.add(lane, frame.constant(plan.tile.lanes)), block.laneHigh);
  FinishedTile finished{result,
                        plan.roles.rows,
                        plan.roles.lanes,
                        sumPointer(block, tile, lane),
                        plan.sumStride(),
                        tile.start,
                        lane};
  emitTileEpilogue(epilogue, scope, finished, tile.low, tile.high, laneEnd,
                   /*prepare=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Where the panel of the lanes from `lane` on starts in the operand itself.
Value ContractionEmitter::panelAhead(Value lane, ReducedBlock reduced) {
  auto read = plan.roles.panel.getDefiningOp<ReadOp>();
  Sizes sizes = getSizes(cast<ShapedType>(read.getSource().getType()));
  Value length = frame.size(sizes[1].mul(plan.pair));
  Value number = arith::DivUIOp::create(frame.builder, frame.loc, lane,
                                        frame.constant(plan.tile.lanes));
  Value point =
      frame.add(frame.mul(number, length),
                frame.mul(reduced.low, frame.constant(plan.innerPoints)));
  return LLVM::GEPOp::create(
      frame.builder, frame.loc, scratch.sums.getType(), getPanelElement(plan),
      frame.pointer(read.getSource()),
      ValueRange{frame.mul(point, frame.constant(plan.tile.lanes))});
}

/// The block's points of the panel that begins at `lane`.
Value ContractionEmitter::getPanel(Scope &scope, ContractionBlock block,
                                   Value lane, ReducedBlock reduced) {
  if (plan.isPackedAhead)
    return panelAhead(lane, reduced);
  Value end = arith::MinSIOp::create(
      frame.builder, frame.loc,
      frame.add(lane, frame.constant(plan.tile.lanes)), block.laneHigh);
  packPanel(frame, getPackedPanel(plan), scope, lane, end, reduced,
            scratch.panel);
  return scratch.panel;
}

void ContractionEmitter::emitPanels(
    Scope &scope, ContractionBlock block,
    llvm::function_ref<void(Scope &, Value)> body) {
  emitSteps(frame, scope, block.laneLow, block.laneHigh, plan.tile.lanes, body);
}

/// The tiles of the block. The last of rows that are not staged reaches back
/// over rows of others, for what comes after its own may not be memory.
void ContractionEmitter::emitTiles(
    Scope &scope, ContractionBlock block,
    llvm::function_ref<void(Scope &, Tile)> body) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value size = frame.constant(plan.tile.rows);
  emitSteps(frame, scope, block.rowLow, block.rowHigh, plan.tile.rows,
            [&](Scope &inner, Value low) {
              Tile tile{low, low,
                        arith::MinSIOp::create(
                            builder, loc, frame.add(low, size), block.rowHigh)};
              if (plan.rowsApart) {
                Value last = arith::MaxSIOp::create(
                    builder, loc, frame.sub(frame.size(rows), size),
                    frame.constant(0));
                tile.start = arith::MinSIOp::create(builder, loc, low, last);
              }
              body(inner, tile);
            });
}

void ContractionEmitter::emitReducedBlocks(Scope &scope, ReducedBody body) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value size = plan.roles.reduced.empty()
                   ? frame.constant(1)
                   : frame.dimSize(plan.roles.reduced.front());
  Value inner = frame.constant(plan.innerPoints);
  if (plan.isOneBlock)
    return body(scope, {frame.constant(0), size, frame.mul(size, inner)},
                nullptr, nullptr);
  // A sum over nothing is written as well: at least one block.
  Value step = frame.constant(plan.firstBlock);
  Value end = arith::MaxSIOp::create(builder, loc, size, frame.constant(1));
  emitSteps(
      frame, scope, frame.constant(0), end, plan.firstBlock,
      [&](Scope &part, Value low) {
        Value high =
            arith::MinSIOp::create(builder, loc, frame.add(low, step), size);
        auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
          return arith::CmpIOp::create(builder, loc, predicate, a, b);
        };
        Value isFirst =
            compare(arith::CmpIPredicate::eq, low, frame.constant(0));
        Value isLast = compare(arith::CmpIPredicate::sge, high, size);
        body(part, {low, high, frame.mul(frame.sub(high, low), inner)}, isFirst,
             isLast);
      });
}

/// Adds a block of reduced points to all tiles of a panel, and writes them out
/// when the last points are in.
void ContractionEmitter::emitPanelProducts(Scope &scope, ContractionBlock block,
                                           Value lane, ReducedBlock reduced,
                                           Value isFirst, Value isLast) {
  Value panel = getPanel(scope, block, lane, reduced);
  emitTiles(scope, block, [&](Scope &inner, Tile tile) {
    emitProducts(inner, block, tile, lane, panel, reduced, isFirst);
    if (!isLast)
      return emitEpilogue(inner, block, tile, lane);
    emitWhen(frame, inner, isLast,
             [&](Scope &last) { emitEpilogue(last, block, tile, lane); });
  });
}

/// Rows are staged once for all panels.
void ContractionEmitter::emitStagedBlock(Scope &scope, ContractionBlock block) {
  emitReducedBlocks(scope, [&](Scope &part, ReducedBlock reduced, Value isFirst,
                               Value isLast) {
    packRows(frame, getPackedRows(plan), part, block.rowLow, block.rowHigh,
             plan.tile.rows, reduced, scratch.rows);
    emitPanels(part, block, [&](Scope &inner, Value lane) {
      emitPanelProducts(inner, block, lane, reduced, isFirst, isLast);
    });
  });
}

/// A panel is packed block by block, and finished before the next one.
void ContractionEmitter::emitPanelsInTurn(Scope &scope,
                                          ContractionBlock block) {
  emitPanels(scope, block, [&](Scope &inner, Value lane) {
    emitReducedBlocks(inner, [&](Scope &part, ReducedBlock reduced,
                                 Value isFirst, Value isLast) {
      emitPanelProducts(part, block, lane, reduced, isFirst, isLast);
    });
  });
}

/// Nothing is staged, and each tile is finished before the next one.
void ContractionEmitter::emitTilesInTurn(Scope &scope, ContractionBlock block) {
  emitPanels(scope, block, [&](Scope &inner, Value lane) {
    emitTiles(inner, block, [&](Scope &whole, Tile tile) {
      emitReducedBlocks(
          whole, [&](Scope &part, ReducedBlock reduced, Value isFirst, Value) {
            emitProducts(part, block, tile, lane, panelAhead(lane, reduced),
                         reduced, isFirst);
          });
      emitEpilogue(whole, block, tile, lane);
    });
  });
}

void ContractionEmitter::emitBlock(Scope &scope, ContractionBlock block) {
  if (!plan.rowsApart)
    emitStagedBlock(scope, block);
  else if (!plan.isPackedAhead)
    emitPanelsInTurn(scope, block);
  else
    emitTilesInTurn(scope, block);
}
