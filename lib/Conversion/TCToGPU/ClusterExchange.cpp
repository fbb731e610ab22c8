//===- ClusterExchange.cpp - States that blocks send each other -----------===//

#include "ClusterExchange.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tc;

static Value number(GPUFrame &frame, int64_t value) {
  return arith::ConstantIntOp::create(frame.builder, frame.loc, value, 32);
}

ClusterExchange::ClusterExchange(GPUFrame &frame) : frame(frame) {
  auto &b = frame.builder;
  setUp = frame.emitIf(frame.isZero(frame.threadNumber), [&] {
    NVVM::FenceMbarrierInitOp::create(b, frame.loc);
  });
  NVVM::ClusterArriveRelaxedOp::create(b, frame.loc, UnitAttr());
}

void ClusterExchange::emitReady() {
  NVVM::ClusterWaitOp::create(frame.builder, frame.loc, UnitAttr());
}

/// A barrier at which the first thread says how many bytes arrive.
Value ClusterExchange::addBarrier() {
  constexpr int64_t kBarrierBytes = 8;
  auto &b = frame.builder;
  Value barrier = frame.allocateShared(kBarrierBytes);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(setUp.thenBlock());
  NVVM::MBarrierInitOp::create(b, frame.loc, barrier, number(frame, 1),
                               /*predicate=*/Value());
  return barrier;
}

/// Sends this block's states to the block whose rank is this thread's number.
void ClusterExchange::send(ValueRange states, Value slots, Value barrier) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value to = arith::TruncIOp::create(b, loc, i32, frame.threadNumber);
  auto inOther = [&](Value pointer) -> Value {
    return frame.emitAssembly(i32,
                              ValueRange{frame.sharedAddressOf(pointer), to},
                              "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r");
  };
  Value arrivals = inOther(barrier);
  Slots own(frame, slots);
  Value base = frame.mul(frame.clusterRank, frame.constant(states.size()));
  for (auto [index, state] : llvm::enumerate(states)) {
    Value bits = toMemory(b, loc, state);
    unsigned width = bits.getType().getIntOrFloatBitWidth();
    bits = arith::BitcastOp::create(b, loc, b.getIntegerType(width), bits);
    if (width < 64)
      bits = arith::ExtUIOp::create(b, loc, i64, bits);
    Value slot = own.addressOf(frame.add(base, frame.constant(int64_t(index))));
    frame.emitAssembly(
        /*type=*/Type(), ValueRange{inOther(slot), bits, arrivals},
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [$0], $1, "
        "[$2];",
        "r,l,r,~{memory}", /*isPure=*/false);
  }
}

SmallVector<SmallVector<Value>> ClusterExchange::exchange(ValueRange states) {
  constexpr int64_t kSlotBytes = 8;
  auto &b = frame.builder;
  Location loc = frame.loc;
  auto slotCount = int64_t(states.size()) * frame.cluster;
  Value barrier = addBarrier(),
        memory = frame.allocateShared(slotCount * kSlotBytes);
  frame.emitIf(frame.isZero(frame.threadNumber), [&] {
    NVVM::MBarrierArriveExpectTxOp::create(
        b, loc, /*res=*/Type(), barrier, number(frame, slotCount * kSlotBytes),
        NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
  });
  Value sends =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                            frame.threadNumber, frame.constant(frame.cluster));
  frame.emitIf(sends, [&] { send(states, memory, barrier); });
  frame.emitPhaseWait(barrier);
  SmallVector<SmallVector<Value>> all;
  for (int64_t rank = 0; rank < frame.cluster; ++rank)
    all.push_back(Slots(frame, memory).load(states, [&](size_t state) {
      return frame.constant(rank * int64_t(states.size()) + int64_t(state));
    }));
  return all;
}
