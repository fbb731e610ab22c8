//===- AttentionKernel.cpp - Contraction, softmax, contraction ------------===//
//
// One iteration is a block of query rows of one head. The keys are packed once
// an iteration, keys along the lanes. For each tile of rows: the scores of the
// whole row into a buffer, their exponentials in place, then the weighted sum
// of the values. Scores never leave the cache. A causal mask ends the row's
// loops at the diagonal, but where a value behind it is NaN or infinite, which
// a weight of zero does not hide.
//
//===----------------------------------------------------------------------===//

#include "../KernelEmission/Monoid.h"
#include "KernelEmitters.h"
#include "RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Products that cost as much as an exponential.
static constexpr int64_t kExponential = 16;

namespace {
class AttentionEmitter {
public:
  AttentionEmitter(CPUFrame &frame, const TiledAttention &parts,
                   AttentionScheduleAttr schedule);
  LaunchShape emit();

private:
  void emitPackedKeys(Scope &scope);
  void emitTile(Scope &scope, Value base, int64_t rows);
  void emitScores(Scope &scope, Value base, int64_t rows);
  void emitExponentials(Scope &scope, Value base, int64_t rows);
  void emitOutput(Scope &scope, Value base, int64_t rows);
  Value emitHasSpecialValues(Scope &scope, Value low);
  Value packedKeys(Scope &scope);
  Value element(Value buffer, Value offset);
  Value rowElement(Value buffer, Value row, Value key);
  SizeExpr getRowBlocks();
  SizeExpr countRows();
  int64_t getRowProducts() const;
  SizeExpr getGrain(SizeExpr rowBlocks, SizeExpr count);

  CPUFrame &frame;
  TiledAttention parts;
  int64_t tileRows, keyLanes, columnLanes, rowBlock; ///< of the schedule
  int64_t rowLength;
  PointEmitter byKey, bySoftmax, byColumn, epilogue;
  SizeExpr usesWhole; ///< 1 where tiles of all rows are small, 0 where not
  SizeExpr taskBytes; ///< that a task takes of its stack
  Value keyScratch, scoreScratch, tileScratch, largestScratch, sumScratch;
  Value weighsAll; ///< i1: whether masked values count too
};
} // namespace

AttentionEmitter::AttentionEmitter(CPUFrame &frame, const TiledAttention &parts,
                                   AttentionScheduleAttr schedule)
    : frame(frame), parts(parts), tileRows(schedule.getRows()),
      keyLanes(schedule.getKeyLanes()), columnLanes(schedule.getColumnLanes()),
      rowBlock(schedule.getRowBlock()), rowLength(parts.getRowLength(schedule)),
      byKey(frame, parts.key, keyLanes),
      bySoftmax(frame, parts.key,
                std::min(keyLanes, schedule.getSoftmaxLanes())),
      byColumn(frame, parts.column, columnLanes),
      epilogue(frame, parts.column,
               std::min(columnLanes, schedule.getSoftmaxLanes())) {
  // Where a tile has all columns, its scores are read before it is stored.
  bool sharesScratch = parts.columnCount <= columnLanes;
  int64_t scoreLength =
      sharesScratch ? std::max(rowLength, columnLanes) : rowLength;
  int64_t keyBytes = 4 * rowLength * parts.depthCount,
          rowBytes = 4 * (scoreLength + (sharesScratch ? 0 : columnLanes) + 2);
  usesWhole =
      reaches(getWrittenBytes(frame.kernel, countRows().mul(parts.columnCount)),
              keyBytes + tileRows * rowBytes);
  int64_t part = getPartOfTile(tileRows);
  SizeExpr usedRows = usesWhole.mul(tileRows - part).add(part);
  taskBytes = usedRows.mul(rowBytes).add(keyBytes);
  // Of each row of a tile.
  auto allocate = [&](int64_t count) {
    return frame.allocateScratch(frame.builder.getF32Type(),
                                 usedRows.mul(count));
  };
  keyScratch = frame.allocateScratch(frame.builder.getF32Type(),
                                     rowLength * parts.depthCount);
  scoreScratch = allocate(scoreLength);
  tileScratch = sharesScratch ? scoreScratch : allocate(columnLanes);
  largestScratch = allocate(1);
  sumScratch = allocate(1);
}

Value AttentionEmitter::element(Value buffer, Value offset) {
  return LLVM::GEPOp::create(frame.builder, frame.loc, buffer.getType(),
                             frame.builder.getF32Type(), buffer,
                             ValueRange{offset});
}

Value AttentionEmitter::rowElement(Value buffer, Value row, Value key) {
  return element(buffer,
                 frame.add(frame.mul(row, frame.constant(rowLength)), key));
}

/// Where the lanes of keys at the scope's depth lie: [key block][depth][lane].
Value AttentionEmitter::packedKeys(Scope &scope) {
  Value position = frame.constant(0);
  for (unsigned dim : parts.depth)
    position =
        frame.add(frame.mul(position, frame.dimSize(dim)), scope.indices[dim]);
  Value block =
      frame.mul(scope.indices[parts.key], frame.constant(parts.depthCount));
  return element(
      keyScratch,
      frame.add(block, frame.mul(position, frame.constant(keyLanes))));
}

