//===- TransposeTile.cpp - A tile of an input in shared memory ------------===//
//
// A thread's granules are at constant distances from each other: copies of a
// tile that is all there are one instruction each.
//
//===----------------------------------------------------------------------===//

#include "TransposeTile.h"
#include "../KernelEmission/Loops.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

TransposeTile::TransposeTile(GPUFrame &frame, ReadOp read,
                             const TiledTranspose &roles,
                             GPUTransposeScheduleAttr schedule)
    : read(read), frame(frame), roles(roles), schedule(schedule),
      element(read.getResult().getType()),
      elementBytes(getElementBytes(element)),
      stride(*getElementStride(cast<ShapedType>(read.getSource().getType()),
                               read.getMap(), roles.lanesDim)),
      memory(frame.allocateShared(
          getTransposeBytes(schedule.getTile(), schedule.getRows(),
                            schedule.getVectorWidth(), elementBytes))) {}

Value TransposeTile::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(frame.builder, frame.loc, pointer.getType(),
                             frame.builder.getI8Type(), pointer,
                             ValueRange{bytes});
}

Value TransposeTile::roundDown(Value number) {
  return arith::AndIOp::create(frame.builder, frame.loc, number,
                               frame.constant(-kGranuleBytes));
}

void TransposeTile::place(Scope &scope, const Place &place) {
  auto &b = frame.builder;
  at = place;
  PointEmitter reader(frame, roles.rowDim, /*laneCount=*/1);
  Scope corner(scope);
  corner.bind(roles.rowDim, at.rowLow);
  corner.bind(roles.lanesDim, frame.sub(at.laneLow, frame.constant(at.early)));
  Value generic = reader.access.pointerTo(read, corner);
  auto toGlobal = [&](Value pointer) -> Value {
    constexpr unsigned kGlobal = unsigned(NVVM::NVVMMemorySpace::Global);
    return LLVM::AddrSpaceCastOp::create(
        b, frame.loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
        pointer);
  };
  first = toGlobal(generic);
  end = toGlobal(reader.access.endOf(read.getSource()));
  inputPitch = frame.mul(frame.size(stride), frame.constant(elementBytes));
  Value rows =
      frame.constant(getTransposePitch(schedule.getRows(), elementBytes));
  if (at.isAligned) {
    rest = frame.constant(0);
    pitch = frame.constant(schedule.getRows() * elementBytes);
    skew = getTransposeSkew(schedule.getVectorWidth(), elementBytes);
    return;
  }
  auto getRest = [&](Value number) -> Value {
    return arith::AndIOp::create(b, frame.loc, number,
                                 frame.constant(kGranuleBytes - 1));
  };
  rest = getRest(LLVM::PtrToIntOp::create(b, frame.loc, b.getI64Type(), first));
  pitch = frame.add(rows, getRest(inputPitch));
  skew = 0;
}

/// Bytes from the tile's memory to row number `row`.
Value TransposeTile::rowBytes(Value row) {
  Value bytes = frame.add(rest, frame.mul(row, pitch));
  if (skew == 0)
    return bytes;
  Value groups = arith::DivUIOp::create(
      frame.builder, frame.loc, row, frame.constant(schedule.getVectorWidth()));
  return frame.add(bytes, frame.mul(groups, frame.constant(skew)));
}

Value TransposeTile::emitIsInside() {
  if (at.isAligned)
    return {};
  auto &b = frame.builder;
  Value most =
      frame.constant(getTransposePitch(schedule.getRows(), elementBytes));
  Value last = frame.constant(schedule.getTile() + at.early - 1);
  auto toInteger = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(b, frame.loc, b.getI64Type(), pointer);
  };
  auto endsInside = [&](Value row) -> Value {
    return arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::ule,
                                 toInteger(offset(row, most)), toInteger(end));
  };
  return arith::AndIOp::create(
      b, frame.loc, endsInside(first),
      endsInside(offset(first, frame.mul(last, inputPitch))));
}

