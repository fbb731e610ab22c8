//===- AttentionBackwardKernel.cpp - Gradients of attention ---------------===//

#include "AttentionBackwardKernel.h"
#include "AttentionBackwardConsumer.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

using Tiles = AttentionBackwardTiles;
using Gradients = TensorCoreAttentionBackward;

GPUFrame::Launches tc::getAttentionBackwardLaunches() {
  GPUFrame::Launches launches;
  launches.threads = block::kGroupThreads * (1 + Gradients::kConsumers);
  launches.tensorMaps = Tiles::kMaps;
  launches.usesCounters = true;
  launches.waitsLater = true;
  launches.alignedBuffers = true;
  return launches;
}

namespace {
/// What the threads of the first warp group do that copy.
class Copies {
public:
  explicit Copies(Tiles &tiles)
      : tiles(tiles), frame(tiles.frame), b(frame.builder), loc(frame.loc),
        words(tiles.words) {}
  void emit();

private:
  Value firstSlot() { return block::FirstSlotOp::create(b, loc); }
  void emitBoxes(const CopiedMatrix &matrix, Tiles::Map map, Value point,
                 Value row, int64_t rows, int64_t boxes, Value pipeline,
                 Value slot, int64_t offset);
  /// A matrix of queries in a ring, and the f32 of its rows in the same stages.
  struct Ring {
    const CopiedMatrix &matrix;
    Tiles::Map map;
    int64_t boxes;
    const CopiedMatrix &floats;
    Tiles::Map floatMap;
    int64_t floatOffset;
    Value pipeline;
  };
  Value emitStage(const Ring &ring, const BackwardStep &step, Value slot);
  Value emitRing(const Ring &ring, Value slot);
  Value emitRows(Value slot);
  void emitSum(const BackwardStep &step, Value slot);
  void emitSums(Value number);

  Tiles &tiles;
  GPUFrame &frame;
  OpBuilder &b;
  Location loc;
  Words words;
};
} // namespace

/// Starts the copies of boxes next to each other, `offset` bytes in a stage.
void Copies::emitBoxes(const CopiedMatrix &matrix, Tiles::Map map, Value point,
                       Value row, int64_t rows, int64_t boxes, Value pipeline,
                       Value slot, int64_t offset) {
  const int64_t bytes = rows * block::kBoxRowBytes;
  for (int64_t box = 0; box < boxes; ++box)
    block::CopyInOp::create(
        b, loc, frame.tensorMaps[map],
        tiles.getCoordinates(matrix, point, row, box * block::kBoxElements),
        /*under=*/ValueRange(), pipeline, slot, offset + box * bytes, bytes,
        /*shared=*/false);
}

/// The copies of keys and values of a tile.
Value Copies::emitRows(Value slot) {
  const Gradients &gradients = tiles.gradients;
  Value point = words.mul(tiles.batch, tiles.size(gradients.groupCount));
  block::AcquireOp::create(b, loc, tiles.rows, slot, /*bytes=*/IntegerAttr());
  emitBoxes(gradients.k, Tiles::K, point, tiles.firstKey, Gradients::kKeys,
            gradients.countDepthBoxes(), tiles.rows, slot, 0);
  emitBoxes(gradients.v, Tiles::V, point, tiles.firstKey, Gradients::kKeys,
            gradients.countColumnBoxes(), tiles.rows, slot,
            tiles.memory.keyBytes);
  return block::NextSlotOp::create(b, loc, tiles.rows, slot);
}

/// The copy of a tile of queries, or of their gradients, and of one f32 for
/// each of them.
Value Copies::emitStage(const Ring &ring, const BackwardStep &step,
                        Value slot) {
  constexpr int64_t kFloatBytes = 4;
  Value row = words.mul(step.tile, tiles.queries);
  block::AcquireOp::create(b, loc, ring.pipeline, slot,
                           /*bytes=*/IntegerAttr());
  emitBoxes(ring.matrix, ring.map, step.batch, row, tiles.queries, ring.boxes,
            ring.pipeline, slot, /*offset=*/0);
  SmallVector<Value> coordinates =
      tiles.getCoordinates(ring.floats, step.batch, words.constant(0), 0);
  coordinates.back() = words.add(coordinates.back(), row);
  block::CopyInOp::create(b, loc, frame.tensorMaps[ring.floatMap], coordinates,
                          /*under=*/ValueRange(), ring.pipeline, slot,
                          ring.floatOffset, Gradients::kFloats * kFloatBytes,
                          /*shared=*/false);
  return block::NextSlotOp::create(b, loc, ring.pipeline, slot);
}

