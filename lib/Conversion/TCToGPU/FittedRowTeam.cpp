//===- FittedRowTeam.cpp - Whole warps that share a row -------------------===//

#include "FittedRowTeam.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

/// `x / y` or its rest, of numbers below 2^31, which takes a tenth of the time
/// of a division of 64 bits.
template <typename Op>
static Value emitShort(GPUFrame &frame, Value x, Value y) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  auto narrow = [&](Value value) -> Value {
    return arith::TruncIOp::create(b, loc, b.getI32Type(), value);
  };
  return arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                Op::create(b, loc, narrow(x), narrow(y)));
}

static Value countThreads(GPUFrame &frame, Value warps) {
  return frame.mul(warps, frame.constant(kWarpThreads));
}

FittedRowTeam::FittedRowTeam(GPUFrame &frame, unsigned dim, Value warps,
                             int64_t units)
    : RowTeam(frame, dim,
              emitShort<arith::RemUIOp>(frame, frame.threadNumber,
                                        countThreads(frame, warps)),
              countThreads(frame, warps), frame.threads),
      warps(warps) {
  heldStride = frame.constant(kWarpThreads);
  Value lane = emitShort<arith::RemUIOp>(frame, number, heldStride);
  firstHeld = frame.add(
      frame.mul(frame.sub(number, lane), frame.constant(units)), lane);
}

Value FittedRowTeam::getRow() {
  return emitShort<arith::DivUIOp>(frame, frame.threadNumber, count);
}

Value FittedRowTeam::countRows() {
  return emitShort<arith::DivUIOp>(
      frame, frame.constant(frame.threads / kWarpThreads), warps);
}

SmallVector<Value> FittedRowTeam::combine(ValueRange states,
                                          ValueRange identity,
                                          Combine combine) {
  SmallVector<Value> folded = combineLanes(states, kWarpThreads, combine);
  if (frame.threads == kWarpThreads)
    return folded;
  auto &b = frame.builder;
  Value hasOthers = arith::CmpIOp::create(
      b, frame.loc, arith::CmpIPredicate::ugt, warps, frame.constant(1));
  auto branch =
      scf::IfOp::create(b, frame.loc, ValueRange(folded).getTypes(), hasOthers,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, frame.loc, exchangeWarps(folded, identity, combine));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, frame.loc, folded);
  return SmallVector<Value>(branch.getResults());
}

/// Every lane takes the states of one warp of its row, as far as there are.
SmallVector<Value> FittedRowTeam::exchangeWarps(ValueRange states,
                                                ValueRange identity,
                                                Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t most = frame.threads / kWarpThreads;
  Slots shared =
      Slots::share(frame, most * static_cast<int64_t>(states.size()));
  Value width = frame.constant(kWarpThreads);
  Value warp = emitShort<arith::DivUIOp>(frame, frame.threadNumber, width);
  Value lane = emitShort<arith::RemUIOp>(frame, frame.threadNumber, width);
  auto at = [&](size_t state, Value number) {
    return frame.add(number, frame.constant(int64_t(state) * most));
  };
  if (isInLoop())
    gpu::BarrierOp::create(b, loc);
  shared.storeWhere(frame.isZero(lane), states,
                    [&](size_t state) { return at(state, warp); });
  gpu::BarrierOp::create(b, loc);
  // Each group of as many lanes as there may be warps folds them all.
  int64_t lanes = llvm::PowerOf2Ceil(most);
  lane = arith::AndIOp::create(b, loc, lane, frame.constant(lanes - 1));
  Value isThere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lane, warps);
  Value ofRow =
      arith::SelectOp::create(b, loc, isThere, lane, frame.constant(0));
  // A row's warps are next to each other; those left over have no row.
  Value first = emitShort<arith::RemUIOp>(frame, warp, warps);
  Value source = frame.add(frame.sub(warp, first), ofRow);
  Value last = frame.constant(most - 1);
  source = arith::MinUIOp::create(b, loc, source, last);
  SmallVector<Value> taken =
      shared.load(states, [&](size_t state) { return at(state, source); });
  for (auto [state, none] : llvm::zip_equal(taken, identity))
    state = arith::SelectOp::create(b, loc, isThere, state, none);
  return combineLanes(taken, lanes, combine);
}
