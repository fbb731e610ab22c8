//===- AttentionKernel.cpp - Contraction, softmax, contraction ------------===//
//
// With a causal mask, the loops over the keys of a row end at the diagonal.
// They run over all keys where some value after it is NaN or infinite, as its
// product with a weight of zero is NaN.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Monoid.h"
#include "AttentionOperands.h"
#include "MatrixTiles.h"
#include "PanelPacking.h"
#include "RegisterTile.h"
#include "RowPacking.h"
#include "TC/Analysis/ContractionPlan.h"
#include "TaskSize.h"
#include "VectorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
class AttentionEmitter {
public:
  AttentionEmitter(CPUFrame &frame, const AttentionPlan &plan);
  LaunchShape emit();

private:
  /// The query rows of a tile: code computes `tile` rows from row `base` (i64)
  /// on, of which the first `count` (i64) exist.
  struct Rows {
    Value base, count;
    int64_t tile;
  };

  void allocate();
  void emitPackedOperands(Scope &scope, Value end);
  void emitTiles(Scope &scope, Value low, Value high);
  void emitTile(Scope &scope, Rows rows);
  void emitScores(Scope &scope, Rows rows, Value end);
  void emitExponentials(Scope &scope, Rows rows);
  void emitWeights(Scope &row, Value number);
  Value roundWeights(Value weights);
  void emitOutput(Scope &scope, Rows rows, Value end);
  void provideFolds(Scope &row, Value number);
  void emitRowWrites(Scope &row, Value number);
  void emitResults(Scope &scope, Rows rows, Value column);
  Value emitHasSpecialValues(Scope &scope, Value low);
  ReducedBlock getDepth();
  Value at(Value buffer, Type element, Value offset);
  Value scoreAt(Value row, Value key);
  SizeExpr countRows();
  SizeExpr getGrain(SizeExpr blocks, SizeExpr count);
  SizeExpr constant(int64_t value) {
    return SizeExpr::constant(frame.kernel.getContext(), value);
  }

  CPUFrame &frame;
  const AttentionPlan &plan;
  const TiledAttention &parts;
  AttentionOperands operands;
  Type f32;
  PointEmitter softmax, values, epilogue;
  SizeExpr usesWhole; ///< 1 with tiles of `rows` rows, 0 with `few_rows` alone
  SizeExpr tileRows;  ///< most rows of a tile of this call
  Value queryScratch, keyScratch, valueScratch, scoreScratch, resultScratch,
      largestScratch, sumScratch;
  Value weighsAll; ///< i1: whether keys after the diagonal are computed too
};
} // namespace

AttentionEmitter::AttentionEmitter(CPUFrame &frame, const AttentionPlan &plan)
    : frame(frame), plan(plan), parts(plan.parts),
      operands(frame.kernel.getContext(), plan),
      f32(frame.builder.getF32Type()),
      softmax(frame, parts.key, plan.schedule.getSoftmaxLanes()),
      values(frame, parts.column, plan.schedule.getColumnLanes()),
      epilogue(frame, parts.column,
               std::min(plan.schedule.getSoftmaxLanes(),
                        plan.schedule.getColumnLanes())),
      usesWhole(constant(1)) {
  for (WriteOp write : parts.rowWrites)
    epilogue.provideStore(write, [](Scope &) {});
  AttentionScheduleAttr schedule = plan.schedule;
  if (int64_t below = schedule.getFewBelow())
    usesWhole = reaches(
        getWrittenBytes(frame.kernel, countRows().mul(parts.columnCount)),
        below);
  tileRows = usesWhole.mul(schedule.getRows() - schedule.getFewRows())
                 .add(schedule.getFewRows());
  allocate();
}