Value Copies::emitRing(const Ring &ring, Value slot) {
  return tiles
      .emitSteps(slot,
                 [&](const BackwardStep &step, ValueRange slots) {
                   return SmallVector<Value>{emitStage(ring, step, slots[0])};
                 })
      .front();
}

/// Adds what the block has for the gradients of a tile of queries to those in
/// memory, once it is its turn; the first block writes them.
void Copies::emitSum(const BackwardStep &step, Value slot) {
  constexpr int64_t kLanes = 32;
  const CopiedMatrix &gradQ = tiles.gradients.gradQ;
  Value row = words.mul(step.tile, tiles.queries);
  auto emitBoxesOut = [&](bool adds) {
    for (int64_t box = 0; box * kLanes < tiles.gradients.depth; ++box)
      block::BoxOutOp::create(
          b, loc, frame.tensorMaps[Tiles::GradQ],
          tiles.getCoordinates(gradQ, step.batch, row, box * kLanes),
          tiles.sums, slot, box * tiles.queries * block::kBoxRowBytes, adds);
  };
  // Number 0 is for the numbers of tiles.
  Value number =
            words.add(words.add(words.mul(step.batch, tiles.countQueryTiles()),
                                step.tile),
                      1),
        counter = LLVM::GEPOp::create(b, loc, frame.counters.getType(),
                                      b.getI32Type(), frame.counters,
                                      ArrayRef<LLVM::GEPArg>{number});
  Tiles::Turns turns = tiles.emitTurns(step.tile);
  Value turn = words.sub(tiles.tile, turns.first);
  Value isFirst =
      words.compare(arith::CmpIPredicate::eq, turn, words.constant(0));
  auto either = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(either.thenBlock()->getTerminator());
    emitBoxesOut(/*adds=*/false);
    b.setInsertionPoint(either.elseBlock()->getTerminator());
    block::AwaitTurnOp::create(b, loc, counter, turn);
    emitBoxesOut(/*adds=*/true);
  }
  block::CopyOutWaitOp::create(b, loc, /*written=*/false);
  block::ReleaseOp::create(b, loc, tiles.sums, slot);
  block::CopyOutWaitOp::create(b, loc, /*written=*/true);
  block::EndTurnOp::create(b, loc, counter,
                           words.sub(turns.count, words.constant(1)));
}

/// Adds up what is in the stages of sums: each of the first threads of as many
/// warps has one stage, and waits for its turn and for what it has added to be
/// in memory while the others do for theirs.
void Copies::emitSums(Value number) {
  Value last = words.constant(Gradients::kSumStages - 1);
  auto body = [&](const BackwardStep &step, ValueRange values) {
    // Of the stages ahead of the thread's one.
    Value slot = values[0], ahead = values[1];
    Value isOwn =
        words.compare(arith::CmpIPredicate::eq, ahead, words.constant(0));
    frame.emitIf(isOwn, [&] {
      block::WaitFullOp::create(b, loc, tiles.sums, slot);
      // Coordinates of the batch point are computed anew: the threads have no
      // registers for them all along.
      Value batch =
          frame.emitAssembly(b.getI32Type(), step.batch, "mov.b32 $0, $1;",
                             "=r,r", /*isPure=*/false);
      emitSum({batch, step.tile, step.isMasked}, slot);
    });
    return SmallVector<Value>{
        block::NextSlotOp::create(b, loc, tiles.sums, slot),
        arith::SelectOp::create(b, loc, isOwn, last,
                                words.sub(ahead, words.constant(1)))};
  };
  tiles.emitTiles(
      /*draws=*/false, {firstSlot(), number},
      [&](ValueRange values) { return tiles.emitSteps(values, body); });
}

