//===- AttentionResults.cpp - What attention writes -----------------------===//

#include "AttentionResults.h"
#include "../KernelEmission/KernelWrites.h"
#include "AlignedVersion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

AttentionResults::AttentionResults(AttentionTiles &tiles, Value column,
                                   Scope &scope)
    : AttentionEmission(tiles), column(column), scope(scope) {
  if (tiles.schedule.getAsyncStore())
    stores.emplace(frame, attention.parts.batches, *attention.results,
                   attention.columns, tiles.memory.results,
                   attention.getWaitingBytes());
}

Value AttentionResults::scaleLargest(const RowStates &states, int64_t half) {
  return arith::MulFOp::create(b, loc, states.largest[half],
                               scores->number(attention.factor));
}

/// Restricts a pair of columns from `lane` on to those that there are: behind
/// them are those that fill up what tensor cores multiply.
void AttentionResults::leaveOut(Scope &point, Value lane,
                                const UnalignedVectors &unaligned) {
  constexpr int64_t kPair = 2;
  if (attention.columns == attention.countMultipliedColumns())
    return;
  Value end = words.constant(attention.columns);
  if (attention.columns % kPair == 0)
    point.present =
        restrictMask(b, loc, point.present, words.isLess(lane, end));
  else
    point.lanes->mask = unaligned.lanesBefore(words.sub(end, lane), kPair);
}

/// Binds a thread's row, which need not be there.
void AttentionResults::bindRow(Scope &row, int64_t half) {
  tiles.bindBatches(row);
  tiles.bindRow(row, scores->rows[half]);
  if (Value isThere = scores->rows[half].isThere)
    row.present = restrictMask(b, loc, row.present, isThere);
}

/// What is written of a row's softmax alone, by the first of the threads that
/// have the row and by one block of a cluster.
void AttentionResults::emitRowWrites(const RowStates &states) {
  TiledAttention parts = attention.parts;
  if (parts.rowWrites.empty())
    return;
  PointEmitter emitter(frame, std::nullopt, 1);
  Value isFirst =
      words.compare(arith::CmpIPredicate::eq, column, words.constant(0));
  if (tiles.isSplit())
    isFirst =
        arith::AndIOp::create(b, loc, isFirst, frame.isZero(frame.clusterRank));
  for (int64_t half = 0; half < kThreadRows; ++half) {
    Value sum = states.sum[half], largest = scaleLargest(states, half);
    emitter.provide(parts.sum->getResult(0), [&](Scope &) { return sum; });
    emitter.provide(parts.largest->getResult(0),
                    [&](Scope &) { return largest; });
    Scope row(scope, Scope::Detached());
    bindRow(row, half);
    row.present = restrictMask(b, loc, row.present, isFirst);
    for (WriteOp write : parts.rowWrites)
      emitter.access.emitWrite(write, row);
  }
}

void AttentionResults::emitWritesOf(ArrayRef<Value> results,
                                    const RowStates &states, bool isAligned,
                                    SmallVector<Value> *stored, Scope &inner) {
  constexpr int64_t kPair = 2, kUnit = 8, kUnitValues = kPair * kThreadRows;
  TiledAttention parts = attention.parts;
  VectorAlignment alignment(frame.kernel, parts.column, kPair);
  UnalignedVectors unaligned(frame);
  PointEmitter emitter(frame, parts.column, kPair);
  if (isAligned && alignment.isUseful())
    emitter.aligned = &alignment;
  else
    emitter.unaligned = &unaligned.getSingleLanes();
  Value current, reciprocal[kThreadRows], largest[kThreadRows];
  int64_t half = 0;
  emitter.provide(parts.output.getResult(), [&](Scope &) { return current; });
  emitter.provide(parts.sum->getResult(0),
                  [&](Scope &) { return states.sum[half]; });
  emitter.provide(parts.largest->getResult(0),
                  [&](Scope &) { return largest[half]; });
  DivOp normalized = attention.normalized;
  if (normalized)
    emitter.provide(normalized.getResult(), [&](Scope &) -> Value {
      return arith::MulFOp::create(b, loc, current,
                                   broadcast(frame, reciprocal[half], kPair));
    });
  if (stored)
    collectWords(frame, emitter, parts.columnWrites.front(), *stored);
  for (WriteOp write : parts.rowWrites)
    emitter.provideStore(write, [](Scope &) {});
  std::optional<Scope> rows[kThreadRows];
  for (half = 0; half < kThreadRows; ++half) {
    largest[half] = scaleLargest(states, half);
    Scope &row = rows[half].emplace(inner, Scope::Detached());
    bindRow(row, half);
    if (normalized)
      reciprocal[half] = arith::DivFOp::create(
          b, loc, scores->number(1), emitter.emit(normalized.getY(), row));
  }
  Value first = column;
  if (tiles.isSplit())
    first = words.add(column, words.mul(words.narrow(frame.clusterRank),
                                        attention.countMultipliedColumns() /
                                            tiles.schedule.getSplits()));
  for (int64_t unit = 0; unit < int64_t(results.size()) / kUnitValues; ++unit)
    for (half = 0; half < kThreadRows; ++half) {
      Scope point(*rows[half]);
      Value lane = words.add(first, unit * kUnit);
      point.bind(parts.column, words.widen(lane));
      point.lanes = Lanes{parts.column, kPair, /*mask=*/nullptr};
      if (tiles.isSplit() || (unit + 1) * kUnit > attention.columns)
        leaveOut(point, lane, unaligned);
      current = vector::FromElementsOp::create(
          b, loc, VectorType::get({kPair}, b.getF32Type()),
          results.slice(unit * kUnitValues + half * kPair, kPair));
      emitWrites(emitter, point);
    }
}

/// Stores a tile's results, or gives them to the copy engine.
void AttentionResults::emit(ArrayRef<Value> results, const RowStates &states,
                            AttentionScores &of) {
  scores = &of;
  SmallVector<Type> types;
  if (stores)
    types.assign(results.size() / 2, b.getI32Type());
  TiledAttention parts = attention.parts;
  Value isAligned = stores
                        ? emitHasAlignedReads(frame, parts.column, parts.values)
                        : emitHasAlignedPairs(frame, parts.column);
  SmallVector<Value> stored = emitVersions(
      frame, scope, isAligned, types, [&](bool isAligned, Scope &inner) {
        SmallVector<Value> collected;
        emitWritesOf(results, states, isAligned, stores ? &collected : nullptr,
                     inner);
        return collected;
      });
  emitRowWrites(states);
  if (!stores)
    return;
  SmallVector<Value> tile = stores->getResults(
      {tiles.place.batch, tiles.place.row, words.constant(0)}, stored);
  for (int64_t box = 0; box < stores->countBoxes(); ++box)
    stores->emit(tile, box);
}

void AttentionResults::finish() {
  if (stores)
    block::CopyOutWaitOp::create(b, loc);
}
