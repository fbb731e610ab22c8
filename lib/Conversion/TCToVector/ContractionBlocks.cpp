//===- ContractionBlocks.cpp - Blocks of a contraction --------------------===//

#include "ContractionBlocks.h"
#include "../KernelEmission/KernelWrites.h"
#include "PanelPacking.h"
#include "RegisterTile.h"
#include "RowPacking.h"
#include "SumTiles.h"
#include "VectorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// A tile of registers
//===----------------------------------------------------------------------===//

/// The address of the first accumulator of `tile` from `lane` on.
Value ContractionEmitter::accumulatorPointer(ContractionBlock block, Tile tile,
                                             Value lane) {
  Value row = plan.finishesTiles() ? frame.constant(0)
                                   : frame.sub(tile.low, block.rowLow);
  Value offset = frame.mul(row, frame.constant(plan.accumulatorStride()));
  if (!plan.finishesPanels())
    offset = frame.add(offset, frame.sub(lane, block.laneLow));
  return LLVM::GEPOp::create(frame.builder, frame.loc,
                             scratch.accumulators.getType(), compute,
                             scratch.accumulators, ValueRange{offset});
}

/// The multiply-adds of a tile of `tileRows` rows in vector registers.
void ContractionEmitter::emitVectors(int64_t tileRows, TileAddresses operands,
                                     Value points, Value isFirst) {
  TileLayout layout = getTileLayout(plan, tileRows);
  if (plan.sumsVectors())
    emitSumTile(frame, layout, operands, points);
  else
    emitVectorTile(frame, layout, operands, points, isFirst);
}

/// Multiply-adds of rows that are read in place. Tiles are whole where the call
/// has as many rows as a tile; fewer rows are multiplied one at a time.
void ContractionEmitter::emitMultiplyAddsInPlace(Tile tile,
                                                 TileAddresses operands,
                                                 Value points, Value isFirst) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto emitWhole = [&] {
    emitVectors(plan.tile.rows, operands, points, isFirst);
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
      advance(operands.accumulators, compute, plan.accumulatorStride());
  emitVectors(/*tileRows=*/1, operands, points, isFirst);
}

/// The address of what the tile fetches of the panel after `panel`, that of the
/// lanes from `lane` on, or of later points of `panel`: behind the last panel,
/// and the last point, it is memory that nobody reads.
Value ContractionEmitter::fetchPointer(ContractionBlock block, Tile tile,
                                       Value lane, Value panel,
                                       ReducedBlock reduced) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value part = frame.constant(0);
  if (plan.fetchParts > 1) {
    Value number =
        arith::DivUIOp::create(builder, loc, frame.sub(tile.low, block.rowLow),
                               frame.constant(plan.tile.rows));
    part = arith::RemUIOp::create(builder, loc, number,
                                  frame.constant(plan.fetchParts));
  }
  TileLayout layout = getTileLayout(plan, plan.tile.rows);
  auto advance = [&](Value pointer, Type element, Value count) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                               pointer, ValueRange{count});
  };
  if (plan.sumsVectors()) {
    Value ahead =
        frame.add(frame.mul(part, frame.constant(layout.fetchedLanes)),
                  frame.constant(plan.tile.lanes));
    return advance(panel, layout.panel.stored,
                   frame.mul(ahead, frame.constant(layout.panel.stride)));
  }
  if (plan.fetchPoints > 0)
    return advance(panel, layout.panel.stored,
                   frame.constant(plan.fetchPoints * layout.panel.stride));
  Value next =
      panelAhead(frame.add(lane, frame.constant(plan.tile.lanes)), reduced);
  if (plan.fetchParts == 1)
    return next;
  return advance(
      next, builder.getI8Type(),
      frame.mul(part, frame.mul(reduced.points,
                                frame.constant(layout.fetchedBytes))));
}

