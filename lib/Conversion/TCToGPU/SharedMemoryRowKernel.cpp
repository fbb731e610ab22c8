//===- SharedMemoryRowKernel.cpp - Rows in shared memory ------------------===//
//
// Rows that begin anywhere, short ones and ones with a stride take many
// instructions where each thread loads its part of them. The copy engine moves
// a block's rows to shared memory as the bytes that they are; from there
// threads take one element at a time, and results go the same way back.
//
//===----------------------------------------------------------------------===//

#include "SharedMemoryRowKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "BulkCopies.h"
#include "RowTeam.h"
#include "TC/Analysis/FoldParts.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/SharedMemoryRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

namespace {
class SharedRowsEmitter {
public:
  SharedRowsEmitter(GPUFrame &frame, GPUSharedMemoryRowScheduleAttr schedule);
  LaunchShape emit();

private:
  void placeRows();
  void emitInShared(Scope &scope);
  void emitStreamed(Scope &scope);
  void copyIn(Scope &scope);
  void startCopies(Scope &scope, bool isRowByRow);
  void copyOut(Scope &scope);
  void bindRow(Scope &scope, RowTeam &team);
  void takeFromShared(PointEmitter &emitter, Scope &scope, Value local);
  Value locate(const SharedMemoryRows::Input &input, Value place, Scope &scope,
               Value local);

  template <typename Access> Value globalAddress(Access access, Scope &scope);
  void bindStart(Scope &at, Value row);
  Value endOf(ReadOp read, Scope &scope);
  Value addressAt(Scope &scope, Value row, int64_t bytes);
  bool copiesRowByRow() const;

  Value toI32(Value value) {
    return arith::TruncIOp::create(frame.builder, frame.loc,
                                   frame.builder.getI32Type(), value);
  }
  Value add32(Value a, Value b) {
    return arith::AddIOp::create(frame.builder, frame.loc, a, b);
  }
  Value mul32(Value a, Value b) {
    return arith::MulIOp::create(frame.builder, frame.loc, a, b);
  }
  Value number32(int64_t value) {
    return arith::ConstantIntOp::create(frame.builder, frame.loc, value, 32);
  }
  Value isBelow(Value low, Value high) {
    return arith::CmpIOp::create(frame.builder, frame.loc,
                                 arith::CmpIPredicate::slt, low, high);
  }

  GPUFrame &frame;
  GPUSharedMemoryRowScheduleAttr schedule;
  const unsigned dim;
  SharedMemoryRows rows;
  SmallVector<unsigned> dims; ///< of the rows
  SizeExpr count;             ///< of the rows
  std::optional<BulkCopies> copies;
  SmallVector<Value> inputs, outputs; ///< their places in shared memory (i32)
  Value first, present; ///< the block's first row, and how many it has (i64)
};
} // namespace

