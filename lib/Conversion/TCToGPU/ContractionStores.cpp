//===- ContractionStores.cpp - Results that the copy engine stores --------===//

#include "ContractionStores.h"

using namespace mlir;
using namespace tc;

/// Bytes of shared memory for the boxes of a warp that wait to be stored.
static constexpr int64_t kWaitingBytes =
    block::kCopyOutRows * GPUContractionScheduleAttr::kStoreBytes;

ContractionStores::ContractionStores(ContractionTiles &tiles) : tiles(tiles) {
  Words words = tiles.words;
  Value warp = block::WarpOp::create(tiles.frame.builder, tiles.frame.loc),
        number = words.sub(warp, words.constant(kGroupWarps));
  place = words.add(words.mul(number, kWaitingBytes), tiles.getStoreOffset());
  firstRow = words.mul(number, block::kCopyOutRows);
  firstLane = emitShift(tiles.frame, *tiles.product.results);
}

/// Words of a thread of a box.
int64_t ContractionStores::countWords() const {
  return block::kCopyOutWords * tiles.getStoredLanes() / block::kBoxElements;
}

/// Boxes of a warp that wait at the same time.
int64_t ContractionStores::countWaiting() const {
  return kWaitingBytes /
         (block::kCopyOutRows * tiles.getStoredLanes() * block::kElementBytes);
}

/// Copies that may be under way when box number `box` takes its place: those
/// after the last one that was there, of this tile or the one before.
int64_t ContractionStores::countBehind(int64_t box) const {
  const int64_t waiting = countWaiting(),
                before = (countBoxes() - 1 - box) % waiting;
  return std::min(waiting - 1, before + box);
}

SmallVector<Value> ContractionStores::getNone() {
  auto &b = tiles.frame.builder;
  Value zero = tiles.words.constant(0);
  SmallVector<Value> results = {
      arith::ConstantIntOp::create(b, tiles.frame.loc, 0, 1), zero, zero, zero};
  results.append(countBoxes() * countWords(), zero);
  return results;
}

SmallVector<Value> ContractionStores::getResults(const TileCorner &corner,
                                                 ArrayRef<Value> words) {
  auto &b = tiles.frame.builder;
  SmallVector<Value> results = {
      arith::ConstantIntOp::create(b, tiles.frame.loc, 1, 1), corner.batch,
      corner.row, corner.lane};
  llvm::append_range(results, words);
  return results;
}

void ContractionStores::emit(ValueRange results, int64_t box) {
  constexpr int64_t kCornerValues = 4;
  auto &b = tiles.frame.builder;
  Words words = tiles.words;
  SmallVector<Value> coordinates =
      tiles.getMatrixIndices(*tiles.product.results, results[1]);
  coordinates.push_back(words.add(results[2], firstRow));
  coordinates.push_back(words.add(words.add(results[3], firstLane),
                                  box * tiles.getStoredLanes()));
  block::CopyOutOp::create(
      b, tiles.frame.loc, tiles.getResultsMap(), coordinates,
      words.add(place, box % countWaiting() * (kWaitingBytes / countWaiting())),
      countBehind(box), results[0],
      results.slice(kCornerValues + box * countWords(), countWords()));
}
