//===- AttentionKernel.cpp - Attention on tensor cores --------------------===//

#include "AttentionKernel.h"
#include "AttentionConsumer.h"
#include "AttentionPartProducer.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

GPUFrame::Launches tc::getAttentionLaunches(GPUAttentionScheduleAttr schedule) {
  GPUFrame::Launches launches;
  launches.threads =
      block::kGroupThreads * (1 + schedule.getRows() / block::kAccumulatorRows);
  if (!schedule.getWarpProducts())
    launches.tensorMaps = 3 + int64_t(schedule.getAsyncStore());
  launches.cluster = schedule.getSplits();
  launches.usesCounters = schedule.getBlocks() > 0;
  launches.waitsLater = true;
  launches.alignedBuffers = true;
  return launches;
}

/// Starts the copies of the boxes next to each other of `matrix`, of `rows`
/// rows from `row` on, to the stage of a slot.
static void emitCopies(AttentionTiles &tiles, const CopiedMatrix &matrix,
                       unsigned map, Value pipeline, Value slot, Value row,
                       int64_t rows, int64_t boxes, Value shift) {
  auto &b = tiles.frame.builder;
  Location loc = tiles.frame.loc;
  const int64_t bytes = rows * block::kBoxRowBytes;
  block::AcquireOp::create(b, loc, pipeline, slot, /*bytes=*/IntegerAttr());
  for (int64_t box = 0; box < boxes; ++box) {
    SmallVector<Value> coordinates = tiles.getMatrixIndices(matrix);
    coordinates.append(
        {row, tiles.words.add(shift, box * block::kBoxElements)});
    block::CopyInOp::create(b, loc, tiles.frame.tensorMaps[map], coordinates,
                            /*under=*/ValueRange(), pipeline, slot, box * bytes,
                            bytes,
                            /*shared=*/false);
  }
}

/// The copies of the blocks of keys, or of values, from the last one down; the
/// slot after them.
static Value emitBlocks(AttentionTiles &tiles, const CopiedMatrix &matrix,
                        unsigned map, Value pipeline, Value slot,
                        int64_t boxes) {
  auto &b = tiles.frame.builder;
  Location loc = tiles.frame.loc;
  Words words = tiles.words;
  const int64_t keys = tiles.schedule.getKeys();
  Value shift = emitShift(tiles.frame, matrix), one = words.constant(1);
  const KeyBlocks &blocks = tiles.place.keyBlocks;
  auto loop =
      scf::ForOp::create(b, loc, words.constant(0),
                         words.sub(blocks.end, blocks.begin), one, slot);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = words.sub(words.sub(blocks.end, one), loop.getInductionVar());
  slot = loop.getRegionIterArgs().front();
  emitCopies(tiles, matrix, map, pipeline, slot, words.mul(number, keys), keys,
             boxes, shift);
  scf::YieldOp::create(
      b, loc, ValueRange{block::NextSlotOp::create(b, loc, pipeline, slot)});
  return loop.getResult(0);
}

/// What the first warp group does: one thread copies the queries and the blocks
/// of keys, another one those of values.
static void emitAttentionProducer(AttentionTiles &tiles, Value queries,
                                  Value keys, Value values) {
  GPUFrame &frame = tiles.frame;
  auto &b = frame.builder;
  Location loc = frame.loc;
  const TensorCoreAttention &attention = tiles.attention;
  auto firstSlot = [&]() -> Value {
    return block::FirstSlotOp::create(b, loc);
  };
  frame.emitIf(frame.isZero(frame.threadNumber), [&] {
    tiles.emitTiles(
        /*draws=*/true, {firstSlot(), firstSlot()}, [&](ValueRange slots) {
          emitCopies(tiles, attention.queries, 0, queries, slots[0],
                     tiles.getFirstQuery(), tiles.schedule.getRows(),
                     tiles.countDepthBoxes(),
                     emitShift(frame, attention.queries));
          Value next = emitBlocks(tiles, attention.keys, 1, keys, slots[1],
                                  tiles.countDepthBoxes());
          return SmallVector<Value>{
              block::NextSlotOp::create(b, loc, queries, slots[0]), next};
        });
  });
  Value second = frame.sub(frame.threadNumber, frame.constant(kWarpThreads));
  frame.emitIf(frame.isZero(second), [&] {
    tiles.emitTiles(/*draws=*/false, firstSlot(), [&](ValueRange slots) {
      return SmallVector<Value>{emitBlocks(tiles, attention.values, 2, values,
                                           slots[0], tiles.countColumnBoxes())};
    });
  });
  // Those that multiply meet for the states of rows and for the results.
  if (tiles.isSplit())
    for (int64_t exchange = 0; exchange < 2; ++exchange)
      block::MeetOp::create(b, loc);
}

