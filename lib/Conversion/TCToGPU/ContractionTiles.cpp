//===- ContractionTiles.cpp - The tiles of a product ----------------------===//

#include "ContractionTiles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

ContractionTiles::ContractionTiles(GPUFrame &frame,
                                   const TensorCoreProduct &product,
                                   GPUContractionScheduleAttr schedule)
    : frame(frame), product(product), schedule(schedule),
      words{frame.builder, frame.loc} {
  MLIRContext *context = frame.kernel.getContext();
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(context, value);
  };
  batches = constant(1);
  for (unsigned dim : product.roles.batches)
    batches = batches.mul(frame.kernel.getDimSize(dim));
  tileRows = product.rowCount.ceilDiv(
      constant(schedule.getRows() * schedule.getCluster()));
  tileLanes = product.laneCount.ceilDiv(constant(schedule.getLanes()));
}

block::PipelineType ContractionTiles::getPipelineType() const {
  return block::PipelineType::get(schedule.getContext(), schedule.getStages(),
                                  getStageBytes(), schedule.getCluster());
}

Value ContractionTiles::countSteps() {
  return size(product.reducedCount.ceilDiv(
      SizeExpr::constant(schedule.getContext(), countStepElements())));
}

int64_t ContractionTiles::countKnownSteps() const {
  auto reduced = product.reducedCount.getConstant();
  return reduced ? llvm::divideCeil(*reduced, countStepElements()) : 1;
}

/// Tiles of a cluster are walked a group of rows at a time, and within it lane
/// by lane; its blocks have their rows one after the other.
TileCorner ContractionTiles::getCorner(Value tile) {
  Value rows = size(tileRows), lanes = size(tileLanes);
  TileCorner corner;
  if (batches.isConstant(1)) {
    corner.batch = words.constant(0);
  } else {
    Value tilesOfBatch = words.mul(rows, lanes);
    corner.batch = words.div(tile, tilesOfBatch);
    tile = words.rem(tile, tilesOfBatch);
  }
  const int64_t group =
      std::max<int64_t>(1, schedule.getGroup() / schedule.getCluster());
  Value tilesOfGroup = words.mul(lanes, group);
  Value inGroup = words.rem(tile, tilesOfGroup);
  Value first = words.mul(words.div(tile, tilesOfGroup), group);
  Value rowsOfGroup = words.min(words.constant(group), words.sub(rows, first));
  Value row = words.add(first, words.rem(inGroup, rowsOfGroup));
  if (schedule.getCluster() > 1)
    row = words.add(words.mul(row, schedule.getCluster()), getRank());
  corner.row = words.mul(row, schedule.getRows());
  corner.lane = words.mul(words.div(inGroup, rowsOfGroup), schedule.getLanes());
  return corner;
}

SmallVector<Value> ContractionTiles::emitTiles(ValueRange first,
                                               TileBody body) {
  auto &b = frame.builder;
  Value number = words.narrow(frame.blockNumber),
        count = words.narrow(frame.blockCount);
  if (frame.cluster > 1) {
    number = words.div(number, frame.cluster);
    count = words.div(count, frame.cluster);
  }
  if (isSplit()) // each cluster has one tile
    return body(getCorner(number), first);
  auto loop = scf::ForOp::create(b, frame.loc, number, size(countTiles()),
                                 count, first);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileCorner corner = getCorner(loop.getInductionVar());
  scf::YieldOp::create(b, frame.loc, body(corner, loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

/// Boxes are of `rows` rows of `columns` elements of the dimension along which
/// the matrix is contiguous, with a swizzle as wide.
TensorMapAttr
ContractionTiles::getTensorMap(const TensorCoreProduct::Matrix &matrix,
                               SizeExpr outer, SizeExpr inner, int64_t rows,
                               int64_t columns) const {
  MLIRContext *context = schedule.getContext();
  SmallVector<SizeExpr> sizes, strides(matrix.batchStrides);
  SmallVector<int64_t> box(matrix.batches.size(), 1);
  for (unsigned dim : matrix.batches)
    sizes.push_back(frame.kernel.getDimSize(dim));
  sizes.append({outer, inner});
  strides.append({matrix.pitch, SizeExpr::constant(context, 1)});
  box.append({rows, columns});
  return TensorMapAttr::get(
      context, matrix.buffer, SizesAttr::get(context, sizes),
      SizesAttr::get(context, strides), DenseI64ArrayAttr::get(context, box),
      columns * block::kElementBytes, /*rounds_down=*/true);
}

/// Boxes have all of a tile along the operand's own dimension, or 64 elements
/// where it is contiguous along that one.
TensorMapAttr
ContractionTiles::getOperandMap(const TensorCoreProduct::Matrix &matrix,
                                SizeExpr own, int64_t tile) const {
  return matrix.isAcross
             ? getTensorMap(matrix, product.reducedCount, own,
                            block::kBoxElements)
             : getTensorMap(matrix, own, product.reducedCount, tile);
}

ArrayAttr ContractionTiles::getTensorMaps() const {
  SmallVector<Attribute> maps = {
      getOperandMap(product.rows, product.rowCount, schedule.getRows()),
      getOperandMap(product.lanes, product.laneCount,
                    schedule.getLanes() / schedule.getCluster())};
  if (schedule.getAsyncStore())
    maps.push_back(getTensorMap(*product.results, product.rowCount,
                                product.laneCount, block::kCopyOutRows,
                                getStoredLanes()));
  return ArrayAttr::get(schedule.getContext(), maps);
}

int64_t ContractionTiles::getStoreOffset() const {
  return llvm::alignTo(getPipelineType().getSharedBytes(),
                       block::kBoxAlignment);
}

int64_t ContractionTiles::getSharedBytes() const {
  using Schedule = GPUContractionScheduleAttr;
  if (schedule.getAsyncStore())
    return getStoreOffset() + schedule.getRows() * Schedule::kStoreBytes;
  if (isSplit())
    return getStoreOffset() +
           schedule.getRows() * schedule.getLanes() * Schedule::kSumBytes;
  return getPipelineType().getSharedBytes();
}

SmallVector<Value> ContractionTiles::getBatchIndices(ArrayRef<unsigned> dims,
                                                     Value batch) {
  llvm::SmallDenseMap<unsigned, Value> indices;
  for (unsigned dim : llvm::reverse(product.roles.batches)) {
    bool isLast = dim == product.roles.batches.front();
    Value count = size(frame.kernel.getDimSize(dim));
    indices[dim] = isLast ? batch : words.rem(batch, count);
    if (!isLast)
      batch = words.div(batch, count);
  }
  return llvm::map_to_vector(dims, [&](unsigned dim) { return indices[dim]; });
}
