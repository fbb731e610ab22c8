//===- AttentionBackwardTiles.cpp - Tiles of its gradients ----------------===//
//
// Blocks have a tile of keys each, and walk over the tiles of queries from the
// last one down: with causal attention the first tiles of keys have the most
// steps and begin first. A block adds to the gradients of a tile of queries
// once those before it have, which are of blocks with smaller numbers. The
// tiles of a few batch points run at about the same time, so that the cache has
// their queries and what is added up for these.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardTiles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

using Gradients = TensorCoreAttentionBackward;

/// All points of the batch dimensions but that of the group.
static SizeExpr countBatches(GPUFrame &frame, const Gradients &gradients) {
  SizeExpr count = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (unsigned dim : ArrayRef(gradients.batches).drop_back())
    count = count.mul(frame.kernel.getDimSize(dim));
  return count;
}

AttentionBackwardTiles::AttentionBackwardTiles(
    GPUFrame &frame, const Gradients &gradients,
    GPUAttentionBackwardScheduleAttr schedule)
    : frame(frame), gradients(gradients), stage(gradients.stage),
      schedule(schedule), words{frame.builder, frame.loc},
      memory(gradients.getMemory(schedule.getStages())),
      queries(gradients.getQueries()), batches(countBatches(frame, gradients)),
      keyTiles(gradients.keyCount.ceilDiv(
          SizeExpr::constant(schedule.getContext(), Gradients::kKeys))),
      drawn(frame, batches.mul(keyTiles), schedule.getBlocks(),
            [](Value) { return SmallVector<Value>(); }) {}

ArrayAttr AttentionBackwardTiles::getTensorMaps() const {
  constexpr int64_t kWideLanes = 32;
  MLIRContext *context = schedule.getContext();
  auto count = [&](int64_t points) {
    return SizeExpr::constant(context, points);
  };
  SizeExpr depth = count(gradients.depth), columns = count(gradients.columns);
  auto rowsOf = [&](const CopiedMatrix &matrix) {
    return getBoxMap(frame, matrix, count(1), gradients.queryCount, /*rows=*/1,
                     Gradients::kFloats);
  };
  return ArrayAttr::get(
      context,
      {getBoxMap(frame, gradients.q, gradients.queryCount, depth, queries),
       getBoxMap(frame, gradients.k, gradients.keyCount, depth,
                 Gradients::kKeys),
       getBoxMap(frame, gradients.v, gradients.keyCount, columns,
                 Gradients::kKeys),
       getBoxMap(frame, gradients.grad, gradients.queryCount, columns, queries),
       rowsOf(gradients.logsumexp), rowsOf(gradients.products),
       getBoxMap(frame, gradients.gradQ, gradients.queryCount, depth, queries,
                 kWideLanes, /*written=*/true)});
}

Value AttentionBackwardTiles::makePipeline(int64_t stages, int64_t bytes,
                                           int64_t offset, int64_t consumers,
                                           int64_t producers) {
  auto type = block::PipelineType::get(schedule.getContext(), stages, bytes,
                                       /*cluster=*/1);
  return block::PipelineOp::create(frame.builder, frame.loc, type, offset,
                                   consumers, producers);
}

void AttentionBackwardTiles::emitPipelines() {
  constexpr int64_t kWarps = kGroupWarps * Gradients::kConsumers;
  rows = makePipeline(1, memory.keyBytes + memory.valueBytes, 0, kWarps);
  queryRing = makePipeline(schedule.getStages(), memory.queryBytes,
                           memory.queries, kWarps);
  gradRing = makePipeline(schedule.getStages(), memory.gradBytes, memory.grads,
                          kWarps);
  scoreRing = makePipeline(1, memory.scoreBytes, memory.scores, kWarps);
  sums = makePipeline(Gradients::kSumStages, memory.sumBytes, memory.sums,
                      /*consumers=*/1, /*producers=*/kWarps);
  // One warp copies gradients, others sums.
  drawn.emitNumbers(memory.number, kWarps + 1 + Gradients::kSumStages);
}

SmallVector<Value>
AttentionBackwardTiles::emitTiles(bool draws, ValueRange first, TileBody body) {
  // Threads have no registers for more than the number.
  return drawn.emitTiles(draws, first,
                         [&](ValueRange tile, ValueRange carried) {
                           emitTile(tile.front());
                           return body(carried);
                         });
}

void AttentionBackwardTiles::emitTile(Value number) {
  Value all = size(batches),
        group = words.min(all, words.constant(schedule.getGroup())),
        tilesOfGroup = words.mul(group, size(keyTiles)),
        first = words.mul(words.div(number, tilesOfGroup), group),
        inGroup = words.rem(number, tilesOfGroup),
        own = words.min(group, words.sub(all, first));
  batch = words.add(first, words.rem(inGroup, own));
  tile = words.div(inGroup, own);
  firstKey = words.mul(tile, Gradients::kKeys);
}

Value AttentionBackwardTiles::countQueryTiles() {
  return words.div(words.add(size(gradients.queryCount), queries - 1), queries);
}

