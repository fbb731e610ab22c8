//===- CopiedRow.cpp - A thread's vectors in shared memory ----------------===//

#include "CopiedRow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tc;

CopiedRow::CopiedRow(GPUFrame &frame, const RowCopies &copies,
                     GPURowScheduleAttr schedule)
    : frame(frame), copies(copies) {
  Value memory = frame.allocateDynamicShared(copies.getBytes(schedule));
  int64_t offset = 0;
  for (ReadOp read : copies.reads) {
    int64_t bytes = copies.getVectorBytes(read);
    Value place =
        frame.add(frame.constant(offset),
                  frame.mul(frame.threadNumber, frame.constant(bytes)));
    first[read] =
        LLVM::GEPOp::create(frame.builder, frame.loc, memory.getType(),
                            frame.builder.getI8Type(), memory, place);
    offset += bytes * schedule.getUnits() * frame.threads;
  }
}

Value CopiedRow::placeOf(ReadOp read, int64_t unit) {
  // Neighbouring threads' places are neighbours: no two meet in a bank.
  int64_t bytes = unit * frame.threads * copies.getVectorBytes(read);
  Value base = first[read];
  return LLVM::GEPOp::create(frame.builder, frame.loc, base.getType(),
                             frame.builder.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

void CopiedRow::copy(PointEmitter &emitter, ReadOp read, Scope &unit) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t bytes = copies.getVectorBytes(read);
  auto global = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  Value from = LLVM::AddrSpaceCastOp::create(
      b, loc, global, emitter.access.pointerTo(read, unit));
  // Of a vector that is not there no byte is read, and zeros are its place's.
  Value count;
  if (unit.readable)
    count = arith::SelectOp::create(
        b, loc, unit.readable, arith::ConstantIntOp::create(b, loc, bytes, 32),
        arith::ConstantIntOp::create(b, loc, 0, 32));
  constexpr int64_t kVectorBytes = 16;
  Value to = placeOf(read, unitNumbers.at(&unit));
  if (bytes == kVectorBytes && !count && emitter.evictsInputsLast &&
      emitter.access.variesEverywhere(read)) {
    frame.emitAssembly(
        Type(), {frame.sharedAddressOf(to), from, frame.getKeepingPolicy()},
        "cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;", "r,l,l",
        /*isPure=*/false);
    return;
  }
  auto modifier = bytes == kVectorBytes ? NVVM::LoadCacheModifierKind::CG
                                        : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, loc, to, from, uint32_t(bytes), modifier, count);
}

void CopiedRow::emitCopies(PointEmitter &emitter, Scope &row) {
  auto &b = frame.builder;
  emitter.emitHeldRow(row, copies.alignment.dim, {},
                      [&](Scope &unit, ValueRange) {
                        unitNumbers.try_emplace(&unit, unitNumbers.size());
                        for (ReadOp read : copies.reads)
                          copy(emitter, read, unit);
                        return SmallVector<Value>();
                      });
  NVVM::CpAsyncCommitGroupOp::create(b, frame.loc);
  for (ReadOp read : copies.reads) {
    Type element = read.getResult().getType();
    emitter.provide(read.getResult(), [this, read, element](Scope &unit) {
      Value stored = LLVM::LoadOp::create(
          frame.builder, frame.loc,
          getLaneType(getStorageType(element), copies.alignment.lanes),
          placeOf(read, unitNumbers.at(&unit)),
          unsigned(copies.getVectorBytes(read)));
      return widen(frame, stored, element);
    });
  }
}

void CopiedRow::emitWait() {
  NVVM::CpAsyncWaitGroupOp::create(frame.builder, frame.loc, 0);
}