void AttentionEmitter::allocate() {
  // `count` elements for each row of a tile.
  auto allocateRows = [&](Type element, int64_t count) {
    return frame.allocateScratch(element, tileRows.mul(count));
  };
  keyScratch =
      frame.allocateScratch(operands.keys.element, plan.countKeyElements());
  if (plan.packsAll()) {
    valueScratch = frame.allocateScratch(operands.values.element,
                                         plan.countValueElements());
    queryScratch = allocateRows(operands.queries.element, plan.queryStride);
  }
  scoreScratch = allocateRows(f32, plan.scoreStride);
  resultScratch = plan.sharesScratch
                      ? scoreScratch
                      : allocateRows(f32, plan.schedule.getColumnLanes());
  largestScratch = allocateRows(f32, 1);
  sumScratch = allocateRows(f32, 1);
}

Value AttentionEmitter::at(Value buffer, Type element, Value offset) {
  return LLVM::GEPOp::create(frame.builder, frame.loc, buffer.getType(),
                             element, buffer, ValueRange{offset});
}

Value AttentionEmitter::scoreAt(Value row, Value key) {
  return at(scoreScratch, f32,
            frame.add(frame.mul(row, frame.constant(plan.scoreStride)), key));
}

ReducedBlock AttentionEmitter::getDepth() {
  return {frame.constant(0), frame.dimSize(parts.depth.front()),
          frame.constant(parts.depthCount)};
}

/// Packs the keys before `end`, and their values where a plan packs all
/// operands.
void AttentionEmitter::emitPackedOperands(Scope &scope, Value end) {
  auto pack = [&](const PackedOperand &panel, Value high, int64_t points,
                  ReducedBlock block, Value scratch) {
    emitSteps(frame, scope, frame.constant(0), high, panel.lanes,
              [&](Scope &inner, Value lane) {
                Value last = arith::MinSIOp::create(
                    frame.builder, frame.loc,
                    frame.add(lane, frame.constant(panel.lanes)), high);
                Value offset = frame.mul(lane, frame.constant(points));
                packPanel(frame, panel, inner, lane, last, block,
                          at(scratch, panel.element, offset));
              });
  };
  pack(operands.keys, end, plan.keyPoints, getDepth(), keyScratch);
  if (plan.packsAll())
    pack(operands.values, frame.constant(parts.columnCount), plan.valuePoints,
         {frame.constant(0), end, end}, valueScratch);
}

/// The scores of the tile's rows with the keys before `end`: the results of the
/// kernel's first contraction.
void AttentionEmitter::emitScores(Scope &scope, Rows rows, Value end) {
  if (plan.packsAll())
    packRows(frame, operands.queries, scope, rows.base,
             frame.add(rows.base, rows.count), rows.tile, getDepth(),
             queryScratch);
  TileLayout layout = operands.scores;
  layout.rows = rows.tile;
  PointEmitter reader(frame, std::nullopt, 1);
  auto readQuery = [&](Scope &point, int64_t row) {
    Scope inner(point);
    inner.bind(parts.row, frame.add(rows.base, frame.constant(row)));
    return reader.emit(parts.queries, inner);
  };
  emitSteps(frame, scope, frame.constant(0), end, layout.lanes,
            [&](Scope &inner, Value key) {
              Value offset = frame.mul(key, frame.constant(plan.keyPoints));
              TileAddresses addresses{
                  queryScratch, at(keyScratch, operands.keys.element, offset),
                  at(scoreScratch, f32, key)};
              if (plan.packsAll())
                return emitMultiplyAdds(frame, layout, addresses,
                                        frame.constant(parts.depthCount),
                                        /*isFirst=*/nullptr);
              emitTileInPlace(reader, inner, parts.depth, layout, addresses,
                              {.row = readQuery});
            });
}

/// `weights`, f32 in registers, as the elements that are multiplied: f32, or
/// bf16 as i16 where the kernel's body rounds them to bf16 and pairs are
/// multiplied.
Value AttentionEmitter::roundWeights(Value weights) {
  if (plan.pair() == 1)
    return weights;
  auto &builder = frame.builder;
  auto type = cast<VectorType>(weights.getType());
  Value rounded = arith::TruncFOp::create(
      builder, frame.loc, type.clone(builder.getBF16Type()), weights);
  return arith::BitcastOp::create(builder, frame.loc,
                                  type.clone(builder.getI16Type()), rounded);
}