SharedRowsEmitter::SharedRowsEmitter(GPUFrame &frame,
                                     GPUSharedMemoryRowScheduleAttr schedule)
    : frame(frame), schedule(schedule), dim(schedule.getVectorDim()),
      rows(*SharedMemoryRows::find(frame.kernel, dim)),
      count(countRows(frame.kernel)) {
  DimSet outer = getOuterDims(frame.kernel, frame.dims);
  dims.append(outer.set_bits_begin(), outer.set_bits_end());
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Binds the first point of row number `row`.
void SharedRowsEmitter::bindStart(Scope &at, Value row) {
  bindDigits(frame, at, dims, row);
  at.bind(dim, frame.constant(0));
}

/// The address (i64) of a read or a write at the point of `scope`.
template <typename Access>
Value SharedRowsEmitter::globalAddress(Access access, Scope &scope) {
  PointEmitter points(frame, std::nullopt, 1);
  return LLVM::PtrToIntOp::create(frame.builder, frame.loc,
                                  frame.builder.getI64Type(),
                                  points.access.pointerTo(access, scope));
}

/// The address (i64) behind the last element that the kernel reads.
Value SharedRowsEmitter::endOf(ReadOp read, Scope &scope) {
  Scope last(scope);
  Value one = frame.constant(1);
  for (unsigned row : dims)
    last.bind(row, frame.sub(frame.dimSize(row), one));
  last.bind(dim, frame.sub(frame.dimSize(dim), one));
  int64_t bytes = getElementBytes(read.getResult().getType());
  return frame.add(globalAddress(read, last), frame.constant(bytes));
}

/// Gives every input and result its place.
void SharedRowsEmitter::placeRows() {
  SizeExpr offset = SizeExpr::constant(frame.kernel.getContext(), 0);
  int64_t count = schedule.getRows();
  Value base = frame.sharedAddressOf(
      frame.allocateShared(rows.getArea(frame.kernel, count)
                               .getConstant()
                               .value_or(schedule.getBytes())));
  auto place = [&](SizeExpr area) {
    Value here = add32(base, toI32(frame.size(offset)));
    offset = offset.add(area);
    return here;
  };
  for (const SharedMemoryRows::Input &input : rows.inputs)
    inputs.push_back(place(rows.getArea(frame.kernel, input, count)));
  for (WriteOp output : rows.outputs)
    outputs.push_back(place(rows.getArea(frame.kernel, output, count)));
}

/// The address in shared memory (i32) of the first element of an input's row:
/// row number `local` (i64) of the block, which `scope` binds.
Value SharedRowsEmitter::locate(const SharedMemoryRows::Input &input,
                                Value place, Scope &scope, Value local) {
  Scope at(scope);
  at.bind(dim, frame.constant(0));
  if (!input.hasRows || input.isOnePiece)
    bindStart(at, first);
  Value offset = copies->offsetInUnit(globalAddress(input.read, at));
  place = add32(place, offset);
  if (!input.hasRows)
    return place;
  SizeExpr pitch = input.isOnePiece ? rows.getRowBytes(frame.kernel, input)
                                    : rows.getPitch(frame.kernel, input);
  return add32(place, mul32(toI32(local), toI32(frame.size(pitch))));
}

/// The address (i32) of the scope's element, of `bytes` bytes with what is up
/// to the next, in the row that begins at `row`.
Value SharedRowsEmitter::addressAt(Scope &scope, Value row, int64_t bytes) {
  return add32(row, mul32(toI32(scope.indices[dim]), number32(bytes)));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

bool SharedRowsEmitter::copiesRowByRow() const {
  return llvm::any_of(rows.inputs, [](const SharedMemoryRows::Input &input) {
    return input.hasRows && !input.isOnePiece;
  });
}

/// Starts this thread's copies: that of the row of its number of inputs that
/// are copied row by row, and of the first thread those of the others.
void SharedRowsEmitter::startCopies(Scope &scope, bool isRowByRow) {
  auto &b = frame.builder;
  Value zero = number32(0), one = frame.constant(1),
        last = frame.sub(frame.size(count), one);
  SmallVector<BulkCopies::Piece> pieces;
  for (auto [input, place] : llvm::zip_equal(rows.inputs, inputs)) {
    int64_t bytes = getElementBytes(input.read.getResult().getType());
    bool isOwnRow = input.hasRows && !input.isOnePiece;
    Value row = first, length = toI32(input.hasRows ? present : one),
          to = place;
    if (isOwnRow) {
      row = arith::MinSIOp::create(b, frame.loc,
                                   frame.add(first, frame.threadNumber), last);
      length = number32(1);
      SizeExpr pitch = rows.getPitch(frame.kernel, input);
      to = add32(place,
                 mul32(toI32(frame.threadNumber), toI32(frame.size(pitch))));
    }
    // Behind the last element there is nothing to copy.
    length =
        mul32(length, toI32(frame.size(rows.getRowBytes(frame.kernel, input))));
    length = arith::MaxSIOp::create(
        b, frame.loc, add32(length, number32((1 - input.stride) * bytes)),
        zero);
    if (isRowByRow) {
      Value isMine = isOwnRow ? isBelow(frame.threadNumber, present)
                              : frame.isZero(frame.threadNumber);
      length = arith::SelectOp::create(b, frame.loc, isMine, length, zero);
    }
    Scope at(scope);
    bindStart(at, row);
    ReadOp read = input.read;
    pieces.push_back({read.getResult().getType(), globalAddress(read, at), to,
                      length, endOf(read, scope)});
  }
  copies->emitStart(pieces);
}

void SharedRowsEmitter::copyIn(Scope &scope) {
  auto &b = frame.builder;
  bool isRowByRow = copiesRowByRow();
  Value isFirst = frame.isZero(frame.threadNumber);
  emitWhen(frame, scope, isFirst, [&](Scope &inner) {
    copies->emitInit();
    if (!isRowByRow)
      startCopies(inner, isRowByRow);
  });
  gpu::BarrierOp::create(b, frame.loc);
  if (isRowByRow) {
    Value starts =
        isBelow(frame.threadNumber, frame.constant(schedule.getRows()));
    emitWhen(frame, scope, starts,
             [&](Scope &inner) { startCopies(inner, isRowByRow); });
  }
  copies->emitWait();
}

void SharedRowsEmitter::copyOut(Scope &scope) {
  if (outputs.empty())
    return;
  copies->emitPublish();
  gpu::BarrierOp::create(frame.builder, frame.loc);
  for (auto [output, place] : llvm::zip_equal(rows.outputs, outputs)) {
    Scope at(scope);
    bindStart(at, first);
    Value length =
        mul32(toI32(present),
              toI32(frame.size(rows.getRowBytes(frame.kernel, output))));
    copies->emitStore({output.getValue().getType(), globalAddress(output, at),
                       place, length, /*bufferEnd=*/Value()});
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Binds the row of a team. Threads of rows that are not there compute what
/// happens to be in shared memory, and store nothing in global memory.
void SharedRowsEmitter::bindRow(Scope &scope, RowTeam &team) {
  Value row = frame.add(first, team.getRow()), all = frame.size(count);
  auto constant = count.getConstant();
  if (!constant || *constant % schedule.getRows() != 0) {
    if (rows.outputs.size() <
        size_t(llvm::range_size(frame.kernel.getBodyBlock().getOps<WriteOp>())))
      scope.present = isBelow(row, all);
    row = arith::MinSIOp::create(frame.builder, frame.loc, row,
                                 frame.sub(all, frame.constant(1)));
  }
  bindDigits(frame, scope, dims, row);
}

/// Makes elements of inputs and results those in shared memory.
void SharedRowsEmitter::takeFromShared(PointEmitter &emitter, Scope &scope,
                                       Value local) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  for (auto [input, place] : llvm::zip_equal(rows.inputs, inputs)) {
    Value row = locate(input, place, scope, local);
    Type element = ReadOp(input.read).getResult().getType();
    int64_t bytes = getElementBytes(element), step = input.stride * bytes;
    emitter.provide(
        ReadOp(input.read).getResult(),
        [this, &b, loc, row, element, bytes, step](Scope &at) -> Value {
          Value from = addressAt(at, row, step);
          if (at.readable) // beyond the row is beyond the memory, perhaps
            from = arith::SelectOp::create(b, loc, at.readable, from, row);
          Value stored = LLVM::LoadOp::create(b, loc, getStorageType(element),
                                              copies->pointerTo(from), bytes);
          return widen(frame, stored, element);
        });
  }
  for (auto [output, place] : llvm::zip_equal(rows.outputs, outputs)) {
    Scope at(scope);
    bindStart(at, first);
    Value offset = copies->offsetInUnit(globalAddress(output, at));
    SizeExpr pitch = rows.getRowBytes(frame.kernel, output);
    Value row = add32(add32(place, offset),
                      mul32(toI32(local), toI32(frame.size(pitch))));
    emitter.provideStore(output, [this, &emitter, &b, loc, row,
                                  output = output](Scope &at) {
      WriteOp write = output;
      Type element = write.getValue().getType();
      int64_t bytes = getElementBytes(element);
      Value stored = narrow(frame, emitter.emit(write.getValue(), at), element);
      auto store = [&] {
        LLVM::StoreOp::create(b, loc, stored,
                              copies->pointerTo(addressAt(at, row, bytes)),
                              bytes);
      };
      if (!at.present)
        return store();
      frame.emitIf(at.present, store);
    });
  }
}

void SharedRowsEmitter::emitInShared(Scope &scope) {
  bool isRowByRow = copiesRowByRow();
  copies.emplace(frame, isRowByRow ? schedule.getRows() : 1);
  placeRows();
  copyIn(scope);
  RowTeam team(frame, dim, schedule.getThreads());
  PointEmitter emitter(frame, dim, /*laneCount=*/1);
  emitter.team = &team;
  emitter.holdsRow = schedule.getHeld();
  emitter.units = schedule.getUnits();
  bindRow(scope, team);
  takeFromShared(emitter, scope, team.getRow());
  emitWrites(emitter, scope);
  copyOut(scope);
}

/// Rows that do not fit are computed one after the other by all threads.
void SharedRowsEmitter::emitStreamed(Scope &scope) {
  RowTeam team(frame, dim, frame.threads);
  emitSteps(frame, scope, first, frame.add(first, present), 1,
            [&](Scope &inner, Value row) {
              PointEmitter emitter(frame, dim, /*laneCount=*/1);
              emitter.team = &team;
              bindDigits(frame, inner, dims, row);
              emitWrites(emitter, inner);
            });
}

LaunchShape SharedRowsEmitter::emit() {
  MLIRContext *context = frame.kernel.getContext();
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.count = count.ceilDiv(SizeExpr::constant(context, schedule.getRows()));
  shape.grain = SizeExpr::constant(context, 1);
  Scope root(frame);
  Value most = frame.constant(schedule.getRows());
  first = frame.mul(frame.blockNumber, most);
  present = arith::MinSIOp::create(frame.builder, frame.loc, most,
                                   frame.sub(frame.size(count), first));
  SizeExpr area = rows.getArea(frame.kernel, schedule.getRows());
  if (area.isConstant()) {
    emitInShared(root);
    return shape;
  }
  Value fits = arith::CmpIOp::create(
      frame.builder, frame.loc, arith::CmpIPredicate::sle, frame.size(area),
      frame.constant(schedule.getBytes()));
  emitEither(
      frame, root, fits, [&](Scope &scope) { emitInShared(scope); },
      [&](Scope &scope) { emitStreamed(scope); });
  return shape;
}

LaunchShape
tc::emitSharedMemoryRowKernel(GPUFrame &frame,
                              GPUSharedMemoryRowScheduleAttr schedule) {
  return SharedRowsEmitter(frame, schedule).emit();
}
