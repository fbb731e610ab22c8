//===- BulkCopies.cpp - Copies of bytes by the copy engine ----------------===//

#include "BulkCopies.h"
#include "TC/Analysis/SharedMemoryRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tc;

static constexpr int64_t kUnit = SharedMemoryRows::kUnitBytes;
static constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

BulkCopies::BulkCopies(GPUFrame &frame, int64_t arrivals)
    : frame(frame), arrivals(arrivals) {
  constexpr int64_t kBarrierBytes = 8;
  barrier = frame.allocateShared(kBarrierBytes);
}

Value BulkCopies::number(int64_t value, unsigned bits) {
  return arith::ConstantIntOp::create(frame.builder, frame.loc, value, bits);
}

Value BulkCopies::narrow(Value value) {
  return arith::TruncIOp::create(frame.builder, frame.loc,
                                 frame.builder.getI32Type(), value);
}

Value BulkCopies::alignDown(Value address) {
  return arith::AndIOp::create(frame.builder, frame.loc, address,
                               frame.constant(-kUnit));
}

Value BulkCopies::alignUp(Value address) {
  return alignDown(frame.add(address, frame.constant(kUnit - 1)));
}

Value BulkCopies::offsetInUnit(Value address) {
  return arith::AndIOp::create(frame.builder, frame.loc, narrow(address),
                               number(kUnit - 1));
}

Value BulkCopies::pointerTo(Value address) {
  auto type =
      LLVM::LLVMPointerType::get(frame.builder.getContext(), kSharedSpace);
  return LLVM::IntToPtrOp::create(frame.builder, frame.loc, type, address);
}

Value BulkCopies::globalPointer(Value address) {
  auto type =
      LLVM::LLVMPointerType::get(frame.builder.getContext(), kGlobalSpace);
  return LLVM::IntToPtrOp::create(frame.builder, frame.loc, type, address);
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

void BulkCopies::emitInit() {
  NVVM::MBarrierInitOp::create(frame.builder, frame.loc, barrier,
                               number(arrivals), /*predicate=*/Value());
  NVVM::FenceMbarrierInitOp::create(frame.builder, frame.loc);
}

/// The elements from `stop` to `end`, which are fewer than a unit: no copy of
/// units has them, as it would pass the buffer's end.
void BulkCopies::copyRest(const Piece &piece, Value unit, Value stop,
                          Value end) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  auto isLess = [&](Value low, Value high) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, low, high);
  };
  int64_t bytes = getElementBytes(piece.element);
  Type type = getStorageType(piece.element);
  frame.emitIf(isLess(stop, end), [&] {
    SmallVector<Value> places, present, loaded;
    for (int64_t at = 0; at < kUnit; at += bytes) {
      places.push_back(frame.add(stop, frame.constant(at)));
      present.push_back(isLess(places.back(), end));
      Value from = arith::SelectOp::create(b, loc, present.back(),
                                           places.back(), piece.from);
      loaded.push_back(
          LLVM::LoadOp::create(b, loc, type, globalPointer(from), bytes));
    }
    for (auto [place, isThere, value] :
         llvm::zip_equal(places, present, loaded))
      frame.emitIf(isThere, [&] {
        Value to = arith::AddIOp::create(b, loc, piece.to,
                                         narrow(frame.sub(place, unit)));
        LLVM::StoreOp::create(b, loc, value, pointerTo(to), bytes);
      });
  });
}

void BulkCopies::emitStart(ArrayRef<Piece> pieces) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  SmallVector<Value> begins, counts;
  Value all = number(0);
  for (const Piece &piece : pieces) {
    Value length = arith::ExtSIOp::create(b, loc, b.getI64Type(), piece.bytes);
    Value begin = alignDown(piece.from), end = frame.add(piece.from, length);
    Value stop = arith::MinSIOp::create(b, loc, alignUp(end),
                                        alignDown(piece.bufferEnd));
    stop = arith::MaxSIOp::create(b, loc, stop, begin);
    copyRest(piece, begin, arith::MaxSIOp::create(b, loc, stop, piece.from),
             end);
    begins.push_back(begin);
    counts.push_back(narrow(frame.sub(stop, begin)));
    all = arith::AddIOp::create(b, loc, all, counts.back());
  }
  NVVM::MBarrierArriveExpectTxOp::create(
      b, loc, /*res=*/Type(), barrier, all, NVVM::MemScopeKind::CTA,
      /*relaxed=*/false, /*predicate=*/Value());
  for (auto [piece, begin, count] : llvm::zip_equal(pieces, begins, counts)) {
    Value isAny = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, count,
                                        number(0));
    frame.emitIf(isAny, [&] {
      frame.emitAssembly(
          /*type=*/Type(),
          {piece.to, begin, count, frame.sharedAddressOf(barrier)},
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
          "bytes [$0], [$1], $2, [$3];",
          "r,l,r,r", /*isPure=*/false);
    });
  }
}

void BulkCopies::emitWait() { frame.emitPhaseWait(barrier); }

//===----------------------------------------------------------------------===//
// From shared memory
//===----------------------------------------------------------------------===//

void BulkCopies::emitPublish() {
  NVVM::FenceProxyOp::create(
      frame.builder, frame.loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(frame.builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

/// The elements from `low` to `high` (i64), fewer than a unit, one a thread.
void BulkCopies::storeEdge(const Piece &piece, Value low, Value high) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  int64_t bytes = getElementBytes(piece.element);
  Type type = getStorageType(piece.element);
  Value place =
      frame.add(low, frame.mul(frame.threadNumber, frame.constant(bytes)));
  Value isThere =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place, high);
  frame.emitIf(isThere, [&] {
    Value from = arith::AddIOp::create(
        b, loc, piece.to, narrow(frame.sub(place, alignDown(piece.from))));
    Value value = LLVM::LoadOp::create(b, loc, type, pointerTo(from), bytes);
    LLVM::StoreOp::create(b, loc, value, globalPointer(place), bytes);
  });
}

void BulkCopies::emitStore(const Piece &piece) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value length = arith::ExtSIOp::create(b, loc, b.getI64Type(), piece.bytes);
  Value end = frame.add(piece.from, length), low = alignUp(piece.from);
  Value stop = arith::MaxSIOp::create(b, loc, alignDown(end), low);
  Value isAny = arith::AndIOp::create(
      b, loc, frame.isZero(frame.threadNumber),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, low, stop));
  frame.emitIf(isAny, [&] {
    Value from = arith::AddIOp::create(
        b, loc, piece.to, narrow(frame.sub(low, alignDown(piece.from))));
    frame.emitAssembly(
        /*type=*/Type(), {low, from, narrow(frame.sub(stop, low))},
        "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;", "l,r,r",
        /*isPure=*/false);
    NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  });
  storeEdge(piece, piece.from, arith::MinSIOp::create(b, loc, low, end));
  storeEdge(piece, stop, end);
  // The engine has read what the block's memory no longer has after its end.
  NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, /*group=*/0u,
                                       /*read=*/b.getUnitAttr());
}
