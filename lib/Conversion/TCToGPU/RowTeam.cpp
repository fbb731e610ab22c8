//===- RowTeam.cpp - Threads that share a row -----------------------------===//

#include "RowTeam.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

/// `value` as an integer of 32 or 64 bits, the forms that are exchanged.
static Value toBits(OpBuilder &b, Location loc, Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (!isa<IntegerType>(value.getType()))
    value = arith::BitcastOp::create(b, loc, b.getIntegerType(width), value);
  if (width >= 32)
    return value;
  return arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
}

static Value fromBits(OpBuilder &b, Location loc, Value value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 32)
    value = arith::TruncIOp::create(b, loc, b.getIntegerType(width), value);
  if (isa<IntegerType>(type))
    return value;
  return arith::BitcastOp::create(b, loc, type, value);
}

/// The value of the lane whose number differs in the bits of `offset`.
static Value exchangeLanes(OpBuilder &b, Location loc, Value value,
                           int64_t offset) {
  auto shuffle = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(b, loc, word, offset, kWarpThreads,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type type = value.getType();
  Value bits = toBits(b, loc, value);
  if (bits.getType().isInteger(32))
    return fromBits(b, loc, shuffle(bits), type);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value half = arith::ConstantIntOp::create(b, loc, 32, 64);
  Value low = shuffle(arith::TruncIOp::create(b, loc, i32, bits));
  Value high = shuffle(arith::TruncIOp::create(
      b, loc, i32, arith::ShRUIOp::create(b, loc, bits, half)));
  Value whole = arith::OrIOp::create(
      b, loc, arith::ExtUIOp::create(b, loc, i64, low),
      arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, high),
                            half));
  return fromBits(b, loc, whole, type);
}

SmallVector<Value> RowTeam::combineLanes(ValueRange states, int64_t lanes,
                                         Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  SmallVector<Value> result(states);
  for (int64_t offset = lanes / 2; offset > 0; offset /= 2) {
    SmallVector<Value> first(result), second;
    for (Value state : result)
      second.push_back(exchangeLanes(b, loc, state, offset));
    // Where the order matters, both lanes fold in that of their numbers.
    if (result.size() > 1) {
      Value bit = arith::AndIOp::create(b, loc, number, frame.constant(offset));
      Value isUpper = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                            bit, frame.constant(0));
      for (auto [mine, other] : llvm::zip_equal(first, second)) {
        Value lower = arith::SelectOp::create(b, loc, isUpper, other, mine);
        other = arith::SelectOp::create(b, loc, isUpper, mine, other);
        mine = lower;
      }
    }
    result = combine(first, second);
  }
  return result;
}

/// The number of this thread in its team.
static Value getNumber(GPUFrame &frame, int64_t threads) {
  auto &b = frame.builder;
  if (frame.cluster > 1)
    return frame.add(frame.mul(frame.clusterRank, frame.constant(threads)),
                     frame.threadNumber);
  if (threads == frame.threads)
    return frame.threadNumber;
  return arith::RemUIOp::create(b, frame.loc, frame.threadNumber,
                                frame.constant(threads));
}

RowTeam::RowTeam(GPUFrame &frame, unsigned dim, int64_t threads,
                 ClusterExchange *exchange)
    : WorkerTeam(dim, getNumber(frame, threads),
                 frame.constant(threads * frame.cluster),
                 threads * frame.cluster),
      frame(frame), threads(threads), exchange(exchange) {}

Value RowTeam::getRow() {
  if (threads == frame.threads)
    return frame.constant(0);
  return arith::DivUIOp::create(frame.builder, frame.loc, frame.threadNumber,
                                frame.constant(threads));
}

Value RowTeam::countRows() {
  return threads == frame.threads ? Value()
                                  : frame.constant(frame.threads / threads);
}

SmallVector<Value> RowTeam::combine(ValueRange states, ValueRange,
                                    Combine combine) {
  SmallVector<Value> result =
      combineLanes(states, std::min(threads, kWarpThreads), combine);
  if (threads > kWarpThreads)
    result = combineWarps(result, combine);
  if (frame.cluster > 1)
    result = combineBlocks(result, combine);
  return result;
}

