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
void DrawnTiles::draw() {
  auto &b = frame.builder;
  Value last = words.sub(emitCount(), words.constant(1));
  Value drawn = LLVM::AtomicRMWOp::create(
      b, frame.loc, LLVM::AtomicBinOp::uinc_wrap, frame.counters, last,
      LLVM::AtomicOrdering::monotonic, kDevice, sizeof(uint32_t));
  Value number = words.add(words.narrow(frame.blockCount), drawn);
  next = describe(words.min(number, last));
  next.insert(next.begin(), number);
  block::PutWordsOp::create(b, frame.loc, next, numbers, slot);
}

void DrawnTiles::take() {
  auto &b = frame.builder;
  if (!next.empty())
    return;
  SmallVector<Type> types(1 + known, b.getI32Type());
  auto taken = block::TakeWordsOp::create(b, frame.loc, types, numbers, slot);
  next.assign(taken.result_begin(), taken.result_end());
  block::ReleaseOp::create(b, frame.loc, numbers, slot);
}

std::pair<Value, SmallVector<Value>> DrawnTiles::takeNext() {
  take();
  return {isTile(next.front()),
          SmallVector<Value>(ArrayRef(next).drop_front())};
}

SmallVector<Value> DrawnTiles::emitTiles(bool draws, ValueRange first,
                                         TileBody body) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  SmallVector<Value> carried = describeFirst();
  known = carried.size();
  carried.insert(carried.begin(), words.narrow(frame.blockNumber));
  if (!numbers)
    return body(carried, first);
  carried.push_back(block::FirstSlotOp::create(b, loc));
  llvm::append_range(carried, first);
  auto loop = scf::WhileOp::create(
      b, loc, ValueRange(carried).getTypes(), carried,
      [&](OpBuilder &, Location, ValueRange values) {
        scf::ConditionOp::create(b, loc, isTile(values.front()), values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        next.clear();
        slot = values[1 + known];
        SmallVector<Value> after =
            body(values.take_front(1 + known), values.drop_front(2 + known));
        if (draws)
          draw();
        else
          take();
        SmallVector<Value> yielded = next;
        yielded.push_back(block::NextSlotOp::create(b, loc, numbers, slot));
        llvm::append_range(yielded, after);
        scf::YieldOp::create(b, loc, yielded);
      });
  return SmallVector<Value>(loop.getResults().drop_front(2 + known));
}
