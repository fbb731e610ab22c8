//===- ColumnTeam.cpp - Threads that share columns ------------------------===//

#include "ColumnTeam.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

/// The number of this thread, divided by `columnThreads`: of the worker, or the
/// rest: of the column.
template <typename Op>
static Value getPart(GPUFrame &frame, int64_t columnThreads) {
  return Op::create(frame.builder, frame.loc, frame.threadNumber,
                    frame.constant(columnThreads));
}

ColumnTeam::ColumnTeam(GPUFrame &frame, unsigned dim, int64_t columnThreads)
    : WorkerTeam(dim, getPart<arith::DivUIOp>(frame, columnThreads),
                 frame.constant(frame.threads / columnThreads),
                 frame.threads / columnThreads),
      column(getPart<arith::RemUIOp>(frame, columnThreads)), frame(frame),
      columnThreads(columnThreads) {}

Value ColumnTeam::getSlot(size_t state, Type type, Value worker) {
  auto vector = dyn_cast<VectorType>(type);
  int64_t bytes =
      (vector ? vector.getNumElements() : 1) *
      std::max(1u, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
  Value base = frame.getExchange(state, bytes * frame.threads);
  Value index =
      frame.add(frame.mul(worker, frame.constant(columnThreads)), column);
  return LLVM::GEPOp::create(frame.builder, frame.loc, base.getType(), type,
                             base, ValueRange{index});
}

void ColumnTeam::store(ValueRange states) {
  for (auto [index, state] : llvm::enumerate(states)) {
    Value stored = toMemory(frame.builder, frame.loc, state);
    LLVM::StoreOp::create(frame.builder, frame.loc, stored,
                          getSlot(index, stored.getType(), number));
  }
}

SmallVector<Value> ColumnTeam::load(ValueRange like, Value worker) {
  SmallVector<Value> states;
  for (auto [index, state] : llvm::enumerate(like)) {
    Type type = toMemory(frame.builder, frame.loc, state).getType();
    Value loaded = LLVM::LoadOp::create(frame.builder, frame.loc, type,
                                        getSlot(index, type, worker));
    states.push_back(
        fromMemory(frame.builder, frame.loc, loaded, state.getType()));
  }
  return states;
}

/// Workers leave their states in shared memory. As long as there are many, the
/// first eighth of them folds eight each; all fold the rest.
SmallVector<Value> ColumnTeam::combine(ValueRange states, ValueRange,
                                       Combine combine) {
  constexpr int64_t kFoldedTogether = 8;
  if (workers == 1)
    return SmallVector<Value>(states);
  auto &b = frame.builder;
  Location loc = frame.loc;
  gpu::BarrierOp::create(b, loc); // an earlier round has been read
  store(states);
  gpu::BarrierOp::create(b, loc);
  auto fold = [&](Value first, int64_t stride, int64_t count) {
    SmallVector<SmallVector<Value>> folded;
    for (int64_t next = 0; next < count; ++next)
      folded.push_back(
          load(states, frame.add(first, frame.constant(next * stride))));
    for (; count > 1; count /= 2)
      for (int64_t pair = 0; pair < count / 2; ++pair)
        folded[pair] = combine(folded[2 * pair], folded[2 * pair + 1]);
    return folded.front();
  };
  int64_t count = workers;
  while (count > kFoldedTogether) {
    int64_t folding = count / kFoldedTogether;
    Value folds = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        number, frame.constant(folding));
    auto branch = scf::IfOp::create(b, loc, folds);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      store(fold(number, folding, kFoldedTogether));
    }
    gpu::BarrierOp::create(b, loc);
    count = folding;
  }
  return fold(frame.constant(0), /*stride=*/1, count);
}

Value ColumnTeam::emitElectWriter() {
  if (frame.kernel.getWritesOverInput())
    gpu::BarrierOp::create(frame.builder, frame.loc);
  return frame.isZero(number);
}