Value AttentionBackwardTiles::addOrZero(Value number, int64_t more) {
  Value sum = words.add(number, more);
  return more >= 0 ? sum
                   : arith::MaxSIOp::create(frame.builder, frame.loc, sum,
                                            words.constant(0));
}

/// A tile of queries takes turns with those of keys from that of its first
/// query's first key to that of its last query's last key; queries that no key
/// counts for have the first tile, or the last one.
AttentionBackwardTiles::Turns
AttentionBackwardTiles::emitTurns(Value queryTile) {
  const auto &bounds = gradients.bounds;
  Value first = words.constant(0), end = size(keyTiles),
        query = words.mul(queryTile, queries);
  if (bounds.last) {
    Value last = addOrZero(query, queries - 1 + *bounds.last);
    end = words.min(end, words.add(words.div(last, Gradients::kKeys), 1));
  }
  if (bounds.first)
    first =
        words.min(words.div(addOrZero(query, *bounds.first), Gradients::kKeys),
                  words.sub(size(keyTiles), words.constant(1)));
  return {first, words.sub(end, first)};
}

bool AttentionBackwardTiles::hasPartialTile() const {
  auto keys = gradients.keyCount.getConstant();
  return !keys || *keys % Gradients::kKeys != 0;
}

/// The tiles of queries from number `from` - 1 down to `to`.
SmallVector<Value> AttentionBackwardTiles::emitLoop(Value batchPoint,
                                                    Value from, Value to,
                                                    bool isMasked,
                                                    ValueRange first,
                                                    StepBody body) {
  auto &b = frame.builder;
  Value one = words.constant(1);
  auto loop = scf::ForOp::create(b, frame.loc, words.constant(0),
                                 words.sub(from, to), one, first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = words.sub(words.sub(from, one), loop.getInductionVar());
  scf::YieldOp::create(
      b, frame.loc,
      body({batchPoint, number, isMasked}, loop.getRegionIterArgs()));
  return loop.getResults();
}

/// Those of `emitTurns`, from the side of a tile of keys.
AttentionBackwardTiles::StepRange AttentionBackwardTiles::emitRange() {
  auto &b = frame.builder;
  const auto &bounds = gradients.bounds;
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, frame.loc, condition, x, y);
  };
  StepRange range;
  Value count = countQueryTiles(), zero = words.constant(0);
  range.end = count;
  range.begin = range.whole = zero;
  if (bounds.last) {
    // Queries before the first key have none of the tile; those before the last
    // one not all.
    const int64_t last = *bounds.last;
    range.begin =
        words.min(words.div(addOrZero(firstKey, -last), queries), count);
    if (last < 0)
      range.begin = select(words.isLess(zero, tile), range.begin, zero);
    Value whole = addOrZero(firstKey, Gradients::kKeys + queries - 2 - last);
    range.whole = words.min(words.div(whole, queries), count);
  }
  if (bounds.first) {
    // Queries behind the last key have none of it.
    Value end = words.div(
        addOrZero(firstKey, Gradients::kKeys - 1 + queries - *bounds.first),
        queries);
    Value isLast = words.compare(arith::CmpIPredicate::eq, words.add(tile, 1),
                                 size(keyTiles));
    range.end = select(isLast, count, words.min(end, count));
    range.whole = range.end;
  } else if (hasPartialTile()) {
    Value isPartial = words.isLess(size(gradients.keyCount),
                                   words.add(firstKey, Gradients::kKeys));
    range.whole = select(isPartial, range.end, range.whole);
  }
  return range;
}

Value AttentionBackwardTiles::emitHasSteps() {
  StepRange range = emitRange();
  return words.isLess(range.begin, range.end);
}

SmallVector<Value> AttentionBackwardTiles::emitSteps(ValueRange first,
                                                     StepBody body) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value groups = size(gradients.groupCount);
  StepRange range = emitRange();
  auto loop = scf::ForOp::create(b, loc, words.constant(0), groups,
                                 words.constant(1), first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value group = loop.getInductionVar(),
        point = words.add(words.mul(batch, groups), group);
  SmallVector<Value> carried(loop.getRegionIterArgs());
  Value whole = words.min(range.whole, range.end);
  if (!gradients.bounds.first)
    carried =
        emitLoop(point, range.end, whole, /*isMasked=*/false, carried, body);
  if (isMasked() || hasPartialTile())
    carried =
        emitLoop(point, whole, range.begin, /*isMasked=*/true, carried, body);
  scf::YieldOp::create(b, loc, carried);
  return loop.getResults();
}

SmallVector<Value>
AttentionBackwardTiles::getCoordinates(const CopiedMatrix &matrix, Value point,
                                       Value row, int64_t element) {
  SmallVector<Value> coordinates =
      emitMatrixIndices(frame, gradients.batches, matrix, point);
  coordinates.push_back(row);
  coordinates.push_back(words.add(emitShift(frame, matrix), element));
  return coordinates;
}
