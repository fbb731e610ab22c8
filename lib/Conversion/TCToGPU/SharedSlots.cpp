//===- SharedSlots.cpp - Memory of a block in slots of 8 bytes ------------===//

#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

Value tc::toMemory(OpBuilder &b, Location loc, Value value) {
  if (!getElementTypeOrSelf(value).isInteger(1))
    return value;
  Type i8 = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    i8 = vector.clone(i8);
  return arith::ExtUIOp::create(b, loc, i8, value);
}

Value tc::fromMemory(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : Value(arith::TruncIOp::create(b, loc, type, value));
}

void Slots::storeWhere(Value condition, ValueRange states, At at) const {
  scf::IfOp::create(frame->builder, frame->loc, condition,
                    [&](OpBuilder &b, Location loc) {
                      for (auto [index, state] : llvm::enumerate(states))
                        store(toMemory(b, loc, state), at(index));
                      scf::YieldOp::create(b, loc);
                    });
}

SmallVector<Value> Slots::load(ValueRange like, At at) const {
  auto &b = frame->builder;
  SmallVector<Value> states;
  for (auto [index, state] : llvm::enumerate(like)) {
    Type stored = toMemory(b, frame->loc, state).getType();
    states.push_back(
        fromMemory(b, frame->loc, load(stored, at(index)), state.getType()));
  }
  return states;
}
