//===- AttentionTiles.cpp - Tiles of attention ----------------------------===//
//
// The tiles of one batch point are spread over groups of batch points whose
// keys and values the second-level cache holds; within a group those with the
// most keys begin first, so that the last ones to run are short. The blocks of
// the grid have a tile each, or draw one after the other from a counter, so
// that the copies of the next tile are under way while one ends.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"
#include "../KernelEmission/IndexMaps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// All points of the batch dimensions, of which tiles have one each.
static SizeExpr countBatches(GPUFrame &frame,
                             const TensorCoreAttention &attention) {
  SizeExpr count = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (unsigned dim : attention.parts.batches)
    count = count.mul(attention.countBatchPoints(frame.kernel, dim));
  return count;
}

AttentionTiles::AttentionTiles(GPUFrame &frame,
                               const TensorCoreAttention &attention,
                               GPUAttentionScheduleAttr schedule)
    : frame(frame), attention(attention), schedule(schedule),
      words{frame.builder, frame.loc}, memory(attention.getMemory(schedule)),
      batches(countBatches(frame, attention)),
      tileRows(attention.rowCount.ceilDiv(
          SizeExpr::constant(schedule.getContext(), schedule.getRows()))),
      drawn(frame, batches.mul(tileRows), schedule.getBlocks(),
            [this](Value number) { return describe(number); }) {}

block::PipelineType AttentionTiles::getQueryPipeline() const {
  return block::PipelineType::get(
      schedule.getContext(), schedule.getQueryStages(),
      countDepthBoxes() * schedule.getRows() * block::kBoxRowBytes,
      /*cluster=*/1);
}

block::PipelineType AttentionTiles::getKeyPipeline() const {
  return block::PipelineType::get(schedule.getContext(), schedule.getStages(),
                                  countDepthBoxes() * schedule.getKeys() *
                                      block::kBoxRowBytes,
                                  /*cluster=*/1);
}

block::PipelineType AttentionTiles::getValuePipeline() const {
  return block::PipelineType::get(schedule.getContext(), schedule.getStages(),
                                  countColumnBoxes() * schedule.getKeys() *
                                      block::kBoxRowBytes,
                                  /*cluster=*/1);
}

/// Boxes of the queries have all rows of a tile: of heads that share it, each
/// of its heads has as many. Behind the queries and the heads are zeros, and
/// behind those that share others that do.
TensorMapAttr AttentionTiles::getQueryMap() const {
  const CopiedMatrix &queries = attention.queries;
  const int64_t rows =
      attention.shared ? attention.shared->rows : schedule.getRows();
  TensorMapAttr map = getBoxMap(
      frame, queries, attention.queryCount,
      SizeExpr::constant(schedule.getContext(), attention.depth), rows);
  if (!attention.shared)
    return map;
  SmallVector<int64_t> box(map.getBox().asArrayRef());
  auto place = llvm::find(queries.batches, attention.shared->dim);
  box[place - queries.batches.begin()] = schedule.getRows() / rows;
  return withBox(map, box);
}

ArrayAttr AttentionTiles::getTensorMaps() const {
  MLIRContext *context = schedule.getContext();
  if (schedule.getWarpProducts())
    return {};
  auto count = [&](int64_t points) {
    return SizeExpr::constant(context, points);
  };
  SmallVector<Attribute> maps = {
      getQueryMap(),
      getBoxMap(frame, attention.keys, attention.keyCount,
                count(attention.depth), schedule.getKeys()),
      getBoxMap(frame, attention.values, attention.keyCount,
                count(attention.columns), schedule.getKeys())};
  if (schedule.getAsyncStore())
    maps.push_back(getBoxMap(frame, *attention.results, attention.rowCount,
                             count(attention.columns), block::kCopyOutRows,
                             TileStores::getBoxLanes(attention.columns),
                             /*written=*/true));
  return ArrayAttr::get(context, maps);
}

SizeExpr AttentionTiles::countBlocks() const {
  return drawn.countBlocks().mul(
      SizeExpr::constant(schedule.getContext(), schedule.getSplits()));
}

void AttentionTiles::emitNumbers() {
  drawn.emitNumbers(memory.number, kGroupWarps * countConsumers() + 1);
}

SmallVector<Value> AttentionTiles::emitTiles(bool draws, ValueRange first,
                                             TileBody body) {
  return drawn.emitTiles(draws, first,
                         [&](ValueRange tile, ValueRange carried) {
                           enter(tile.drop_front());
                           return body(carried);
                         });
}

Value AttentionTiles::enterNext() {
  auto [follows, tile] = drawn.takeNext();
  enter(tile);
  return follows;
}

/// Goes to the tile of which `describe` knows this.
void AttentionTiles::enter(ValueRange tile) {
  place.batch = tile[0];
  place.row = tile[1];
  emitKeyBlocks();
  if (isSplit())
    emitPartOfKeys();
}