/// Adds the multiply-adds of a block of reduced points to the tile's
/// accumulators.
void ContractionEmitter::emitTileMultiplyAdds(Scope &scope,
                                              ContractionBlock block, Tile tile,
                                              Value lane, Value panel,
                                              ReducedBlock reduced,
                                              Value isFirst) {
  TileAddresses operands;
  if (plan.inPlaceRowStride) {
    operands.rows = pointerToRow(frame, plan, scope, tile.start, reduced);
  } else {
    Value offset = frame.mul(frame.sub(tile.start, block.rowLow),
                             frame.constant(plan.rowStride()));
    operands.rows = LLVM::GEPOp::create(
        frame.builder, frame.loc, scratch.rows.getType(), getRowElement(plan),
        scratch.rows, ValueRange{offset});
  }
  operands.panel = panel;
  operands.accumulators = accumulatorPointer(block, tile, lane);
  if (plan.fetchParts > 0 || plan.fetchPoints > 0)
    operands.next = fetchPointer(block, tile, lane, panel, reduced);
  auto lanes = countPoints(frame.kernel, plan.roles.lanes);
  if (plan.sumsVectors() && (!lanes || *lanes % plan.tile.lanes != 0))
    operands.lanes = frame.sub(block.laneHigh, lane);
  if (!plan.usesTiles && plan.inPlaceRowStride)
    return emitMultiplyAddsInPlace(tile, operands, reduced.points, isFirst);
  if (plan.sumsVectors())
    return emitVectors(plan.tile.rows, operands, reduced.points, isFirst);
  TileLayout layout = getTileLayout(plan, plan.tile.rows);
  layout.usesAMX = plan.usesTiles;
  emitMultiplyAdds(frame, layout, operands, reduced.points, isFirst);
}