/// The first thread of a warp each: keys, values and queries, and the numbers
/// of tiles; gradients; sums, a warp for each stage.
void Copies::emit() {
  const Gradients &gradients = tiles.gradients;
  const auto &memory = tiles.memory;
  constexpr int64_t kFirstSumWarp = 2; // behind that of gradients
  auto first = [&](int64_t warp) {
    return frame.isZero(
        frame.sub(frame.threadNumber, frame.constant(warp * kWarpThreads)));
  };
  frame.emitIf(first(0), [&] {
    const Ring ring = {
        gradients.q,         Tiles::Q,         gradients.countDepthBoxes(),
        gradients.logsumexp, Tiles::LogSumExp, memory.logsumexp,
        tiles.queryRing};
    tiles.emitTiles(/*draws=*/true, {firstSlot(), firstSlot()},
                    [&](ValueRange slots) {
                      Value rows = emitRows(slots[0]);
                      return SmallVector<Value>{rows, emitRing(ring, slots[1])};
                    });
  });
  frame.emitIf(first(1), [&] {
    const Ring ring = {
        gradients.grad,     Tiles::Grad,     gradients.countColumnBoxes(),
        gradients.products, Tiles::Products, memory.products,
        tiles.gradRing};
    tiles.emitTiles(/*draws=*/false, firstSlot(), [&](ValueRange slots) {
      return SmallVector<Value>{emitRing(ring, slots[0])};
    });
  });
  Value number = words.sub(block::WarpOp::create(b, loc),
                           words.constant(kFirstSumWarp)),
        isFirst = frame.isZero(arith::AndIOp::create(
            b, loc, frame.threadNumber, frame.constant(kWarpThreads - 1)));
  frame.emitIf(arith::AndIOp::create(
                   b, loc, isFirst,
                   words.isLess(number, words.constant(Gradients::kSumStages))),
               [&] { emitSums(number); });
}

/// Queries and keys that coordinates of 31 bits do not hold are reported.
static void checkSizes(GPUFrame &frame, const Gradients &gradients) {
  auto &b = frame.builder;
  SmallVector<SizeExpr> sizes = {gradients.queryCount, gradients.keyCount};
  for (const CopiedMatrix *matrix :
       {&gradients.grad, &gradients.q, &gradients.k, &gradients.v,
        &gradients.logsumexp, &gradients.products, &gradients.gradQ})
    sizes.push_back(matrix->offset);
  if (Value fits = emitFitCoordinates(frame, sizes))
    frame.reportIndexOutOfRange(arith::XOrIOp::create(
        b, frame.loc, fits, arith::ConstantIntOp::create(b, frame.loc, 1, 1)));
}

LaunchShape
tc::emitAttentionBackwardKernel(GPUFrame &frame, const Gradients &gradients,
                                GPUAttentionBackwardScheduleAttr schedule) {
  // Of the threads of the warp group that copies, and of those that multiply.
  constexpr int64_t kCopying = 24, kMultiplying = 240;
  auto &b = frame.builder;
  Location loc = frame.loc;
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          b.getI32IntegerAttr(1));
  checkSizes(frame, gradients);
  Tiles tiles(frame, gradients, schedule);
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.count = tiles.countBlocks();
  shape.grain = SizeExpr::constant(b.getContext(), 1);
  shape.usesCounters = true;
  shape.sharedBytes = tiles.memory.end;
  shape.tensorMaps = tiles.getTensorMaps();
  emitMapPrefetches(frame);
  tiles.emitPipelines();
  frame.emitWait();
  Words words = tiles.words;
  Value isProducer =
      words.isLess(block::WarpOp::create(b, loc), words.constant(kGroupWarps));
  auto roles = scf::IfOp::create(b, loc, isProducer, /*withElseRegion=*/true);
  Scope scope(frame);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(roles.thenBlock()->getTerminator());
  block::RoleOp::create(b, loc, kCopying, /*more=*/false);
  Copies(tiles).emit();
  b.setInsertionPoint(roles.elseBlock()->getTerminator());
  block::RoleOp::create(b, loc, kMultiplying, /*more=*/true);
  scope.openLoop = roles;
  emitAttentionBackwardConsumer(tiles, scope);
  scope.openLoop = nullptr;
  b.setInsertionPointAfter(roles);
  return shape;
}
