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
  tileRows = product.rowCount.ceilDiv(constant(schedule.getRows()));
  tileLanes = product.laneCount.ceilDiv(constant(schedule.getLanes()));
}

block::PipelineType ContractionTiles::getPipelineType() const {
  return block::PipelineType::get(schedule.getContext(), schedule.getStages(),
                                  getStageBytes());
}

Value ContractionTiles::countSteps() {
  return size(product.reducedCount.ceilDiv(
      SizeExpr::constant(schedule.getContext(), block::kBoxElements)));
}

/// Tiles are walked a group of rows at a time, and within it lane by lane.
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
  Value tilesOfGroup = words.mul(lanes, schedule.getGroup());
  Value inGroup = words.rem(tile, tilesOfGroup);
  Value first = words.mul(words.div(tile, tilesOfGroup), schedule.getGroup());
  Value rowsOfGroup =
      words.min(words.constant(schedule.getGroup()), words.sub(rows, first));
  corner.row = words.mul(words.add(first, words.rem(inGroup, rowsOfGroup)),
                         schedule.getRows());
  corner.lane = words.mul(words.div(inGroup, rowsOfGroup), schedule.getLanes());
  return corner;
}

void ContractionTiles::emitTiles(Value firstSlot, TileBody body) {
  auto &b = frame.builder;
  auto loop = scf::ForOp::create(
      b, frame.loc, words.narrow(frame.blockNumber), size(countTiles()),
      words.narrow(frame.blockCount), ValueRange{firstSlot});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileCorner corner = getCorner(loop.getInductionVar());
  Value slot = body(corner, loop.getRegionIterArgs().front());
  scf::YieldOp::create(b, frame.loc, slot);
}

/// Boxes are of 64 elements along the dimension along which the matrix is
/// contiguous, 128 bytes, and of a tile along the other.
TensorMapAttr
ContractionTiles::getTensorMap(const TensorCoreProduct::Matrix &matrix,
                               SizeExpr own, int64_t tile) const {
  MLIRContext *context = schedule.getContext();
  KernelOp kernel = frame.kernel;
  SmallVector<SizeExpr> sizes, strides(matrix.batchStrides);
  SmallVector<int64_t> box(matrix.batches.size(), 1);
  for (unsigned dim : matrix.batches)
    sizes.push_back(kernel.getDimSize(dim));
  sizes.append({matrix.isAcross ? product.reducedCount : own,
                matrix.isAcross ? own : product.reducedCount});
  strides.append({matrix.pitch, SizeExpr::constant(context, 1)});
  box.append(
      {matrix.isAcross ? block::kBoxElements : tile, block::kBoxElements});
  return TensorMapAttr::get(
      context, matrix.buffer, SizesAttr::get(context, sizes),
      SizesAttr::get(context, strides), DenseI64ArrayAttr::get(context, box),
      block::kBoxRowBytes, /*rounds_down=*/true);
}

ArrayAttr ContractionTiles::getTensorMaps() const {
  return ArrayAttr::get(
      schedule.getContext(),
      {getTensorMap(product.rows, product.rowCount, schedule.getRows()),
       getTensorMap(product.lanes, product.laneCount, schedule.getLanes())});
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
