//===- ClusterExchange.cpp - States that blocks send each other -----------===//

#include "ClusterExchange.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

static Value number(GPUFrame &frame, int64_t value) {
  return arith::ConstantIntOp::create(frame.builder, frame.loc, value, 32);
}

/// Emits `body` for the threads for which `condition` (i1) holds.
static scf::IfOp emitIf(GPUFrame &frame, Value condition,
                        llvm::function_ref<void()> body) {
  auto &b = frame.builder;
  auto made = scf::IfOp::create(b, frame.loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(made.thenBlock()->getTerminator());
  body();
  return made;
}

ClusterExchange::ClusterExchange(GPUFrame &frame) : frame(frame) {
  auto &b = frame.builder;
  setUp = emitIf(frame, frame.isZero(frame.threadNumber),
                 [&] { NVVM::FenceMbarrierInitOp::create(b, frame.loc); });
  NVVM::ClusterArriveRelaxedOp::create(b, frame.loc, UnitAttr());
}

void ClusterExchange::emitReady() {
  NVVM::ClusterWaitOp::create(frame.builder, frame.loc, UnitAttr());
}

/// The address (i32) in shared memory of a pointer to it.
Value ClusterExchange::addressOf(Value pointer) {
  return LLVM::PtrToIntOp::create(frame.builder, frame.loc,
                                  frame.builder.getI32Type(), pointer);
}

/// A barrier at which the first thread says how many bytes arrive.
Value ClusterExchange::addBarrier() {
  constexpr int64_t kBarrierBytes = 8;
  auto &b = frame.builder;
  Value barrier = frame.allocateShared(kBarrierBytes);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(cast<scf::IfOp>(setUp).thenBlock());
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
    return LLVM::InlineAsmOp::create(
               b, loc, i32, ValueRange{addressOf(pointer), to},
               "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
               /*has_side_effects=*/false, /*is_align_stack=*/false,
               LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
               ArrayAttr())
        .getRes();
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
    LLVM::InlineAsmOp::create(
        b, loc, /*resultTypes=*/TypeRange(),
        ValueRange{inOther(slot), bits, arrivals},
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [$0], $1, "
        "[$2];",
        "r,l,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
        ArrayAttr());
  }
}

SmallVector<SmallVector<Value>> ClusterExchange::exchange(ValueRange states) {
  constexpr int64_t kSlotBytes = 8, kNanoseconds = 10'000'000;
  auto &b = frame.builder;
  Location loc = frame.loc;
  auto slotCount = int64_t(states.size()) * frame.cluster;
  Value barrier = addBarrier(),
        memory = frame.allocateShared(slotCount * kSlotBytes);
  emitIf(frame, frame.isZero(frame.threadNumber), [&] {
    NVVM::MBarrierArriveExpectTxOp::create(
        b, loc, /*res=*/Type(), barrier, number(frame, slotCount * kSlotBytes),
        NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
  });
  Value sends =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                            frame.threadNumber, frame.constant(frame.cluster));
  emitIf(frame, sends, [&] { send(states, memory, barrier); });
  NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier, number(frame, 0),
                                        number(frame, kNanoseconds));
  SmallVector<SmallVector<Value>> all;
  for (int64_t rank = 0; rank < frame.cluster; ++rank)
    all.push_back(Slots(frame, memory).load(states, [&](size_t state) {
      return frame.constant(rank * int64_t(states.size()) + int64_t(state));
    }));
  return all;
}
