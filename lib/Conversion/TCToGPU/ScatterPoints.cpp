//===- ScatterPoints.cpp - Points that are written to computed places -----===//

#include "ScatterPoints.h"
#include "../KernelEmission/Loops.h"
#include "../KernelEmission/PointEmitter.h"
#include "TC/Analysis/TaskPlan.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

SizeExpr ScatterPoints::countPoints(ArrayRef<unsigned> dims) {
  SizeExpr count = SizeExpr::constant(b.getContext(), 1);
  for (unsigned dim : dims)
    count = count.mul(frame.kernel.getDimSize(dim));
  return count;
}

SmallVector<ScatterPoints::Group> ScatterPoints::getGroups() {
  SmallVector<Group> groups;
  for (ArrayRef<WriteOp> writes :
       getWriteGroups(frame.kernel, frame.dims, outer)) {
    DimSet open = frame.dims.ofWrite(writes.front());
    open.reset(outer);
    Group &group = groups.emplace_back();
    group.writes.assign(writes.begin(), writes.end());
    group.dims.assign(open.set_bits().begin(), open.set_bits().end());
    group.count = countPoints(group.dims);
  }
  return groups;
}

/// Whether the point is written at all; null where it always is.
Value ScatterPoints::isAccessed(const Address &address) {
  if (address.mask && address.exists)
    return arith::AndIOp::create(b, loc, address.mask, address.exists);
  return address.mask ? address.mask : address.exists;
}

/// The number of the element, in its buffer, that `write` stores to; -1 where
/// it stores nothing.
Value ScatterPoints::emitNumber(WriteOp write, Value isPoint, Scope &scope) {
  Address address = points.access.addressOf(write, scope);
  auto toInteger = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
  };
  Value bytes = frame.sub(toInteger(address.pointer),
                          toInteger(frame.pointer(write.getDestination())));
  auto type = cast<ShapedType>(write.getDestination().getType());
  Value number = arith::DivSIOp::create(
      b, loc, bytes, frame.constant(getElementBytes(type.getElementType())));
  if (Value accessed = isAccessed(address))
    isPoint = arith::AndIOp::create(b, loc, isPoint, accessed);
  return arith::SelectOp::create(b, loc, isPoint, number, frame.constant(-1));
}

/// A word with bit i set where lane i of the warp has `bit`.
Value ScatterPoints::gatherBits(Value bit) {
  Type i32 = b.getI32Type();
  Value lane = arith::TruncIOp::create(
      b, loc, i32,
      arith::AndIOp::create(b, loc, frame.threadNumber,
                            frame.constant(kWarpThreads - 1)));
  Value word = arith::ShLIOp::create(
      b, loc, arith::ExtUIOp::create(b, loc, i32, bit), lane);
  for (int64_t offset = kWarpThreads / 2; offset > 0; offset /= 2) {
    Value other = gpu::ShuffleOp::create(b, loc, word, offset, kWarpThreads,
                                         gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    word = arith::OrIOp::create(b, loc, word, other);
  }
  return word;
}

/// The high bits of a product with the golden ratio: numbers that differ by a
/// multiple of a power of two have different owners as well.
Value ScatterPoints::emitOwner(Value number, int64_t owners) {
  constexpr int64_t kGoldenRatio = -7046029254386353131;
  constexpr int64_t kShift = 40;
  Value mixed = arith::ShRUIOp::create(
      b, loc, frame.mul(number, frame.constant(kGoldenRatio)),
      frame.constant(kShift));
  return arith::AndIOp::create(b, loc, mixed, frame.constant(owners - 1));
}