/// Overwrites the scores of row `number` of the tile with their exponentials,
/// and stores the sum of these. A weight takes no more bytes than a score, so
/// that no score is overwritten before it is read.
void AttentionEmitter::emitWeights(Scope &row, Value number) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Type type = VectorType::get({plan.schedule.getSoftmaxLanes()}, f32),
       stored = operands.output.row.stored;
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value start = scoreAt(number, frame.constant(0));
  SmallVector<Value> sums = softmax.emitLoop(
      row, parts.key, zero,
      [&](Scope &inner, ValueRange carried) -> SmallVector<Value> {
        // Both are one value except for casts, each of which may round.
        Value added = softmax.emitVector(ReduceStageOp(parts.sum).getValue(),
                                         inner),
              weight = softmax.emitVector(
                  ContractStageOp(parts.output).getLhs(), inner);
        if (Value mask = inner.lanes->mask) {
          added = arith::SelectOp::create(builder, loc, mask, added, zero);
          weight = arith::SelectOp::create(builder, loc, mask, weight, zero);
        }
        LLVM::StoreOp::create(builder, loc, roundWeights(weight),
                              at(start, stored, inner.indices[parts.key]),
                              getElementBytes(stored));
        return {arith::AddFOp::create(builder, loc, carried[0], added)};
      });
  Monoid addition(ReductionKind::Sum, f32);
  sums = foldLanes(builder, loc, addition, sums);
  LLVM::StoreOp::create(builder, loc, sums[0], at(sumScratch, f32, number));
}

/// The maximum of each row's scores, their exponentials and the sum of these.
void AttentionEmitter::emitExponentials(Scope &scope, Rows rows) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Value scores = ContractStageOp(parts.scores).getResult(),
        largest = ReduceStageOp(parts.largest).getResult(0);
  emitSteps(frame, scope, frame.constant(0), rows.count, 1,
            [&](Scope &row, Value number) {
              row.bind(parts.row, frame.add(rows.base, number));
              softmax.provide(scores, [&, number](Scope &inner) -> Value {
                Type type = VectorType::get({inner.lanes->count}, f32);
                return LLVM::LoadOp::create(
                    builder, loc, type,
                    scoreAt(number, inner.indices[parts.key]),
                    /*alignment=*/4);
              });
              LLVM::StoreOp::create(builder, loc, softmax.emit(largest, row),
                                    at(largestScratch, f32, number));
              emitWeights(row, number);
              emitRowWrites(row, number);
            });
}

/// Has what a scope emits read the maximum and the sum of row `number`.
void AttentionEmitter::provideFolds(Scope &row, Value number) {
  auto load = [&](Value scratch) -> Value {
    return LLVM::LoadOp::create(frame.builder, frame.loc, f32,
                                at(scratch, f32, number), /*alignment=*/4);
  };
  row.values[ReduceStageOp(parts.sum).getResult(0)] = load(sumScratch);
  row.values[ReduceStageOp(parts.largest).getResult(0)] = load(largestScratch);
}

/// What the kernel writes of the softmax of a row alone.
void AttentionEmitter::emitRowWrites(Scope &row, Value number) {
  if (parts.rowWrites.empty())
    return;
  provideFolds(row, number);
  PointEmitter emitter(frame, std::nullopt, 1);
  for (WriteOp write : parts.rowWrites)
    emitter.access.emitWrite(write, row);
}

