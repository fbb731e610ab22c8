//===- DrawnTiles.cpp - Tiles that blocks take one after the other --------===//

#include "DrawnTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

SizeExpr DrawnTiles::countBlocks() const {
  return blocks == 0
             ? count
             : count.min(SizeExpr::constant(count.getContext(), blocks));
}

void DrawnTiles::emitNumbers(int64_t offset, int64_t takers) {
  if (blocks == 0)
    return;
  auto type = block::PipelineType::get(frame.builder.getContext(), /*stages=*/1,
                                       block::kWordStageBytes,
                                       /*cluster=*/1);
  numbers = block::PipelineOp::create(frame.builder, frame.loc, type, offset,
                                      takers, /*producers=*/1);
}

/// Draws the number of the next tile. Each tile is followed by one draw, so the
/// counter is 0 again after the last one.
Value DrawnTiles::emitDraw() {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value drawn = LLVM::AtomicRMWOp::create(
      b, loc, LLVM::AtomicBinOp::uinc_wrap, frame.counters,
      words.sub(emitCount(), words.constant(1)),
      LLVM::AtomicOrdering::monotonic, kDevice, sizeof(uint32_t));
  next = words.add(words.narrow(frame.blockCount), drawn);
  block::PutWordOp::create(b, loc, next, numbers, slot);
  return next;
}

Value DrawnTiles::takeNext() {
  auto &b = frame.builder;
  if (next)
    return next;
  next = block::TakeWordOp::create(b, frame.loc, b.getI32Type(), numbers, slot);
  block::ReleaseOp::create(b, frame.loc, numbers, slot);
  return next;
}

SmallVector<Value> DrawnTiles::emitTiles(bool draws, ValueRange first,
                                         TileBody body) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value number = words.narrow(frame.blockNumber);
  if (!numbers)
    return body(number, first);
  SmallVector<Value> carried = {number, block::FirstSlotOp::create(b, loc)};
  llvm::append_range(carried, first);
  auto loop = scf::WhileOp::create(
      b, loc, ValueRange(carried).getTypes(), carried,
      [&](OpBuilder &, Location, ValueRange values) {
        scf::ConditionOp::create(b, loc, words.isLess(values[0], emitCount()),
                                 values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        next = nullptr;
        slot = values[1];
        SmallVector<Value> after = body(values[0], values.drop_front(2));
        Value number = draws ? emitDraw() : takeNext(),
              following = block::NextSlotOp::create(b, loc, numbers, slot);
        after.insert(after.begin(), {number, following});
        scf::YieldOp::create(b, loc, after);
      });
  return SmallVector<Value>(loop.getResults().drop_front(2));
}
