//===- OperandCopies.cpp - Copies of an operand to stages -----------------===//

#include "OperandCopies.h"

using namespace mlir;
using namespace tc;

/// Bytes of a box of rows of 64 elements.
static constexpr int64_t kBox = block::kBoxElements * block::kBoxRowBytes;

OperandCopies::OperandCopies(ContractionTiles &tiles,
                             const TensorCoreProduct::Operand &operand,
                             size_t number, int64_t offset)
    : tiles(tiles), matrix(*operand.matrix), maps(tiles.getOperandMaps(number)),
      offset(offset), sharers(1), points(tiles.schedule.getRows()),
      shift(emitShift(tiles.frame, matrix)) {
  if (&operand == &tiles.product.rows)
    return;
  sharers = tiles.schedule.getCluster();
  // Windows have whole boxes.
  points = matrix.isAcross && !matrix.window ? tiles.getResultLanes()
                                             : tiles.getStageLanes();
}

void OperandCopies::copy(Value pipeline, Value slot, const Box &box) {
  block::CopyInOp::create(tiles.frame.builder, tiles.frame.loc, box.map,
                          box.coordinates, box.under, pipeline, slot,
                          box.offset, box.bytes,
                          /*shared=*/sharers > 1);
}

Value OperandCopies::getPart(Value begin, int64_t points) {
  Words words = tiles.words;
  return sharers > 1 ? words.add(begin, words.mul(tiles.getRank(), points))
                     : begin;
}

/// Of boxes next to each other each sharer has one.
void OperandCopies::forEachBox(Value first, BoxBody body) {
  for (int64_t box = 0; box * block::kBoxElements < points; box += sharers) {
    if ((box + sharers) * block::kBoxElements > points)
      return emitLastBoxes(first, box, body);
    body(getPart(tiles.words.add(first, box * block::kBoxElements),
                 block::kBoxElements),
         offset + box * kBox, maps.whole);
  }
}

/// From number `box` on, of which not all are whole, or there.
void OperandCopies::emitLastBoxes(Value first, int64_t box, BoxBody body) {
  Words words = tiles.words;
  for (int64_t rank = 0; rank < sharers; ++rank) {
    const int64_t begin = (box + rank) * block::kBoxElements;
    if (begin >= points)
      return;
    auto emit = [&] {
      body(words.add(first, begin), offset + box * kBox,
           begin + block::kBoxElements > points ? maps.part : maps.whole);
    };
    if (sharers == 1)
      return emit();
    tiles.frame.emitIf(words.compare(arith::CmpIPredicate::eq, tiles.getRank(),
                                     words.constant(rank)),
                       emit);
  }
}

/// The sizes of what the places of a window are, the images first.
SmallVector<SizeExpr> OperandCopies::getPlaceSizes() const {
  const CopiedWindow &window = *matrix.window;
  KernelOp kernel = tiles.frame.kernel;
  SmallVector<SizeExpr> sizes = llvm::map_to_vector(
      window.places, [&](unsigned dim) { return kernel.getDimSize(dim); });
  // A single image has no index of its own.
  if (window.places.size() == window.steps.size())
    sizes.insert(sizes.begin(), SizeExpr::constant(kernel.getContext(), 1));
  return sizes;
}

/// The channels from `channel` on of `count` places from number `first` on,
/// under the point of the window with the indices `points`.
OperandCopies::Box OperandCopies::getPlaces(Value first, ArrayRef<Value> points,
                                            Value channel, int64_t count) {
  Words words = tiles.words;
  const CopiedWindow &window = *matrix.window;
  Box box{emitDigits(tiles.frame, getPlaceSizes(), first),
          {},
          offset,
          count * block::kBoxRowBytes,
          maps.whole};
  size_t next = 0;
  for (auto [dim, point] : llvm::enumerate(window.points)) {
    Value &place = box.coordinates[dim + 1];
    place = words.add(words.mul(place, window.steps[dim]), window.lower[dim]);
    box.under.push_back(point ? words.mul(points[next++], window.dilations[dim])
                              : words.constant(0));
  }
  box.coordinates.push_back(channel);
  return box;
}

/// Places from `first` on, at one point of the window. Those of a point behind
/// its last one are of an image behind the last one, and zeros.
void OperandCopies::emitImages(Value pipeline, Value slot, Value first,
                               StepPlace step) {
  Words words = tiles.words;
  GPUFrame &frame = tiles.frame;
  const int64_t places = points / sharers;
  SmallVector<Value> indices = emitBatchIndices(
      frame, tiles.product.windowDims, tiles.product.windowDims, step.point);
  Box box = getPlaces(getPart(first, places), indices, step.reduced, places);
  if (tiles.isSplit()) {
    Value isInside = words.isLess(
        step.point, words.narrow(frame.size(tiles.product.windowCount)));
    box.coordinates.front() = arith::SelectOp::create(
        frame.builder, frame.loc, isInside, box.coordinates.front(),
        words.narrow(frame.size(getPlaceSizes().front())));
  }
  copy(pipeline, slot, box);
}

/// The places of a step, and boxes of channels at one point of the window each,
/// from the operand's own point `first` on. Those behind the last place are of
/// an image behind the last one, and zeros; those behind the last point of the
/// window, which no result has, are of the last point.
void OperandCopies::emitImagesAcross(Value pipeline, Value slot, Value first,
                                     StepPlace step) {
  Words words = tiles.words;
  GPUFrame &frame = tiles.frame;
  auto images = cast<ShapedType>(
      frame.kernel.getBodyBlock().getArgument(matrix.buffer).getType());
  Value channels = words.narrow(frame.size(getSizes(images).back()));
  SmallVector<SizeExpr> sizes;
  SizeExpr count = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (std::optional<unsigned> point : matrix.window->points)
    if (point) {
      sizes.push_back(frame.kernel.getDimSize(*point));
      count = count.mul(sizes.back());
    }
  Value last = words.sub(words.narrow(frame.size(count)), words.constant(1));
  forEachBox(first, [&](Value own, int64_t at, Value) {
    Value point = words.min(words.div(own, channels), last);
    Box box = getPlaces(step.reduced, emitDigits(frame, sizes, point),
                        words.rem(own, channels), block::kBoxElements);
    box.offset = at;
    copy(pipeline, slot, box);
  });
}

void OperandCopies::emit(Value pipeline, Value slot, Value batch, Value first,
                         StepPlace step) {
  Words words = tiles.words;
  if (matrix.window)
    return matrix.isAcross ? emitImagesAcross(pipeline, slot, first, step)
                           : emitImages(pipeline, slot, first, step);
  SmallVector<Value> indices = tiles.product.windowDims.empty()
                                   ? tiles.getMatrixIndices(matrix, batch)
                                   : tiles.getFilterIndices(matrix, step.point);
  auto copyBox = [&](Value outer, Value inner, int64_t at, int64_t bytes,
                     Value map) {
    Box box{indices, {}, at, bytes, map};
    box.coordinates.append({outer, words.add(inner, shift)});
    copy(pipeline, slot, box);
  };
  if (!matrix.isAcross) {
    int64_t own = points / sharers;
    return copyBox(getPart(first, own), step.reduced, offset,
                   own * block::kBoxRowBytes, maps.whole);
  }
  forEachBox(first, [&](Value own, int64_t at, Value map) {
    copyBox(step.reduced, own, at, kBox, map);
  });
}