/// Emits, where the row begins and before what is emitted now, that all blocks
/// of the cluster are there.
void RowTeam::emitReady() {
  if (std::exchange(isReady, true))
    return;
  auto &b = frame.builder;
  OpBuilder::InsertionGuard guard(b);
  if (b.getInsertionBlock() != begin)
    b.setInsertionPoint(
        begin->findAncestorOpInBlock(*b.getInsertionBlock()->getParentOp()));
  exchange->emitReady();
}

void RowTeam::emitClusterBarrier() {
  emitReady();
  NVVM::ClusterArriveOp::create(frame.builder, frame.loc, UnitAttr());
  NVVM::ClusterWaitOp::create(frame.builder, frame.loc, UnitAttr());
}

void RowTeam::emitEnd() {
  if (frame.cluster == 1)
    return;
  emitReady();
  if (readsOthers)
    emitClusterBarrier();
}

SmallVector<Value> RowTeam::combineBlocks(SmallVector<Value> states,
                                          Combine combine) {
  if (isInLoop())
    return readBlocks(std::move(states), combine);
  emitReady();
  auto all = exchange->exchange(states);
  SmallVector<Value> result = all.front();
  for (ArrayRef<Value> next : ArrayRef(all).drop_front())
    result = combine(result, next);
  return result;
}

/// In a loop every block leaves its states in its shared memory, and reads
/// those of all: between two barriers.
SmallVector<Value> RowTeam::readBlocks(SmallVector<Value> states,
                                       Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Slots shared = Slots::share(frame, int64_t(states.size()));
  auto at = [&](size_t state) { return frame.constant(int64_t(state)); };
  // The other blocks have read the results of the round before.
  emitClusterBarrier();
  shared.storeWhere(frame.isZero(frame.threadNumber), states, at);
  emitClusterBarrier();
  Type remote = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  Value own = shared.addressOf(frame.constant(0));
  SmallVector<Value> result;
  for (int64_t rank = 0; rank < frame.cluster; ++rank) {
    Value base = NVVM::MapaOp::create(
        b, loc, remote, own, arith::ConstantIntOp::create(b, loc, rank, 32));
    SmallVector<Value> next = Slots(frame, base).load(states, at);
    result = rank == 0 ? next : combine(result, next);
  }
  readsOthers = true;
  return result;
}

bool RowTeam::isInLoop() {
  Operation *parent = frame.builder.getInsertionBlock()->getParentOp();
  return isa<scf::ForOp>(parent) || parent->getParentOfType<scf::ForOp>();
}

SmallVector<Value> RowTeam::combineWarps(SmallVector<Value> states,
                                         Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t warps = threads / kWarpThreads, rows = frame.threads / threads;
  Slots shared = Slots::share(frame, rows * warps * int64_t(states.size()));
  Value row = frame.mul(getRow(), frame.constant(warps * states.size()));
  auto at = [&](size_t state, Value warp) {
    Value offset = frame.add(row, frame.constant(int64_t(state) * warps));
    return frame.add(offset, warp);
  };
  Value thread = frame.threadNumber;
  if (rows > 1)
    thread = arith::RemUIOp::create(b, loc, thread, frame.constant(threads));
  Value warp =
      arith::DivUIOp::create(b, loc, thread, frame.constant(kWarpThreads));
  Value lane =
      arith::RemUIOp::create(b, loc, thread, frame.constant(kWarpThreads));
  // In a loop, the results of the round before have been read.
  if (isInLoop())
    gpu::BarrierOp::create(b, loc);
  shared.storeWhere(frame.isZero(lane), states,
                    [&](size_t state) { return at(state, warp); });
  gpu::BarrierOp::create(b, loc);
  // Every warp folds the warps' results: a lane takes that of one warp.
  Value source = arith::RemUIOp::create(b, loc, lane, frame.constant(warps));
  SmallVector<Value> taken =
      shared.load(states, [&](size_t state) { return at(state, source); });
  return combineLanes(taken, warps, combine);
}

Value RowTeam::emitElectWriter() {
  if (frame.kernel.getWritesOverInput()) {
    if (frame.cluster > 1)
      emitClusterBarrier();
    else if (threads > kWarpThreads)
      gpu::BarrierOp::create(frame.builder, frame.loc);
  }
  return frame.isZero(number);
}
