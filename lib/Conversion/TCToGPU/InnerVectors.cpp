//===- InnerVectors.cpp - Vectors away from all ends ----------------------===//

#include "InnerVectors.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

/// The conditions that depend on the lanes of `scope`.
static llvm::SetVector<IntegerSet> findConditions(KernelFrame &frame,
                                                  const Scope &scope) {
  llvm::SetVector<IntegerSet> sets;
  auto add = [&](std::optional<IntegerSet> set) {
    if (set && KernelDims::ofSet(*set, frame.kernel.getNumDims())
                   .test(scope.lanes->dim))
      sets.insert(*set);
  };
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (auto read = dyn_cast<ReadOp>(op))
      add(read.getWithin());
    if (auto write = dyn_cast<WriteOp>(op))
      add(write.getWithin());
    if (auto within = dyn_cast<WithinOp>(op))
      add(within.getSet());
  }
  return sets;
}

/// Whether the granules around the lanes of `read` end in its buffer, where it
/// is read.
static Value emitEndsInBuffer(PointEmitter &emitter, ReadOp read,
                              Scope &scope) {
  KernelFrame &frame = emitter.frame;
  auto &b = frame.builder;
  Location loc = frame.loc;
  Type i64 = b.getI64Type();
  int64_t bytes =
              scope.lanes->count * getElementBytes(read.getResult().getType()),
          most = bytes + std::min(bytes, UnalignedVectors::kGranuleBytes);
  Value pointer = LLVM::PtrToIntOp::create(
            b, loc, i64, emitter.access.pointerTo(read, scope)),
        end = LLVM::PtrToIntOp::create(b, loc, i64,
                                       emitter.access.endOf(read.getSource()));
  Value ends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, pointer,
                                     frame.sub(end, frame.constant(most)));
  auto set = read.getWithin();
  if (!set)
    return ends;
  Value isRead = emitInside(frame, *set, scope, /*masks=*/nullptr,
                            emitter.hasAlignedLanes(scope));
  Value isNot = arith::XOrIOp::create(
      b, loc, isRead, arith::ConstantIntOp::create(b, loc, 1, 1));
  return arith::OrIOp::create(b, loc, isNot, ends);
}

FailureOr<Value> tc::emitAreInner(PointEmitter &emitter, Scope &scope,
                                  Value areThere) {
  KernelFrame &frame = emitter.frame;
  Value areInner = areThere;
  auto add = [&](Value condition) {
    if (condition)
      areInner = restrictMask(frame.builder, frame.loc, areInner, condition);
  };
  for (IntegerSet set : findConditions(frame, scope)) {
    FailureOr<Value> agree =
        emitDoLanesAgree(frame, set, scope, emitter.hasAlignedLanes(scope));
    if (failed(agree))
      return failure();
    add(*agree);
  }
  Scope inner(scope);
  inner.lanes->mask = nullptr;
  inner.lanes->areInner = true;
  for (ReadOp read : frame.kernel.getBodyBlock().getOps<ReadOp>())
    if (emitter.access.loadsUnaligned(read, scope))
      add(emitEndsInBuffer(emitter, read, inner));
  return areInner;
}