/// Copies granule number `granule` of the row that is `rows` after `row`.
void TransposeTile::copy(Scope &scope, Value row, int64_t rows, Value granule,
                         Way way) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  // So many rows further on, a granule is as far into its row.
  bool isPeriod = rows * elementBytes % kGranuleBytes == 0 &&
                  (skew == 0 || rows % schedule.getVectorWidth() == 0);
  Value rest = frame.constant(isPeriod ? rows : 0);
  if (!isPeriod)
    row = frame.add(row, frame.constant(rows));
  Value later = frame.mul(granule, frame.constant(kGranuleBytes));
  Value begin = offset(first, frame.mul(row, inputPitch));
  Value from = offset(LLVM::PtrMaskOp::create(b, loc, begin.getType(), begin,
                                              frame.constant(-kGranuleBytes)),
                      later);
  from = offset(from, frame.mul(rest, inputPitch));
  Value bytes = rowBytes(row);
  Value to = offset(memory, frame.add(roundDown(bytes), later));
  Value further = frame.mul(rest, pitch);
  if (isPeriod && skew > 0)
    further = frame.add(
        further, frame.constant(rows / schedule.getVectorWidth() * skew));
  to = offset(to, further);
  auto emit = [&](Value count) {
    NVVM::CpAsyncOp::create(b, loc, to, from, uint32_t(kGranuleBytes),
                            NVVM::LoadCacheModifierKind::CG, count);
  };
  if (way == Way::Registers) {
    auto type = VectorType::get({kGranuleBytes}, b.getI8Type());
    Value value = LLVM::LoadOp::create(b, loc, type, from, kGranuleBytes);
    loaded.emplace_back(value, to);
    return;
  }
  if (way == Way::Async)
    return emit({});
  Value lane = frame.add(frame.sub(at.laneLow, frame.constant(at.early)),
                         frame.add(row, rest));
  Value hasRow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lane,
                                       frame.dimSize(roles.lanesDim));
  Value left = frame.mul(frame.sub(frame.dimSize(roles.rowDim), at.rowLow),
                         frame.constant(elementBytes));
  Value before = frame.sub(later, frame.sub(bytes, roundDown(bytes)));
  Value hasColumn =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, before, left);
  emitWhen(frame, scope, arith::AndIOp::create(b, loc, hasRow, hasColumn),
           [&](Scope &) {
             auto toInteger = [&](Value pointer) -> Value {
               return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), pointer);
             };
             Value there = frame.sub(toInteger(end), toInteger(from));
             emit(arith::TruncIOp::create(
                 b, loc, b.getI32Type(),
                 arith::MinSIOp::create(b, loc, there,
                                        frame.constant(kGranuleBytes))));
           });
}

/// The same of the first rows of a pass of `threads` threads, as far as the
/// tile has them.
void TransposeTile::copyGuarded(Scope &scope, Value row, int64_t rows,
                                int64_t threads, Value granule, bool isWhole) {
  int64_t left = schedule.getTile() + at.early - rows;
  Way way = isWhole ? Way::Async : Way::AsyncAsFarAsThere;
  if (left >= threads)
    return copy(scope, row, rows, granule,
                isWhole && !schedule.getAsyncCopy() ? Way::Registers : way);
  Value isThere =
      arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ult,
                            row, frame.constant(left));
  emitWhen(frame, scope, isThere,
           [&](Scope &inner) { copy(inner, row, rows, granule, way); });
}

void TransposeTile::fill(Scope &scope, bool isWhole) {
  const int64_t rows = schedule.getTile() + at.early,
                threads = schedule.getThreads(),
                granules = schedule.getRows() * elementBytes / kGranuleBytes,
                fast = std::min(threads, granules), slow = threads / fast;
  Value columns = frame.constant(fast), number = frame.threadNumber;
  Value row = arith::DivUIOp::create(frame.builder, frame.loc, number, columns);
  Value granule = frame.sub(number, frame.mul(row, columns));
  for (int64_t low = 0; low < rows; low += slow)
    for (int64_t column = 0; column < granules; column += fast)
      copyGuarded(scope, row, low, slow,
                  frame.add(granule, frame.constant(column)), isWhole);
  // Rows that begin anywhere end in one granule more.
  if (!at.isAligned)
    for (int64_t low = 0; low < rows; low += threads)
      copyGuarded(scope, number, low, threads, frame.constant(granules),
                  isWhole);
}

void TransposeTile::storeLoaded() {
  for (auto [value, to] : loaded)
    LLVM::StoreOp::create(frame.builder, frame.loc, value, to, kGranuleBytes);
  loaded.clear();
}

Value TransposeTile::emitElement(Value position, Value column) {
  Value bytes = frame.mul(column, frame.constant(elementBytes));
  return offset(memory, frame.add(rowBytes(position), bytes));
}

Value TransposeTile::gather(Value place, int64_t columns) {
  auto &b = frame.builder;
  const int64_t lanes = schedule.getVectorWidth();
  Type type = getStorageType(element);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value from = offset(offset(place, frame.mul(frame.constant(lane), pitch)),
                        frame.constant(columns * elementBytes));
    elements.push_back(
        LLVM::LoadOp::create(b, frame.loc, type, from, getAlignment(element)));
  }
  if (lanes == 1)
    return elements.front();
  return vector::FromElementsOp::create(
      b, frame.loc, VectorType::get({lanes}, type), elements);
}
