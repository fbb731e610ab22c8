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

/// Owners are the high bits of a product with the golden ratio: numbers that
/// differ by a multiple of a power of two have different ones as well.
Value ScatterPoints::isOwned(Value number, Value owner, int64_t owners) {
  constexpr int64_t kGoldenRatio = -7046029254386353131;
  constexpr int64_t kShift = 40;
  Value mixed = arith::ShRUIOp::create(
      b, loc, frame.mul(number, frame.constant(kGoldenRatio)),
      frame.constant(kShift));
  mixed = arith::AndIOp::create(b, loc, mixed, frame.constant(owners - 1));
  return arith::AndIOp::create(
      b, loc, compare(arith::CmpIPredicate::sge, number, frame.constant(0)),
      compare(arith::CmpIPredicate::eq, mixed, owner));
}

SmallVector<Slots> ScatterPoints::shareNumbers(const Group &group) {
  SmallVector<Slots> numbers;
  for (size_t i = 0; i < group.writes.size(); ++i)
    numbers.push_back(Slots::share(frame, frame.threads));
  return numbers;
}

void ScatterPoints::emitChunks(
    const Group &group, Scope &scope,
    function_ref<void(Scope &, Value first, Value count)> body) {
  Value count = frame.size(group.count);
  emitSteps(frame, scope, frame.constant(0), count, frame.threads,
            [&](Scope &inner, Value first) {
              gpu::BarrierOp::create(b, loc);
              body(inner, first, count);
            });
}

SmallVector<Value> ScatterPoints::storeNumbers(const Group &group,
                                               ArrayRef<Slots> numbers,
                                               Value first, Value count,
                                               Scope &point) {
  Value number = frame.add(first, frame.threadNumber);
  Value isPoint = compare(arith::CmpIPredicate::slt, number, count);
  bindDigits(frame, point, group.dims,
             minimum(number, frame.sub(count, frame.constant(1))));
  SmallVector<Value> elements;
  for (auto [write, slots] : llvm::zip_equal(group.writes, numbers)) {
    elements.push_back(emitNumber(write, isPoint, point));
    slots.store(elements.back(), frame.threadNumber);
  }
  return elements;
}

LaunchShape ScatterPoints::emitBlocks(
    SizeExpr count, int64_t strips,
    function_ref<void(Scope &, Value part, Value strip)> body) {
  LaunchShape shape;
  shape.count = count.mul(SizeExpr::constant(b.getContext(), strips));
  Value stripCount = frame.constant(strips);
  Scope root(frame);
  emitSteps(frame, root, frame.blockNumber, frame.size(shape.count),
            frame.blockCount, [&](Scope &scope, Value block) {
              Value part = arith::DivUIOp::create(b, loc, block, stripCount);
              body(scope, part, frame.sub(block, frame.mul(part, stripCount)));
            });
  return shape;
}
