//===- ContractionStores.cpp - Results that the copy engine stores --------===//

#include "ContractionStores.h"

using namespace mlir;
using namespace tc;

/// Boxes of a warp that wait to be stored at the same time.
static constexpr int64_t kWaitingBoxes = 2;

ContractionStores::ContractionStores(ContractionTiles &tiles, Value group)
    : tiles(tiles) {
  constexpr int64_t kGroupWarps = 4;
  static_assert(kWaitingBoxes * block::kCopyOutBytes ==
                block::kCopyOutRows * GPUContractionScheduleAttr::kStoreBytes);
  Words words = tiles.words;
  Value warp = words.rem(
      block::WarpOp::create(tiles.frame.builder, tiles.frame.loc), kGroupWarps);
  Value number = words.add(words.mul(group, kGroupWarps), warp);
  place = words.add(words.mul(number, kWaitingBoxes * block::kCopyOutBytes),
                    tiles.getStoreOffset());
  firstRow = words.mul(number, block::kCopyOutRows);
}

SmallVector<Value> ContractionStores::getNone() {
  auto &b = tiles.frame.builder;
  Value zero = tiles.words.constant(0);
  SmallVector<Value> results = {
      arith::ConstantIntOp::create(b, tiles.frame.loc, 0, 1), zero, zero, zero};
  results.append(countBoxes() * block::kCopyOutWords, zero);
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
      tiles.getBatchIndices(tiles.product.results->batches, results[1]);
  coordinates.push_back(words.add(results[2], firstRow));
  coordinates.push_back(words.add(results[3], box * block::kBoxElements));
  // With an odd number of boxes the last one of the tile before waits where the
  // first one is to.
  const bool isAfterItself = box == 0 && countBoxes() % kWaitingBoxes != 0;
  block::CopyOutOp::create(
      b, tiles.frame.loc, tiles.frame.tensorMaps[2], coordinates,
      words.add(place, box % kWaitingBoxes * block::kCopyOutBytes),
      isAfterItself ? 0 : kWaitingBoxes - 1, results[0],
      results.slice(kCornerValues + box * block::kCopyOutWords,
                    block::kCopyOutWords));
}
