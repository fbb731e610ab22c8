//===- TileStores.cpp - Results that the copy engine stores ---------------===//

#include "TileStores.h"

using namespace mlir;
using namespace tc;

TileStores::TileStores(GPUFrame &frame, ArrayRef<unsigned> batches,
                       const CopiedMatrix &results, int64_t lanes,
                       int64_t offset, int64_t waitingBytes)
    : frame(frame), words{frame.builder, frame.loc}, batches(batches),
      results(results), lanes(lanes),
      waitingBytes(block::kCopyOutRows * waitingBytes) {
  Value warp = block::WarpOp::create(frame.builder, frame.loc),
        number = words.sub(warp, words.constant(kGroupWarps));
  place = words.add(words.mul(number, this->waitingBytes), offset);
  firstRow = words.mul(number, block::kCopyOutRows);
  firstLane = emitShift(frame, results);
}

/// Words of a thread of a box.
int64_t TileStores::countWords() const {
  return block::kCopyOutWords * getBoxLanes(lanes) / block::kBoxElements;
}

/// Boxes of a warp that wait at the same time.
int64_t TileStores::countWaiting() const {
  return waitingBytes /
         (block::kCopyOutRows * getBoxLanes(lanes) * block::kElementBytes);
}

/// Copies that may be under way when box number `box` takes its place: those
/// after the last one that was there, of this tile or the one before.
int64_t TileStores::countBehind(int64_t box) const {
  const int64_t waiting = countWaiting(),
                before = (countBoxes() - 1 - box) % waiting;
  return std::min(waiting - 1, before + box);
}

SmallVector<Value> TileStores::getNone() {
  auto &b = frame.builder;
  Value zero = words.constant(0);
  SmallVector<Value> results = {
      arith::ConstantIntOp::create(b, frame.loc, 0, 1), zero, zero, zero};
  results.append(countBoxes() * countWords(), zero);
  return results;
}

SmallVector<Value> TileStores::getResults(const TileCorner &corner,
                                          ArrayRef<Value> words,
                                          Value isStored) {
  if (!isStored)
    isStored = arith::ConstantIntOp::create(frame.builder, frame.loc, 1, 1);
  SmallVector<Value> results = {isStored, corner.batch, corner.row,
                                corner.lane};
  llvm::append_range(results, words);
  return results;
}

void TileStores::emit(ValueRange tile, int64_t box) {
  constexpr int64_t kCornerValues = 4;
  auto &b = frame.builder;
  SmallVector<Value> coordinates =
      emitMatrixIndices(frame, batches, results, tile[1]);
  coordinates.push_back(words.add(tile[2], firstRow));
  coordinates.push_back(
      words.add(words.add(tile[3], firstLane), box * getBoxLanes(lanes)));
  block::CopyOutOp::create(
      b, frame.loc, frame.tensorMaps.back(), coordinates,
      words.add(place, box % countWaiting() * (waitingBytes / countWaiting())),
      countBehind(box), tile[0],
      tile.slice(kCornerValues + box * countWords(), countWords()));
}

void tc::collectWords(GPUFrame &frame, PointEmitter &emitter, WriteOp write,
                      SmallVector<Value> &words) {
  auto &b = frame.builder;
  emitter.provideStore(write, [&, write](Scope &scope) mutable {
    Value stored = narrow(frame, emitter.emitVector(write.getValue(), scope),
                          write.getValue().getType());
    words.push_back(
        LLVM::BitcastOp::create(b, frame.loc, b.getI32Type(), stored));
  });
}
