//===- ColumnTeam.cpp - Threads that share columns ------------------------===//

#include "ColumnTeam.h"
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

/// `value`, a scalar or a vector, with elements that memory has.
static Value toMemory(OpBuilder &b, Location loc, Value value) {
  if (!getElementTypeOrSelf(value).isInteger(1))
    return value;
  Type i8 = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    i8 = vector.clone(i8);
  return arith::ExtUIOp::create(b, loc, i8, value);
}

static Value fromMemory(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : Value(arith::TruncIOp::create(b, loc, type, value));
}

SmallVector<Value> ColumnTeam::combine(ValueRange states, Combine combine) {
  if (workers == 1)
    return SmallVector<Value>(states);
  auto &b = frame.builder;
  Location loc = frame.loc;
  gpu::BarrierOp::create(b, loc); // an earlier round has been read
  SmallVector<Value> slots;
  SmallVector<Type> types;
  auto at = [&](Value slot, Type type, Value worker) -> Value {
    Value index =
        frame.add(frame.mul(worker, frame.constant(columnThreads)), column);
    return LLVM::GEPOp::create(b, loc, slot.getType(), type, slot,
                               ValueRange{index});
  };
  for (Value state : states) {
    Value stored = toMemory(b, loc, state);
    Type type = stored.getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bytes =
        (vector ? vector.getNumElements() : 1) *
        std::max(1u, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
    slots.push_back(frame.allocateShared(bytes * frame.threads));
    types.push_back(type);
    LLVM::StoreOp::create(b, loc, stored, at(slots.back(), type, number));
  }
  gpu::BarrierOp::create(b, loc);
  SmallVector<Value> folded;
  for (int64_t worker = 0; worker < workers; ++worker) {
    SmallVector<Value> next;
    for (auto [slot, type, state] : llvm::zip_equal(slots, types, states))
      next.push_back(
          fromMemory(b, loc,
                     LLVM::LoadOp::create(
                         b, loc, type, at(slot, type, frame.constant(worker))),
                     state.getType()));
    folded = worker == 0 ? next : combine(folded, next);
  }
  return folded;
}

Value ColumnTeam::emitElectWriter() {
  if (frame.kernel.getWritesOverInput())
    gpu::BarrierOp::create(frame.builder, frame.loc);
  return arith::CmpIOp::create(frame.builder, frame.loc,
                               arith::CmpIPredicate::eq, number,
                               frame.constant(0));
}