void AttentionEmitter::emitPackedKeys(Scope &scope) {
  PointEmitter reader(frame, parts.key, keyLanes);
  reader.emitLoop(scope, parts.key, {}, [&](Scope &lanes, ValueRange) {
    reader.emitLoops(lanes, parts.depth, {}, [&](Scope &inner, ValueRange) {
      LLVM::StoreOp::create(frame.builder, frame.loc,
                            reader.emitVector(parts.keys, inner),
                            packedKeys(inner),
                            /*alignment=*/64);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

/// Scores of the tile's rows, as the contraction gives them.
void AttentionEmitter::emitScores(Scope &scope, Value base, int64_t tileRows) {
  RegisterTile tile{parts.scores.getResult(), parts.row, parts.key, keyLanes,
                    tileScratch};
  Type vector = VectorType::get({keyLanes}, frame.builder.getF32Type());
  byKey.emitLoop(scope, parts.key, {}, [&](Scope &lanes, ValueRange) {
    SmallVector<Value> accumulators = tile.accumulate(
        byKey, lanes, parts.depth, base, tileRows,
        [&](Scope &inner) -> Value {
          return LLVM::LoadOp::create(frame.builder, frame.loc, vector,
                                      packedKeys(inner), /*alignment=*/64);
        },
        [&](Scope &row, int64_t) {
          return byKey.emitVector(parts.queries, row);
        });
    for (auto [row, accumulator] : llvm::enumerate(accumulators))
      LLVM::StoreOp::create(frame.builder, frame.loc, accumulator,
                            rowElement(scoreScratch, frame.constant(row),
                                       lanes.indices[parts.key]),
                            /*alignment=*/64);
    return SmallVector<Value>();
  });
}

/// Each row's maximum, exponentials (in place of the scores) and their sum.
void AttentionEmitter::emitExponentials(Scope &scope, Value base,
                                        int64_t tileRows) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto loop = scf::ForOp::create(builder, loc, frame.constant(0),
                                 frame.constant(tileRows), frame.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  Operation *previous = scope.openLoop;
  scope.openLoop = loop;
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  Scope row(scope);
  row.bind(parts.row, frame.add(base, number));
  bySoftmax.provide(parts.scores.getResult(), [&](Scope &inner) -> Value {
    Type type = VectorType::get({inner.lanes->count}, builder.getF32Type());
    return LLVM::LoadOp::create(
        builder, loc, type,
        rowElement(scoreScratch, number, inner.indices[parts.key]),
        /*alignment=*/4);
  });
  Value largest = bySoftmax.emit(parts.largest.getResult(0), row);
  LLVM::StoreOp::create(builder, loc, largest, element(largestScratch, number));
  Type type = VectorType::get({bySoftmax.laneCount}, builder.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<Value> sums = bySoftmax.emitLoop(
      row, parts.key, zero,
      [&](Scope &inner, ValueRange carried) -> SmallVector<Value> {
        // One value but for casts, any of which may round.
        Value added = bySoftmax.emitVector(parts.sum.getValue(), inner),
              weight = bySoftmax.emitVector(parts.output.getLhs(), inner);
        if (Value mask = inner.lanes->mask) {
          added = arith::SelectOp::create(builder, loc, mask, added, zero);
          weight = arith::SelectOp::create(builder, loc, mask, weight, zero);
        }
        LLVM::StoreOp::create(
            builder, loc, weight,
            rowElement(scoreScratch, number, inner.indices[parts.key]),
            /*alignment=*/4);
        return {arith::AddFOp::create(builder, loc, carried[0], added)};
      });
  Monoid addition(ReductionKind::Sum, builder.getF32Type());
  sums = foldLanes(builder, loc, addition, sums);
  LLVM::StoreOp::create(builder, loc, sums[0], element(sumScratch, number));
  scope.openLoop = previous;
}

/// The weighted sum of the values, and the kernel's writes.
void AttentionEmitter::emitOutput(Scope &scope, Value base, int64_t tileRows) {
  auto &builder = frame.builder;
  RegisterTile tile{parts.output.getResult(), parts.row, parts.column,
                    columnLanes, tileScratch};
  Type f32 = builder.getF32Type(), vector = VectorType::get({columnLanes}, f32);
  byColumn.emitLoop(scope, parts.column, {}, [&](Scope &lanes, ValueRange) {
    SmallVector<Value> accumulators = tile.accumulate(
        byColumn, lanes, {parts.key}, base, tileRows,
        [&](Scope &inner) { return byColumn.emitVector(parts.values, inner); },
        [&](Scope &point, int64_t row) -> Value {
          Value address = rowElement(scoreScratch, frame.constant(row),
                                     point.indices[parts.key]);
          Value weight = LLVM::LoadOp::create(builder, frame.loc, f32, address,
                                              /*alignment=*/4);
          return vector::BroadcastOp::create(builder, frame.loc, vector,
                                             weight);
        });
    tile.emitEpilogue(epilogue, lanes, base, tileRows, accumulators,
                      [&](Scope &row, Value number) {
                        auto load = [&](Value scratch) -> Value {
                          return LLVM::LoadOp::create(builder, frame.loc, f32,
                                                      element(scratch, number),
                                                      /*alignment=*/4);
                        };
                        row.values[parts.sum.getResult(0)] = load(sumScratch);
                        row.values[parts.largest.getResult(0)] =
                            load(largestScratch);
                      });
    return SmallVector<Value>();
  });
}

/// Whether some value from key `low` on times zero is not zero.
Value AttentionEmitter::emitHasSpecialValues(Scope &scope, Value low) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto type = VectorType::get({columnLanes}, builder.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  PointEmitter reader(frame, parts.column, columnLanes);
  Value high = frame.constant(parts.keyCount);
  SmallVector<Value> sums = reader.emitLoop(
      scope, parts.column, zero, [&](Scope &lanes, ValueRange carried) {
        return reader.emitLoop(
            lanes, parts.key, low, high, carried,
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

void AttentionEmitter::emitTile(Scope &scope, Value base, int64_t tileRows) {
  if (parts.causal) {
    Value end = arith::MinSIOp::create(
        frame.builder, frame.loc, frame.add(base, frame.constant(tileRows)),
        frame.constant(parts.keyCount));
    end = arith::SelectOp::create(frame.builder, frame.loc, weighsAll,
                                  frame.constant(parts.keyCount), end);
    for (PointEmitter *emitter : {&byKey, &bySoftmax, &byColumn})
      emitter->limit(parts.key, end);
  }
  emitScores(scope, base, tileRows);
  emitExponentials(scope, base, tileRows);
  emitOutput(scope, base, tileRows);
}

/// Blocks of query rows of one head.
SizeExpr AttentionEmitter::getRowBlocks() {
  MLIRContext *context = frame.kernel.getContext();
  if (rowBlock == 0)
    return SizeExpr::constant(context, 1);
  return frame.kernel.getDimSize(parts.row).ceilDiv(
      SizeExpr::constant(context, rowBlock));
}

/// Rows of queries, of all heads.
SizeExpr AttentionEmitter::countRows() {
  SizeExpr rows = frame.kernel.getDimSize(parts.row);
  for (unsigned dim : parts.batches)
    rows = rows.mul(frame.kernel.getDimSize(dim));
  return rows;
}

/// What one row costs, in products.
int64_t AttentionEmitter::getRowProducts() const {
  return parts.keyCount * (parts.depthCount + parts.columnCount + kExponential);
}

/// Iterations that are worth a thread, and its stack.
SizeExpr AttentionEmitter::getGrain(SizeExpr rowBlocks, SizeExpr count) {
  SizeExpr rows = frame.kernel.getDimSize(parts.row);
  if (!rowBlocks.isConstant(1))
    rows = rows.min(SizeExpr::constant(frame.kernel.getContext(), rowBlock));
  return limitTasks(
      tc::getGrain(rows.mul(getRowProducts()), kGrainProducts), count,
      countRows().mul(getRowProducts()), taskBytes,
      getWrittenBytes(frame.kernel, countRows().mul(parts.columnCount)));
}

LaunchShape AttentionEmitter::emit() {
  auto &builder = frame.builder;
  LaunchShape shape;
  SizeExpr heads = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (unsigned dim : parts.batches)
    heads = heads.mul(frame.kernel.getDimSize(dim));
  SizeExpr blocks = getRowBlocks();
  shape.count = heads.mul(blocks);
  shape.grain = getGrain(blocks, shape.count);

  Scope root(frame);
  auto loop = scf::ForOp::create(builder, frame.loc, frame.begin, frame.end,
                                 frame.constant(1));
  root.openLoop = loop;
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Scope scope(root);
  Value iteration = loop.getInductionVar(), low = frame.constant(0),
        high = frame.dimSize(parts.row);
  if (!blocks.isConstant(1)) {
    Value size = frame.size(blocks);
    Value quotient =
        arith::DivUIOp::create(builder, frame.loc, iteration, size);
    low = frame.mul(frame.sub(iteration, frame.mul(quotient, size)),
                    frame.constant(rowBlock));
    high = arith::MinSIOp::create(
        builder, frame.loc, frame.add(low, frame.constant(rowBlock)), high);
    iteration = quotient;
  }
  bindDigits(frame, scope, parts.batches, iteration);
  if (parts.causal)
    weighsAll = emitHasSpecialValues(scope, low);
  emitPackedKeys(scope);
  Value areWhole;
  if (!usesWhole.isConstant(1))
    areWhole =
        arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::ne,
                              frame.size(usesWhole), frame.constant(0));
  emitRowTiles(frame, scope, low, high, tileRows, areWhole,
               [&](Scope &inner, Value base, int64_t tileRows) {
                 emitTile(inner, base, tileRows);
               });
  return shape;
}

LaunchShape tc::emitAttentionKernel(CPUFrame &frame,
                                    const TiledAttention &attention,
                                    AttentionScheduleAttr schedule) {
  return AttentionEmitter(frame, attention, schedule).emit();
}
