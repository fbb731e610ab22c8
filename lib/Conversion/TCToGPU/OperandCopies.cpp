//===- OperandCopies.cpp - Copies of an operand to stages -----------------===//

#include "OperandCopies.h"

using namespace mlir;
using namespace tc;

void OperandCopies::emit(Value pipeline, Value slot, Value batch, Value first,
                         Value reduced) {
  constexpr int64_t kBox = block::kBoxElements * block::kBoxRowBytes;
  auto &b = tiles.frame.builder;
  Words words = tiles.words;
  SmallVector<Value> coordinates = tiles.getMatrixIndices(matrix, batch);
  auto copy = [&](Value outer, Value inner, int64_t at, int64_t bytes) {
    SmallVector<Value> all(coordinates);
    all.append({outer, words.add(inner, shift)});
    block::CopyInOp::create(b, tiles.frame.loc, map, all, pipeline, slot, at,
                            bytes, /*shared=*/sharers > 1);
  };
  auto part = [&](Value begin, int64_t points) {
    return sharers > 1 ? words.add(begin, words.mul(tiles.getRank(), points))
                       : begin;
  };
  if (!matrix.isAcross) {
    int64_t points = tile / sharers;
    return copy(part(first, points), reduced, offset,
                points * block::kBoxRowBytes);
  }
  // Of boxes next to each other each sharer has one.
  for (int64_t box = 0; box < tile / block::kBoxElements; box += sharers)
    copy(reduced,
         part(words.add(first, box * block::kBoxElements), block::kBoxElements),
         offset + box * kBox, kBox);
}