/// The kernel's writes for one tile, whose accumulators have all points.
void ContractionEmitter::emitEpilogue(Scope &scope, ContractionBlock block,
                                      Tile tile, Value lane) {
  Value laneEnd = block.laneHigh, first = getFirstLane(lane),
        accumulators = accumulatorPointer(block, tile, lane);
  if (!plan.sumsVectors())
    laneEnd = arith::MinSIOp::create(
        frame.builder, frame.loc,
        frame.add(lane, frame.constant(plan.tile.lanes)), block.laneHigh);
  bool beginsEarly = first != lane;
  if (beginsEarly)
    accumulators = LLVM::GEPOp::create(
        frame.builder, frame.loc, accumulators.getType(), compute, accumulators,
        ValueRange{frame.sub(lane, first)});
  FinishedTile finished{result,
                        plan.roles.rows,
                        plan.roles.lanes,
                        accumulators,
                        plan.accumulatorStride(),
                        tile.start,
                        lane,
                        beginsEarly};
  emitTileEpilogue(epilogue, scope, finished, tile.low, tile.high, laneEnd,
                   /*prepare=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The address of the panel of the lanes from `lane` on, in the operand that
/// was packed ahead.
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
      frame.builder, frame.loc, scratch.accumulators.getType(),
      getPanelElement(plan), frame.pointer(read.getSource()),
      ValueRange{frame.mul(point, frame.constant(plan.tile.lanes))});
}

/// The first lane of the tile that computes the lanes from `lane` on. The last
/// tile of lanes that are read in place begins before its own lanes, as there
/// may be no memory after them.
Value ContractionEmitter::getFirstLane(Value lane) {
  auto lanes = countPoints(frame.kernel, plan.roles.lanes);
  if (plan.tile.panel != PanelKind::Lanes || *lanes % plan.tile.lanes == 0)
    return lane;
  return arith::MinSIOp::create(frame.builder, frame.loc, lane,
                                frame.constant(*lanes - plan.tile.lanes));
}

/// The address of the points `reduced` of the panel of the lanes from `lane`
/// on, which is packed here unless it was packed ahead or is read in place.
Value ContractionEmitter::getPanel(Scope &scope, ContractionBlock block,
                                   Value lane, ReducedBlock reduced) {
  if (plan.isPackedAhead)
    return panelAhead(lane, reduced);
  if (plan.inPlacePanelStride)
    return pointerToLane(frame, plan, scope, getFirstLane(lane), reduced);
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

/// Calls `body` for each tile of the block's rows. The last tile of rows that
/// are read in place begins before its own rows, as there may be no memory
/// after them.
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
              if (plan.inPlaceRowStride) {
                Value last = arith::MaxSIOp::create(
                    builder, loc, frame.sub(frame.size(rows), size),
                    frame.constant(0));
                tile.start = arith::MinSIOp::create(builder, loc, low, last);
              }
              body(inner, tile);
            });
}

/// Calls `body` for the points of `range`, `step` of the first dimension at a
/// time. A contraction over no points is 0 and written too: there is at least
/// one block.
void ContractionEmitter::emitReducedBlocks(Scope &scope, ReducedBlock range,
                                           int64_t step, ReducedBody body) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value end = arith::MaxSIOp::create(builder, loc, range.high,
                                     frame.add(range.low, frame.constant(1)));
  emitSteps(frame, scope, range.low, end, step, [&](Scope &part, Value low) {
    Value high = arith::MinSIOp::create(
        builder, loc, frame.add(low, frame.constant(step)), range.high);
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return arith::CmpIOp::create(builder, loc, predicate, a, b);
    };
    Value isFirst = compare(arith::CmpIPredicate::eq, low, frame.constant(0));
    Value isLast = compare(arith::CmpIPredicate::sge, high, range.high);
    Value points =
        frame.mul(frame.sub(high, low), frame.constant(plan.innerPoints));
    body(part, {low, high, points}, isFirst, isLast);
  });
}

/// Calls `body` for all reduced points, `blocks` blocks at a time; `areAll`
/// says that these are all blocks.
void ContractionEmitter::emitReducedBlocks(Scope &scope, int64_t blocks,
                                           bool areAll, ReducedBody body) {
  Value size = plan.roles.reduced.empty()
                   ? frame.constant(1)
                   : frame.dimSize(plan.roles.reduced.front());
  ReducedBlock all{frame.constant(0), size,
                   frame.mul(size, frame.constant(plan.innerPoints))};
  if (areAll)
    return body(scope, all, nullptr, nullptr);
  emitReducedBlocks(scope, all, blocks * plan.firstBlock, body);
}

/// The address of the points `reduced` of a panel of the points `packed`.
Value ContractionEmitter::panelPart(Value panel, ReducedBlock packed,
                                    ReducedBlock reduced) {
  Value offset =
      frame.mul(frame.sub(reduced.low, packed.low),
                frame.constant(plan.innerPoints * plan.panelStride()));
  return LLVM::GEPOp::create(frame.builder, frame.loc, panel.getType(),
                             getPanelElement(plan), panel, ValueRange{offset});
}

/// Adds the points of a panel to a tile's accumulators, block by block.
void ContractionEmitter::emitTileOfPanel(Scope &scope, ContractionBlock block,
                                         Tile tile, Value lane, Value panel,
                                         ReducedBlock packed, Value isFirst) {
  if (plan.panelBlocks == 1)
    return emitTileMultiplyAdds(scope, block, tile, lane, panel, packed,
                                isFirst);
  emitReducedBlocks(
      scope, packed, plan.firstBlock,
      [&](Scope &part, ReducedBlock reduced, Value isFirst, Value) {
        emitTileMultiplyAdds(part, block, tile, lane,
                             panelPart(panel, packed, reduced), reduced,
                             isFirst);
      });
}

/// Adds the points of a panel to all its tiles, and emits the epilogue of each
/// after the last points.
void ContractionEmitter::emitPanelMultiplyAdds(Scope &scope,
                                               ContractionBlock block,
                                               Value lane, ReducedBlock reduced,
                                               Value isFirst, Value isLast) {
  Value panel = getPanel(scope, block, lane, reduced);
  emitTiles(scope, block, [&](Scope &inner, Tile tile) {
    emitTileOfPanel(inner, block, tile, lane, panel, reduced, isFirst);
    if (!isLast)
      return emitEpilogue(inner, block, tile, lane);
    emitWhen(frame, inner, isLast,
             [&](Scope &last) { emitEpilogue(last, block, tile, lane); });
  });
}

/// Rows are packed once for all panels.
void ContractionEmitter::emitBlockOfPackedRows(Scope &scope,
                                               ContractionBlock block) {
  emitReducedBlocks(scope, [&](Scope &part, ReducedBlock reduced, Value isFirst,
                               Value isLast) {
    packRows(frame, getPackedRows(plan), part, block.rowLow, block.rowHigh,
             plan.tile.rows, reduced, scratch.rows);
    emitPanels(part, block, [&](Scope &inner, Value lane) {
      emitPanelMultiplyAdds(inner, block, lane, reduced, isFirst, isLast);
    });
  });
}

/// Rows are read in place. Each panel is packed some blocks at a time, and runs
/// through all reduced points before the next panel.
void ContractionEmitter::emitPanelByPanel(Scope &scope,
                                          ContractionBlock block) {
  emitPanels(scope, block, [&](Scope &inner, Value lane) {
    emitReducedBlocks(
        inner, plan.panelBlocks, plan.isOnePanel,
        [&](Scope &part, ReducedBlock reduced, Value isFirst, Value isLast) {
          emitPanelMultiplyAdds(part, block, lane, reduced, isFirst, isLast);
        });
  });
}

/// Rows are read in place, panels are packed ahead, and each tile runs through
/// all reduced points before the next tile.
void ContractionEmitter::emitTileByTile(Scope &scope, ContractionBlock block) {
  emitPanels(scope, block, [&](Scope &inner, Value lane) {
    emitTiles(inner, block, [&](Scope &whole, Tile tile) {
      emitReducedBlocks(
          whole, [&](Scope &part, ReducedBlock reduced, Value isFirst, Value) {
            emitTileMultiplyAdds(part, block, tile, lane,
                                 panelAhead(lane, reduced), reduced, isFirst);
          });
      emitEpilogue(whole, block, tile, lane);
    });
  });
}

/// Vectors along the points of both operands are summed, all rows for some
/// lanes before the next lanes. The epilogue follows when all results of the
/// block are there, as the lanes of a tile are fewer than its vectors have.
void ContractionEmitter::emitBlockOfSums(Scope &scope, ContractionBlock block) {
  emitReducedBlocks(scope, [&](Scope &part, ReducedBlock reduced, Value isFirst,
                               Value) {
    if (!plan.inPlaceRowStride)
      packRows(frame, getPackedRows(plan), part, block.rowLow, block.rowHigh,
               plan.tile.rows, reduced, scratch.rows);
    emitPanels(part, block, [&](Scope &inner, Value lane) {
      Value panel = getPanel(inner, block, lane, reduced);
      emitTiles(inner, block, [&](Scope &whole, Tile tile) {
        emitTileMultiplyAdds(whole, block, tile, lane, panel, reduced, isFirst);
      });
    });
  });
  emitTiles(scope, block, [&](Scope &inner, Tile tile) {
    emitEpilogue(inner, block, tile, block.laneLow);
  });
}

void ContractionEmitter::emitBlock(Scope &scope, ContractionBlock block) {
  if (plan.sumsVectors())
    emitBlockOfSums(scope, block);
  else if (!plan.inPlaceRowStride)
    emitBlockOfPackedRows(scope, block);
  else if (!plan.isPackedAhead)
    emitPanelByPanel(scope, block);
  else
    emitTileByTile(scope, block);
}