/// The epilogue and the kernel's writes of a tile's results, of the columns
/// from `column` on.
void AttentionEmitter::emitResults(Scope &scope, Rows rows, Value column) {
  auto &builder = frame.builder;
  auto prepare = [&](Scope &row, Value number) { provideFolds(row, number); };
  int64_t lanes = plan.schedule.getColumnLanes();
  Value laneEnd = arith::MinSIOp::create(
      builder, frame.loc, frame.add(column, frame.constant(lanes)),
      frame.constant(parts.columnCount));
  FinishedTile finished{ContractStageOp(parts.output).getResult(),
                        parts.row,
                        parts.column,
                        resultScratch,
                        lanes,
                        rows.base,
                        column};
  emitTileEpilogue(epilogue, scope, finished, rows.base,
                   frame.add(rows.base, rows.count), laneEnd, prepare);
}

/// The sum of the values of the keys before `end`, weighted by the
/// exponentials, and the kernel's writes.
void AttentionEmitter::emitOutput(Scope &scope, Rows rows, Value end) {
  TileLayout layout = operands.output;
  layout.rows = rows.tile;
  if (plan.packsAll())
    return emitSteps(
        frame, scope, frame.constant(0), frame.constant(parts.columnCount),
        layout.lanes, [&](Scope &inner, Value column) {
          Value offset = frame.mul(column, frame.constant(plan.valuePoints));
          emitMultiplyAdds(frame, layout,
                           {scoreScratch,
                            at(valueScratch, operands.values.element, offset),
                            resultScratch},
                           end, /*isFirst=*/nullptr);
          emitResults(inner, rows, column);
        });
  auto readValues = [&](Scope &point) {
    return values.emitVector(parts.values, point);
  };
  values.emitLoop(scope, parts.column, {}, [&](Scope &inner, ValueRange) {
    emitTileInPlace(values, inner, parts.key, layout,
                    {scoreScratch, nullptr, resultScratch},
                    {.panel = readValues});
    emitResults(inner, rows, inner.indices[parts.column]);
    return SmallVector<Value>();
  });
}

/// Whether (i1) some value from key `low` on is NaN or infinite: its product
/// with zero is NaN.
Value AttentionEmitter::emitHasSpecialValues(Scope &scope, Value low) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  int64_t lanes = plan.schedule.getColumnLanes();
  auto type = VectorType::get({lanes}, f32);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  PointEmitter reader(frame, parts.column, lanes);
  Value high = frame.constant(parts.keyCount);
  SmallVector<Value> sums = reader.emitLoop(
      scope, parts.column, zero, [&](Scope &columns, ValueRange carried) {
        return reader.emitLoop(
            columns, parts.key, low, high, carried,
            [&](Scope &inner, ValueRange sum) -> SmallVector<Value> {
              return {math::FmaOp::create(
                  builder, loc, reader.emitVector(parts.values, inner), zero,
                  sum[0])};
            });
      });
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      sums[0], sums[0]);
  return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                     isNan);
}

void AttentionEmitter::emitTile(Scope &scope, Rows rows) {
  Value end = frame.constant(parts.keyCount);
  if (parts.causal) {
    Value diagonal = arith::MinSIOp::create(
        frame.builder, frame.loc, frame.add(rows.base, rows.count), end);
    end = arith::SelectOp::create(frame.builder, frame.loc, weighsAll, end,
                                  diagonal);
    Value first = frame.constant(0);
    softmax.limit(parts.key, first, end);
    values.limit(parts.key, first, end);
  }
  emitScores(scope, rows, end);
  emitExponentials(scope, rows);
  emitOutput(scope, rows, end);
}

