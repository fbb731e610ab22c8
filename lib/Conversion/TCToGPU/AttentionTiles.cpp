//===- AttentionTiles.cpp - Tiles of attention ----------------------------===//
//
// The blocks of the grid have a tile each. Those of one batch point are spread
// over groups of batch points whose keys and values the second-level cache
// holds; within a group those with the most keys begin first, so that the last
// ones to run are short.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"
#include "../KernelEmission/IndexMaps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

AttentionTiles::AttentionTiles(GPUFrame &frame,
                               const TensorCoreAttention &attention,
                               GPUAttentionScheduleAttr schedule)
    : frame(frame), attention(attention), schedule(schedule),
      words{frame.builder, frame.loc} {
  MLIRContext *context = frame.kernel.getContext();
  batches = SizeExpr::constant(context, 1);
  for (unsigned dim : attention.parts.batches)
    batches = batches.mul(frame.kernel.getDimSize(dim));
  tileRows = attention.rowCount.ceilDiv(
      SizeExpr::constant(context, schedule.getRows()));
}

block::PipelineType AttentionTiles::getQueryPipeline() const {
  return block::PipelineType::get(schedule.getContext(), /*stages=*/1,
                                  countDepthBoxes() * schedule.getRows() *
                                      block::kBoxRowBytes,
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

int64_t AttentionTiles::getKeyOffset() const {
  return llvm::alignTo(getQueryPipeline().getSharedBytes(),
                       block::kBoxAlignment);
}

int64_t AttentionTiles::getValueOffset() const {
  return getKeyOffset() +
         llvm::alignTo(getKeyPipeline().getSharedBytes(), block::kBoxAlignment);
}

int64_t AttentionTiles::getSharedBytes() const {
  return getValueOffset() + getValuePipeline().getSharedBytes();
}

ArrayAttr AttentionTiles::getTensorMaps() const {
  MLIRContext *context = schedule.getContext();
  auto count = [&](int64_t points) {
    return SizeExpr::constant(context, points);
  };
  Attribute maps[] = {getBoxMap(frame, attention.queries, attention.rowCount,
                                count(attention.depth), schedule.getRows()),
                      getBoxMap(frame, attention.keys, attention.keyCount,
                                count(attention.depth), schedule.getKeys()),
                      getBoxMap(frame, attention.values, attention.keyCount,
                                count(attention.columns), schedule.getKeys())};
  return ArrayAttr::get(context, maps);
}

void AttentionTiles::emitTile() {
  // Half of the second-level cache of an H100, for keys and values.
  constexpr int64_t kCachedBytes = int64_t(24) << 20;
  Value number = words.narrow(frame.blockNumber), all = size(batches),
        rows = size(tileRows);
  const int64_t keyBytes =
      (attention.depth + attention.columns) * block::kElementBytes;
  Value cached = words.div(words.constant(kCachedBytes / keyBytes),
                           size(attention.keyCount));
  Value group = words.min(all, words.add(cached, words.constant(1)));
  Value tilesOfGroup = words.mul(group, rows);
  Value first = words.mul(words.div(number, tilesOfGroup), group),
        inGroup = words.rem(number, tilesOfGroup),
        own = words.min(group, words.sub(all, first));
  batch = words.add(first, words.rem(inGroup, own));
  Value tile = words.div(inGroup, own);
  if (!attention.inside.empty())
    tile = words.sub(words.sub(rows, words.constant(1)), tile);
  row = words.mul(tile, schedule.getRows());
  emitKeyBlocks();
}

void AttentionTiles::bindBatches(Scope &scope) {
  ArrayRef<unsigned> dims = attention.parts.batches;
  for (auto [dim, index] :
       llvm::zip_equal(dims, emitBatchIndices(frame, dims, dims, batch)))
    scope.bind(dim, words.widen(index));
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
  /// Of a constraint that is `one` and `other`, at the first and at the last
  /// row, and more by the key or less by it.
  void restrict(Value one, Value other, bool isUpper) {
    Value least = min(one, other), most = max(one, other);
    if (isUpper) {
      high = min(high, frame.add(most, frame.constant(1)));
      wholeHigh = min(wholeHigh, frame.add(least, frame.constant(1)));
    } else {
      low = max(low, frame.sub(frame.constant(0), most));
      wholeLow = max(wholeLow, frame.sub(frame.constant(0), least));
    }
  }
  Value clamp(Value number, Value most) {
    return min(max(number, frame.constant(0)), most);
  }
};
} // namespace

/// Whether `constraint` bounds the key from above, by what has no key.
static bool isUpperBound(IntegerSet set, AffineExpr constraint, unsigned key) {
  AffineExpr rest = constraint + getAffineDimExpr(key, set.getContext());
  return !simplifyAffineExpr(rest, set.getNumDims(), set.getNumSymbols())
              .isFunctionOfDim(key);
}

void AttentionTiles::emitKeyBlocks() {
  const TiledAttention &parts = attention.parts;
  Value count = frame.size(attention.keyCount), zero = frame.constant(0);
  KeyRange range{frame, zero, count, zero, count};
  // One more for the row, where no dimension is its.
  SmallVector<Value> inputs(frame.kernel.getNumDims() + 1, zero);
  ArrayRef<unsigned> dims = parts.batches;
  for (auto [dim, index] :
       llvm::zip_equal(dims, emitBatchIndices(frame, dims, dims, batch)))
    inputs[dim] = words.widen(index);
  Value firstRow = words.widen(row),
        lastRow = range.min(
            frame.add(firstRow, frame.constant(schedule.getRows() - 1)),
            frame.sub(frame.size(attention.rowCount), frame.constant(1)));
  for (IntegerSet set : attention.inside)
    for (AffineExpr constraint : set.getConstraints()) {
      auto at = [&](Value rowIndex) {
        inputs[parts.row] = rowIndex;
        return emitAffine(frame, constraint, inputs);
      };
      Value first = at(firstRow), last = at(lastRow);
      range.restrict(first, last, isUpperBound(set, constraint, parts.key));
    }
  const int64_t keys = schedule.getKeys();
  auto blocks = [&](Value points, bool up) {
    Value number = range.clamp(points, count);
    return words.div(words.add(words.narrow(number), up ? keys - 1 : 0), keys);
  };
  Value last = frame.sub(count, frame.constant(1));
  keyBlocks.begin = blocks(range.min(range.low, last), /*up=*/false);
  Value end = blocks(range.high, /*up=*/true),
        least = words.add(keyBlocks.begin, 1);
  keyBlocks.end = arith::MaxUIOp::create(frame.builder, frame.loc, end, least);
  keyBlocks.wholeBegin = blocks(range.wholeLow, /*up=*/true);
  keyBlocks.wholeEnd = blocks(range.wholeHigh, /*up=*/false);
}

bool AttentionTiles::hasPartsAtEnd() const {
  // Tiles that begin at multiples of their rows, none of which is cut by two
  // blocks of keys, have one block at the diagonal.
  const TiledAttention &parts = attention.parts;
  const int64_t rows = schedule.getRows();
  MLIRContext *context = schedule.getContext();
  AffineExpr diagonal = getAffineDimExpr(parts.row, context) -
                        getAffineDimExpr(parts.key, context);
  for (IntegerSet set : attention.inside)
    for (AffineExpr constraint : set.getConstraints()) {
      if (!isUpperBound(set, constraint, parts.key))
        continue;
      auto shift = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
          constraint - diagonal, set.getNumDims(), set.getNumSymbols()));
      if (!shift || shift.getValue() % rows != 0 ||
          schedule.getKeys() % rows != 0)
        return true;
    }
  return false;
}

bool AttentionTiles::hasPartsAtBegin() const {
  return llvm::any_of(attention.inside, [&](IntegerSet set) {
    return llvm::any_of(set.getConstraints(), [&](AffineExpr constraint) {
      return !isUpperBound(set, constraint, attention.parts.key);
    });
  });
}
