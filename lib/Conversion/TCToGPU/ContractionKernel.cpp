//===- ContractionKernel.cpp - Products on tensor cores -------------------===//
//
// Blocks stay for several tiles of the results. Coordinates of tiles have 32
// bits: where sizes are larger, the same threads compute point by point.
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "ContractionLoops.h"
#include "ContractionProducer.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

GPUFrame::Launches
tc::getContractionLaunches(const TensorCoreProduct &product,
                           GPUContractionScheduleAttr schedule) {
  GPUFrame::Launches launches;
  launches.threads =
      block::kGroupThreads * (1 + schedule.getRows() / schedule.getGroupRows());
  launches.cluster = std::max(schedule.getCluster(), schedule.getSplits());
  launches.usesCounters = schedule.getTailBlocks() > 0;
  launches.waitsLater = true;
  launches.alignedBuffers = true;
  if (schedule.getWarpProducts())
    return launches;
  launches.tensorMaps = schedule.getAsyncStore();
  const int64_t lanes = schedule.getLanes() / product.countProducts();
  for (const TensorCoreProduct::Operand *operand : product.getOperands()) {
    launches.tensorMaps += operand->matrix.has_value();
    if (operand != &product.rows)
      launches.tensorMaps += product.getPartOfBox(*operand, lanes) > 0;
  }
  return launches;
}

namespace {
class TensorCoreEmitter {
public:
  TensorCoreEmitter(GPUFrame &frame, const TensorCoreProduct &product,
                    GPUContractionScheduleAttr schedule)
      : frame(frame), b(frame.builder), loc(frame.loc), product(product),
        schedule(schedule), tiles(frame, product, schedule) {}
  LaunchShape emit();

private:
  void emitBlock(Scope &scope);
  void emitPoints(Scope &scope);

  GPUFrame &frame;
  OpBuilder &b;
  Location loc;
  const TensorCoreProduct &product;
  GPUContractionScheduleAttr schedule;
  ContractionTiles tiles;
};
} // namespace

void TensorCoreEmitter::emitBlock(Scope &scope) {
  emitMapPrefetches(frame);
  Value pipeline = block::PipelineOp::create(
      b, loc, tiles.getPipelineType(), /*offset=*/0,
      kGroupWarps * tiles.countConsumers(),
      schedule.getWarpProducts() ? block::kGroupThreads : int64_t(1));
  frame.emitWait();
  Words words = tiles.words;
  Value isProducer =
      words.isLess(block::WarpOp::create(b, loc), words.constant(kGroupWarps));
  auto roles = scf::IfOp::create(b, loc, isProducer, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(roles.thenBlock()->getTerminator());
  emitProducer(tiles, pipeline, scope);
  b.setInsertionPoint(roles.elseBlock()->getTerminator());
  emitConsumer(tiles, pipeline, scope);
  b.setInsertionPointAfter(roles);
  if (tiles.isSplit()) // others read its sums
    block::MeetOp::create(b, loc);
  else
    block::LeaveOp::create(b, loc, pipeline);
}

/// The grid's threads take the points of the results in turns.
void TensorCoreEmitter::emitPoints(Scope &scope) {
  SmallVector<unsigned> dims(product.roles.batches);
  dims.append(product.roles.rows);
  dims.append(product.roles.lanes);
  SizeExpr count = SizeExpr::constant(b.getContext(), 1);
  for (unsigned dim : dims)
    count = count.mul(frame.kernel.getDimSize(dim));
  frame.emitWait();
  PointEmitter emitter(frame, std::nullopt, 1);
  Value threads = frame.constant(frame.threads);
  Value first =
      frame.add(frame.mul(frame.blockNumber, threads), frame.threadNumber);
  emitSteps(frame, scope, first, frame.size(count),
            frame.mul(frame.blockCount, threads),
            [&](Scope &inner, Value point) {
              bindDigits(frame, inner, dims, point);
              emitWrites(emitter, inner);
            });
}

LaunchShape TensorCoreEmitter::emit() {
  MLIRContext *context = b.getContext();
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          b.getI32IntegerAttr(1));
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.cluster = frame.cluster;
  SizeExpr clusters = tiles.countTiles(),
           most = SizeExpr::constant(context,
                                     schedule.getBlocks() / frame.cluster);
  if (tiles.sharesTail())
    clusters = most;
  else if (!tiles.isSplit())
    clusters = clusters.min(most);
  shape.usesCounters = tiles.sharesTail();
  shape.count = clusters.mul(frame.cluster);
  shape.grain = SizeExpr::constant(context, 1);
  shape.sharedBytes = tiles.getSharedBytes();
  shape.tensorMaps = tiles.getTensorMaps();
  Scope root(frame);
  SmallVector<SizeExpr> sizes = {product.rowCount, product.laneCount,
                                 product.reducedCount};
  for (const TensorCoreProduct::Operand *operand : product.getOperands())
    if (operand->matrix)
      sizes.push_back(operand->matrix->offset);
  if (product.results)
    sizes.push_back(product.results->offset);
  if (Value fits = emitFitCoordinates(frame, sizes))
    emitEither(
        frame, root, fits, [&](Scope &scope) { emitBlock(scope); },
        [&](Scope &scope) { emitPoints(scope); });
  else
    emitBlock(root);
  return shape;
}

LaunchShape tc::emitContractionKernel(GPUFrame &frame,
                                      const TensorCoreProduct &product,
                                      GPUContractionScheduleAttr schedule) {
  return TensorCoreEmitter(frame, product, schedule).emit();
}