/// The point of the batch dimensions and the first row of a tile.
SmallVector<Value> AttentionTiles::describe(Value number) {
  if (isSplit())
    number = words.div(number, schedule.getSplits());
  // Of the second-level cache of an H100, of 50 MiB, for keys and values.
  constexpr int64_t kCachedBytes = int64_t(32) << 20;
  Value all = size(batches), rows = size(tileRows);
  const int64_t keyBytes =
      (attention.depth + attention.columns) * block::kElementBytes;
  Value cached = words.div(words.constant(kCachedBytes / keyBytes),
                           size(attention.keyCount));
  Value group =
      words.min(all, arith::MaxUIOp::create(frame.builder, frame.loc, cached,
                                            words.constant(1)));
  Value tilesOfGroup = words.mul(group, rows);
  Value first = words.mul(words.div(number, tilesOfGroup), group),
        inGroup = words.rem(number, tilesOfGroup),
        own = words.min(group, words.sub(all, first));
  Value batch = words.add(first, words.rem(inGroup, own));
  Value tile = words.div(inGroup, own);
  if (!attention.bounds.empty())
    tile = words.sub(words.sub(rows, words.constant(1)), tile);
  return {batch, words.mul(tile, schedule.getRows())};
}

/// Restricts the blocks of keys to those of this block of the cluster.
void AttentionTiles::emitPartOfKeys() {
  Value count = words.sub(place.keyBlocks.end, place.keyBlocks.begin),
        rank = words.narrow(frame.clusterRank);
  const int64_t splits = schedule.getSplits();
  Value own = words.div(words.add(count, splits - 1), splits),
        begin = words.add(place.keyBlocks.begin, words.mul(own, rank)),
        last = words.sub(place.keyBlocks.end, words.constant(1));
  place.hasKeys = words.isLess(begin, place.keyBlocks.end);
  place.keyBlocks.begin = words.min(begin, last);
  place.keyBlocks.end =
      words.min(words.add(place.keyBlocks.begin, own), place.keyBlocks.end);
}

/// The indices of the batch dimensions (i32), of the group in place of a head
/// that shares a tile.
llvm::SmallDenseMap<unsigned, Value> AttentionTiles::getBatchIndices() {
  ArrayRef<unsigned> dims = attention.parts.batches;
  auto sizes = llvm::map_to_vector(dims, [&](unsigned dim) {
    return attention.countBatchPoints(frame.kernel, dim);
  });
  llvm::SmallDenseMap<unsigned, Value> indices;
  for (auto [dim, index] :
       llvm::zip_equal(dims, emitDigits(frame, sizes, place.batch)))
    indices[dim] = index;
  return indices;
}

SmallVector<Value>
AttentionTiles::getMatrixIndices(const CopiedMatrix &matrix) {
  auto batchIndices = getBatchIndices();
  SmallVector<Value> indices;
  for (auto [dim, sharers] : llvm::zip_equal(matrix.batches, matrix.sharers)) {
    Value index = batchIndices[dim];
    if (!attention.isShared(dim))
      index = sharers > 1 ? words.div(index, sharers) : index;
    else if (sharers == 1)
      index = words.add(words.mul(index, attention.shared->count),
                        words.div(place.row, attention.shared->rows));
    indices.push_back(index);
  }
  return indices;
}

void AttentionTiles::bindBatches(Scope &scope) {
  auto indices = getBatchIndices();
  for (unsigned dim : attention.parts.batches)
    if (!attention.isShared(dim))
      scope.bind(dim, words.widen(indices[dim]));
}

TileRow AttentionTiles::emitRow(Value index) {
  TileRow result;
  // The last point of `count` where `point` is behind it.
  auto restrict = [&](Value point, SizeExpr count, int64_t unit) {
    auto known = count.getConstant();
    if (known && *known % unit == 0)
      return point;
    Value end = size(count);
    result.isThere = restrictMask(frame.builder, frame.loc, result.isThere,
                                  words.isLess(point, end));
    return words.min(point, words.sub(end, words.constant(1)));
  };
  index = restrict(index, attention.rowCount, schedule.getRows());
  if (auto &shared = attention.shared) {
    Value first = words.mul(getBatchIndices()[shared->dim], shared->count),
          head = words.add(first, words.div(index, shared->rows));
    result.head = words.widen(
        restrict(head, frame.kernel.getDimSize(shared->dim), shared->count));
    index = restrict(words.rem(index, shared->rows), attention.queryCount,
                     shared->rows);
  }
  result.query = words.widen(index);
  return result;
}

void AttentionTiles::bindRow(Scope &scope, const TileRow &tileRow) {
  if (attention.hasRow(frame.kernel))
    scope.bind(attention.parts.row, tileRow.query);
  if (attention.shared)
    scope.bind(attention.shared->dim, tileRow.head);
}

