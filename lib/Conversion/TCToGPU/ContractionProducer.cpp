//===- ContractionProducer.cpp - What fills the stages --------------------===//
//
// An operand that is in memory as the copy engine wants it is copied by one
// thread of the warp group. The elements of another are computed by all of its
// threads. A stage has both kinds, or all of one kind; where strides are known
// at the call alone, the warp group looks at them first.
//
//===----------------------------------------------------------------------===//

#include "ContractionProducer.h"
#include "ContractionLoops.h"
#include "OperandCopies.h"
#include "OperandLoads.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
class Producer {
public:
  Producer(ContractionTiles &tiles, Value pipeline, Scope &scope)
      : tiles(tiles), b(tiles.frame.builder), loc(tiles.frame.loc),
        pipeline(pipeline), scope(scope) {}

  /// Fills the stages of all tiles of the block; `copies`: with copies of what
  /// the copy engine may copy.
  void emit(bool copies);

private:
  struct Operand {
    const TensorCoreProduct::Operand &operand;
    std::optional<OperandCopies> copies;
    std::optional<OperandLoads> loads;
  };
  Operand get(bool isRows, bool copies);
  using StepBody =
      function_ref<void(Value slot, const TileCorner &corner, StepPlace step)>;
  void emitSteps(StepBody body);

  ContractionTiles &tiles;
  OpBuilder &b;
  Location loc;
  Value pipeline;
  Scope &scope;
};
} // namespace

/// Runs `body` for each step of each tile, with a stage for it.
void Producer::emitSteps(StepBody body) {
  Words words = tiles.words;
  Value steps = tiles.countSteps(), zero = words.constant(0),
        one = words.constant(1);
  tiles.emitTiles(
      block::FirstSlotOp::create(b, loc)->getResults(),
      [&](const TileCorner &corner, ValueRange carried) {
        Value begin = zero, end = steps;
        if (tiles.isSplit()) {
          begin = words.mul(tiles.getRank(), steps);
          end = words.add(begin, steps);
        }
        auto loop = scf::ForOp::create(b, loc, begin, end, one, carried);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value slot = loop.getRegionIterArgs().front();
        body(slot, corner, tiles.getStepPlace(loop.getInductionVar()));
        Value next = block::NextSlotOp::create(b, loc, pipeline, slot);
        scf::YieldOp::create(b, loc, next);
        return SmallVector<Value>(loop.getResults());
      });
}

Producer::Operand Producer::get(bool isRows, bool copies) {
  const TensorCoreProduct &product = tiles.product;
  GPUContractionScheduleAttr schedule = tiles.schedule;
  const TensorCoreProduct::Operand &operand =
      isRows ? product.rows : product.lanes;
  const int64_t offset = isRows ? 0 : tiles.getLaneOffset(),
                tile = isRows ? schedule.getRows() : schedule.getLanes();
  Operand result{operand, std::nullopt, std::nullopt};
  if (copies && operand.matrix)
    result.copies.emplace(tiles, *operand.matrix,
                          isRows ? tiles.getRowsMap() : tiles.getLanesMap(),
                          offset, tile, isRows ? 1 : schedule.getCluster());
  else
    result.loads.emplace(tiles, operand, isRows, offset, tile, scope);
  return result;
}

void Producer::emit(bool copies) {
  GPUFrame &frame = tiles.frame;
  Operand rows = get(/*isRows=*/true, copies),
          lanes = get(/*isRows=*/false, copies);
  auto emitCopies = [&](Value slot, const TileCorner &corner, StepPlace step) {
    if (rows.copies)
      rows.copies->emit(pipeline, slot, corner.batch, corner.row, step);
    if (lanes.copies)
      lanes.copies->emit(pipeline, slot, corner.batch, corner.lane, step);
  };
  Value isFirst = frame.isZero(frame.threadNumber);
  if (rows.copies && lanes.copies) {
    frame.emitIf(isFirst, [&] {
      emitSteps([&](Value slot, const TileCorner &corner, StepPlace step) {
        block::AcquireOp::create(b, loc, pipeline, slot);
        emitCopies(slot, corner, step);
      });
    });
    return;
  }
  emitSteps([&](Value slot, const TileCorner &corner, StepPlace step) {
    block::AwaitEmptyOp::create(b, loc, pipeline, slot);
    if (rows.copies || lanes.copies)
      frame.emitIf(isFirst, [&] {
        int64_t bytes = rows.copies
                            ? tiles.getLaneOffset()
                            : tiles.getStageBytes() - tiles.getLaneOffset();
        block::ExpectOp::create(b, loc, pipeline, slot, bytes);
        emitCopies(slot, corner, step);
      });
    if (rows.loads)
      rows.loads->emit(pipeline, slot, corner.batch, corner.row, step.reduced);
    if (lanes.loads)
      lanes.loads->emit(pipeline, slot, corner.batch, corner.lane,
                        step.reduced);
    block::PublishOp::create(b, loc, pipeline, slot);
  });
}

void tc::emitProducer(ContractionTiles &tiles, Value pipeline, Scope &scope) {
  auto &b = tiles.frame.builder;
  Location loc = tiles.frame.loc;
  emitRole(tiles, /*isProducer=*/true);
  Producer producer(tiles, pipeline, scope);
  const TensorCoreProduct &product = tiles.product;
  if (Value mayCopy = tiles.emitMayCopy()) {
    auto either = scf::IfOp::create(b, loc, mayCopy, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(either.thenBlock()->getTerminator());
    producer.emit(/*copies=*/true);
    b.setInsertionPoint(either.elseBlock()->getTerminator());
    producer.emit(/*copies=*/false);
  } else {
    producer.emit(product.rows.matrix || product.lanes.matrix);
  }
  if (tiles.isSplit())
    block::MeetOp::create(b, loc);
}
