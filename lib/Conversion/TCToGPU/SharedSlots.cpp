//===- SharedSlots.cpp - Memory of a block in slots of 8 bytes ------------===//

#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

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