namespace {
/// The keys that count for all rows of a tile, [wholeLow, wholeHigh), and for
/// any of them, [low, high), as i64 of any sign.
struct KeyRange {
  GPUFrame &frame;
  Value low, high, wholeLow, wholeHigh;

  Value min(Value a, Value b) {
    return arith::MinSIOp::create(frame.builder, frame.loc, a, b);
  }
  Value max(Value a, Value b) {
    return arith::MaxSIOp::create(frame.builder, frame.loc, a, b);
  }
  /// By a bound that is `one` and `other`, at the first and at the last row.
  void restrict(Value one, Value other, bool isUpper) {
    Value least = min(one, other), most = max(one, other);
    if (isUpper) {
      high = min(high, frame.add(most, frame.constant(1)));
      wholeHigh = min(wholeHigh, frame.add(least, frame.constant(1)));
    } else {
      low = max(low, least);
      wholeLow = max(wholeLow, most);
    }
  }
  Value clamp(Value number, Value most) {
    return min(max(number, frame.constant(0)), most);
  }
};
} // namespace

void AttentionTiles::emitKeyBlocks() {
  const TiledAttention &parts = attention.parts;
  Value count = frame.size(attention.keyCount), zero = frame.constant(0);
  KeyRange range{frame, zero, count, zero, count};
  // One more for the row, where no dimension is its.
  SmallVector<Value> inputs(frame.kernel.getNumDims() + 1, zero);
  auto indices = getBatchIndices();
  for (unsigned dim : parts.batches)
    inputs[dim] = words.widen(indices[dim]);
  // Heads that share a tile have all of their queries in it.
  Value firstRow = words.widen(getFirstQuery()),
        lastRow = range.min(
            frame.add(firstRow, frame.constant(schedule.getRows() - 1)),
            frame.sub(frame.size(attention.queryCount), frame.constant(1)));
  for (const KeyBound &bound : attention.bounds) {
    auto at = [&](Value rowIndex) {
      inputs[parts.row] = rowIndex;
      return emitAffine(frame, bound.limit, inputs);
    };
    Value first = at(firstRow), last = at(lastRow);
    range.restrict(first, last, bound.isUpper);
  }
  const int64_t keys = schedule.getKeys();
  auto blocks = [&](Value points, bool up) {
    Value number = range.clamp(points, count);
    return words.div(words.add(words.narrow(number), up ? keys - 1 : 0), keys);
  };
  Value last = frame.sub(count, frame.constant(1));
  place.keyBlocks.begin = blocks(range.min(range.low, last), /*up=*/false);
  Value end = blocks(range.high, /*up=*/true),
        least = words.add(place.keyBlocks.begin, 1);
  place.keyBlocks.end =
      arith::MaxUIOp::create(frame.builder, frame.loc, end, least);
  place.keyBlocks.wholeBegin = blocks(range.wholeLow, /*up=*/true);
  place.keyBlocks.wholeEnd = blocks(range.wholeHigh, /*up=*/false);
}

/// The key of the bound less the row, where that is a constant.
std::optional<int64_t> AttentionTiles::getShift(const KeyBound &bound) const {
  AffineExpr row = getAffineDimExpr(attention.parts.row, schedule.getContext());
  auto shift = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
      bound.limit - row, frame.kernel.getNumDims() + 1, /*numSymbols=*/0));
  return shift ? std::optional(shift.getValue()) : std::nullopt;
}

bool AttentionTiles::hasPartsAtEnd() const {
  // Tiles that begin at multiples of their rows, none of which is cut by two
  // blocks of keys, have one block at the diagonal.
  const int64_t rows = schedule.getRows();
  return llvm::any_of(attention.bounds, [&](const KeyBound &bound) {
    if (!bound.isUpper)
      return false;
    auto shift = getShift(bound);
    return attention.shared || !shift || *shift % rows != 0 ||
           schedule.getKeys() % rows != 0;
  });
}

bool AttentionTiles::hasPartsAtBegin() const {
  return llvm::any_of(attention.bounds,
                      [](const KeyBound &bound) { return !bound.isUpper; });
}

bool AttentionTiles::hasDiagonal() const {
  const int64_t rows = schedule.getRows();
  if (attention.bounds.size() != 1 || attention.shared || isSplit() ||
      schedule.getWarpProducts() || schedule.getKeys() != rows ||
      rows != 2 * block::kAccumulatorRows)
    return false;
  const KeyBound &bound = attention.bounds.front();
  if (!bound.isUpper || getShift(bound) != 0)
    return false;
  if (attention.rowCount == attention.keyCount)
    return true;
  auto queries = attention.rowCount.getConstant(),
       keys = attention.keyCount.getConstant();
  return queries && keys && *queries <= *keys;
}
