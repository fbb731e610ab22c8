//===- OperandCopies.cpp - Copies of an operand to stages -----------------===//

#include "OperandCopies.h"

using namespace mlir;
using namespace tc;

void OperandCopies::copy(Value pipeline, Value slot, const Box &box) {
  block::CopyInOp::create(tiles.frame.builder, tiles.frame.loc, map,
                          box.coordinates, box.under, pipeline, slot,
                          box.offset, box.bytes, /*shared=*/sharers > 1);
}

Value OperandCopies::getPart(Value begin, int64_t points) {
  Words words = tiles.words;
  return sharers > 1 ? words.add(begin, words.mul(tiles.getRank(), points))
                     : begin;
}

/// Places from `first` on, at one point of the window. Those of a point behind
/// its last one are of an image behind the last one, and zeros.
void OperandCopies::emitImages(Value pipeline, Value slot, Value first,
                               StepPlace step) {
  Words words = tiles.words;
  GPUFrame &frame = tiles.frame;
  const CopiedWindow &window = *matrix.window;
  const int64_t places = tile / sharers;
  SmallVector<SizeExpr> sizes =
      llvm::map_to_vector(window.places, [&](unsigned dim) {
        return frame.kernel.getDimSize(dim);
      });
  // A single image has no index of its own.
  if (window.places.size() == window.steps.size())
    sizes.insert(sizes.begin(),
                 SizeExpr::constant(frame.kernel.getContext(), 1));
  Box box{emitDigits(frame, sizes, getPart(first, places)),
          {},
          offset,
          places * block::kBoxRowBytes};
  SmallVector<Value> points = emitBatchIndices(
      frame, tiles.product.windowDims, tiles.product.windowDims, step.point);
  size_t next = 0;
  for (auto [dim, point] : llvm::enumerate(window.points)) {
    Value &place = box.coordinates[dim + 1];
    place = words.add(words.mul(place, window.steps[dim]), window.lower[dim]);
    box.under.push_back(point ? words.mul(points[next++], window.dilations[dim])
                              : words.constant(0));
  }
  box.coordinates.push_back(step.reduced);
  if (tiles.isSplit()) {
    Value isInside = words.isLess(
        step.point, words.narrow(frame.size(tiles.product.windowCount)));
    box.coordinates.front() = arith::SelectOp::create(
        frame.builder, frame.loc, isInside, box.coordinates.front(),
        words.narrow(frame.size(sizes.front())));
  }
  copy(pipeline, slot, box);
}

void OperandCopies::emit(Value pipeline, Value slot, Value batch, Value first,
                         StepPlace step) {
  constexpr int64_t kBox = block::kBoxElements * block::kBoxRowBytes;
  Words words = tiles.words;
  if (matrix.window)
    return emitImages(pipeline, slot, first, step);
  SmallVector<Value> indices = tiles.product.windowDims.empty()
                                   ? tiles.getMatrixIndices(matrix, batch)
                                   : tiles.getFilterIndices(matrix, step.point);
  auto copyBox = [&](Value outer, Value inner, int64_t at, int64_t bytes) {
    Box box{indices, {}, at, bytes};
    box.coordinates.append({outer, words.add(inner, shift)});
    copy(pipeline, slot, box);
  };
  if (!matrix.isAcross) {
    int64_t points = tile / sharers;
    return copyBox(getPart(first, points), step.reduced, offset,
                   points * block::kBoxRowBytes);
  }
  // Of boxes next to each other each sharer has one.
  for (int64_t box = 0; box < tile / block::kBoxElements; box += sharers)
    copyBox(step.reduced,
            getPart(words.add(first, box * block::kBoxElements),
                    block::kBoxElements),
            offset + box * kBox, kBox);
}