/// The tiles of the query rows [low, high). With AMX all have the schedule's
/// `rows`, of which the last tile writes those that exist. With vectors, tiles
/// of `few_rows` rows and then single rows follow the last whole tile.
void AttentionEmitter::emitTiles(Scope &scope, Value low, Value high) {
  auto &builder = frame.builder;
  int64_t size = plan.schedule.getRows();
  if (plan.usesAMX())
    return emitSteps(
        frame, scope, low, high, size, [&](Scope &inner, Value base) {
          Value count = arith::MinSIOp::create(
              builder, frame.loc, frame.constant(size), frame.sub(high, base));
          emitTile(inner, {base, count, size});
        });
  Value areWhole;
  if (!usesWhole.isConstant(1))
    areWhole =
        arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::ne,
                              frame.size(usesWhole), frame.constant(0));
  emitRowTiles(frame, scope, low, high, size, plan.schedule.getFewRows(),
               areWhole, [&](Scope &inner, Value base, int64_t rows) {
                 emitTile(inner, {base, frame.constant(rows), rows});
               });
}

/// The number of query rows of all heads.
SizeExpr AttentionEmitter::countRows() {
  SizeExpr rows = frame.kernel.getDimSize(parts.row);
  for (unsigned dim : parts.batches)
    rows = rows.mul(frame.kernel.getDimSize(dim));
  return rows;
}

/// The fewest iterations of one task, each of which computes a block of query
/// rows: `task_multiply_adds`, and no more tasks than may use their stacks.
SizeExpr AttentionEmitter::getGrain(SizeExpr blocks, SizeExpr count) {
  SizeExpr rows = frame.kernel.getDimSize(parts.row);
  if (!blocks.isConstant(1))
    rows = rows.min(constant(plan.schedule.getRowBlock()));
  int64_t row = parts.countRowMultiplyAdds();
  const AttentionScheduleAttr schedule = plan.schedule;
  return limitTasks(
      tc::getGrain(rows.mul(row), schedule.getTaskMultiplyAdds()), count,
      countRows().mul(row).floorDiv(constant(schedule.getStackMultiplyAdds())),
      tileRows.mul(plan.getRowBytes()).add(plan.getPackedBytes()),
      getTasksBytes(
          getWrittenBytes(frame.kernel, countRows().mul(parts.columnCount))));
}

LaunchShape AttentionEmitter::emit() {
  auto &builder = frame.builder;
  LaunchShape shape;
  SizeExpr heads = constant(1);
  for (unsigned dim : parts.batches)
    heads = heads.mul(frame.kernel.getDimSize(dim));
  SizeExpr blocks = constant(1);
  if (int64_t size = plan.schedule.getRowBlock())
    blocks = frame.kernel.getDimSize(parts.row).ceilDiv(constant(size));
  shape.count = heads.mul(blocks);
  shape.grain = getGrain(blocks, shape.count);

  if (plan.usesAMX())
    emitTileConfiguration(frame);
  Scope root(frame);
  emitSteps(frame, root, frame.begin, frame.end, 1,
            [&](Scope &scope, Value iteration) {
              Value low = frame.constant(0), high = frame.dimSize(parts.row);
              if (!blocks.isConstant(1)) {
                Value size = frame.size(blocks),
                      block = frame.constant(plan.schedule.getRowBlock());
                Value quotient =
                    arith::DivUIOp::create(builder, frame.loc, iteration, size);
                low = frame.mul(frame.sub(iteration, frame.mul(quotient, size)),
                                block);
                high = arith::MinSIOp::create(builder, frame.loc,
                                              frame.add(low, block), high);
                iteration = quotient;
              }
              bindDigits(frame, scope, parts.batches, iteration);
              Value end = frame.constant(parts.keyCount);
              if (parts.causal) {
                weighsAll = emitHasSpecialValues(scope, low);
                Value before =
                    arith::MinSIOp::create(builder, frame.loc, high, end);
                end = arith::SelectOp::create(builder, frame.loc, weighsAll,
                                              end, before);
              }
              emitPackedOperands(scope, end);
              emitTiles(scope, low, high);
            });
  if (plan.usesAMX())
    emitTileRelease(frame);
  return shape;
}

LaunchShape tc::emitAttentionKernel(CPUFrame &frame,
                                    const AttentionPlan &plan) {
  return AttentionEmitter(frame, plan).emit();
}
