//===- RowTeam.cpp - Threads that share a row -----------------------------===//

#include "RowTeam.h"
#include "GPUFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

/// Bytes of shared memory that a state of any type has.
static constexpr int64_t kSlotBytes = 8;

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
static Value exchange(OpBuilder &b, Location loc, Value value, int64_t offset) {
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
      second.push_back(exchange(b, loc, state, offset));
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

RowTeam::RowTeam(GPUFrame &frame, unsigned dim, int64_t threads)
    : WorkerTeam(dim, getNumber(frame, threads),
                 frame.constant(threads * frame.cluster),
                 threads * frame.cluster),
      frame(frame), threads(threads) {}

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

void RowTeam::emitClusterBarrier() {
  NVVM::ClusterArriveOp::create(frame.builder, frame.loc, UnitAttr());
  NVVM::ClusterWaitOp::create(frame.builder, frame.loc, UnitAttr());
}

void RowTeam::emitEnd() {
  if (frame.cluster == 1)
    return;
  auto &b = frame.builder;
  OpBuilder::InsertionGuard guard(b);
  Block *end = b.getInsertionBlock();
  if (lastRead && lastRead->getBlock() == end) {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointAfter(lastRead);
    NVVM::ClusterArriveOp::create(b, frame.loc, UnitAttr());
  } else {
    NVVM::ClusterArriveOp::create(b, frame.loc, UnitAttr());
  }
  NVVM::ClusterWaitOp::create(b, frame.loc, UnitAttr());
}

/// Every block leaves its states in its shared memory, and reads those of all.
SmallVector<Value> RowTeam::combineBlocks(SmallVector<Value> states,
                                          Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value shared = frame.allocateShared(kSlotBytes * states.size());
  auto slot = [&](Value base, size_t state) -> Value {
    return LLVM::GEPOp::create(b, loc, base.getType(), b.getI64Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(state)});
  };
  // In a loop, the other blocks have read the results of the round before.
  if (isInLoop())
    emitClusterBarrier();
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        frame.threadNumber, frame.constant(0));
  auto store = scf::IfOp::create(b, loc, isFirst);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(store.thenBlock());
    for (auto [index, state] : llvm::enumerate(states))
      LLVM::StoreOp::create(b, loc, toBits(b, loc, state), slot(shared, index),
                            /*alignment=*/kSlotBytes);
  }
  emitClusterBarrier();
  Type remote = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  SmallVector<Value> result;
  for (int64_t rank = 0; rank < frame.cluster; ++rank) {
    Value base = NVVM::MapaOp::create(
        b, loc, remote, shared, arith::ConstantIntOp::create(b, loc, rank, 32));
    SmallVector<Value> next;
    for (auto [index, state] : llvm::enumerate(states)) {
      Type type = state.getType();
      Type bits = b.getIntegerType(std::max(32u, type.getIntOrFloatBitWidth()));
      next.push_back(
          fromBits(b, loc,
                   LLVM::LoadOp::create(b, loc, bits, slot(base, index),
                                        /*alignment=*/kSlotBytes),
                   type));
    }
    result = rank == 0 ? next : combine(result, next);
  }
  lastRead = result.front().getDefiningOp();
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
  Value shared =
      frame.allocateShared(kSlotBytes * rows * warps * states.size());
  Value row = frame.mul(getRow(), frame.constant(warps * states.size()));
  auto slot = [&](size_t state, Value warp) -> Value {
    Value offset = frame.add(row, frame.constant(int64_t(state) * warps));
    return LLVM::GEPOp::create(b, loc, shared.getType(), b.getI64Type(), shared,
                               ValueRange{frame.add(offset, warp)});
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
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                        frame.constant(0));
  auto store = scf::IfOp::create(b, loc, isFirst);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(store.thenBlock());
    for (auto [index, state] : llvm::enumerate(states))
      LLVM::StoreOp::create(b, loc, toBits(b, loc, state), slot(index, warp),
                            /*alignment=*/kSlotBytes);
  }
  gpu::BarrierOp::create(b, loc);
  // Every warp folds the warps' results: a lane takes that of one warp.
  Value source = arith::RemUIOp::create(b, loc, lane, frame.constant(warps));
  for (auto [index, state] : llvm::enumerate(states)) {
    Type type = state.getType();
    Type bits = b.getIntegerType(std::max(32u, type.getIntOrFloatBitWidth()));
    state = fromBits(b, loc,
                     LLVM::LoadOp::create(b, loc, bits, slot(index, source),
                                          /*alignment=*/kSlotBytes),
                     type);
  }
  return combineLanes(states, warps, combine);
}

Value RowTeam::emitElectWriter() {
  if (frame.kernel.getWritesOverInput()) {
    if (frame.cluster > 1)
      emitClusterBarrier();
    else if (threads > kWarpThreads)
      gpu::BarrierOp::create(frame.builder, frame.loc);
  }
  return arith::CmpIOp::create(frame.builder, frame.loc,
                               arith::CmpIPredicate::eq, number,
                               frame.constant(0));
}