/// Rows and keys that coordinates of 31 bits do not hold are reported.
static void checkSizes(GPUFrame &frame, const TensorCoreAttention &attention) {
  auto &b = frame.builder;
  Value fits = emitFitCoordinates(
      frame, {attention.rowCount, attention.keyCount, attention.queries.offset,
              attention.keys.offset, attention.values.offset});
  if (fits)
    frame.reportIndexOutOfRange(arith::XOrIOp::create(
        b, frame.loc, fits, arith::ConstantIntOp::create(b, frame.loc, 1, 1)));
}

/// The registers of the threads of the warp group that copies, or of one that
/// multiplies: of one, two or three others. A single one has enough as it is
/// where the block is alone on its multiprocessor.
static void emitRole(AttentionTiles &tiles, bool isProducer) {
  constexpr int64_t kCopying[] = {24, 24, 32}, kMultiplying[] = {232, 240, 160};
  const int64_t others = tiles.countConsumers();
  if ((others == 1 && tiles.schedule.getResident() == 1) ||
      tiles.schedule.getWarpProducts())
    return;
  block::RoleOp::create(tiles.frame.builder, tiles.frame.loc,
                        (isProducer ? kCopying : kMultiplying)[others - 1],
                        /*more=*/!isProducer);
}

LaunchShape tc::emitAttentionKernel(GPUFrame &frame,
                                    const TensorCoreAttention &attention,
                                    GPUAttentionScheduleAttr schedule) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          b.getI32IntegerAttr(int32_t(schedule.getResident())));
  checkSizes(frame, attention);
  AttentionTiles tiles(frame, attention, schedule);
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.cluster = frame.cluster;
  shape.count = tiles.countBlocks();
  shape.grain = SizeExpr::constant(b.getContext(), 1);
  shape.usesCounters = schedule.getBlocks() > 0;
  shape.sharedBytes = tiles.memory.end;
  shape.tensorMaps = tiles.getTensorMaps();
  emitMapPrefetches(frame);
  const int64_t consumers = kGroupWarps * tiles.countConsumers();
  auto makePipeline = [&](block::PipelineType type, int64_t offset) -> Value {
    return block::PipelineOp::create(
        b, loc, type, offset, consumers,
        schedule.getWarpProducts() ? block::kGroupThreads : int64_t(1));
  };
  Value queries = makePipeline(tiles.getQueryPipeline(), 0),
        keys = makePipeline(tiles.getKeyPipeline(), tiles.memory.keys),
        values = makePipeline(tiles.getValuePipeline(), tiles.memory.values);
  tiles.emitNumbers();
  frame.emitWait();
  Words words = tiles.words;
  Value isProducer =
      words.isLess(block::WarpOp::create(b, loc), words.constant(kGroupWarps));
  auto roles = scf::IfOp::create(b, loc, isProducer, /*withElseRegion=*/true);
  Scope scope(frame);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(roles.thenBlock()->getTerminator());
  emitRole(tiles, /*isProducer=*/true);
  if (schedule.getWarpProducts())
    emitAttentionPartProducer(tiles, queries, keys, values);
  else
    emitAttentionProducer(tiles, queries, keys, values);
  b.setInsertionPoint(roles.elseBlock()->getTerminator());
  emitRole(tiles, /*isProducer=*/false);
  scope.openLoop = roles;
  emitAttentionConsumer(tiles, queries, keys, values, scope);
  scope.openLoop = nullptr;
  b.setInsertionPointAfter(roles);
  if (tiles.isSplit()) // others read its results
    block::MeetOp::create(b, loc);
  return shape;
}
