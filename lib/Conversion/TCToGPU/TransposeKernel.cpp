//===- TransposeKernel.cpp - Inputs transposed by blocks ------------------===//
//
// A tile of each transposed input is loaded by vectors along its rows and
// stored element by element, transposed, in shared memory, from where the
// results' vectors are loaded. Where memory is not aligned, each row of an
// input is loaded, and each row of the results stored, from the aligned address
// before its first element of the tile on, the results from one of two vectors,
// so that blocks do not store parts of one sector of 32 bytes: the tile in
// shared memory has room for so many elements more. Threads next to each other
// access different banks of it on either side.
//
//===----------------------------------------------------------------------===//

#include "TransposeKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
class TilesEmitter {
public:
  TilesEmitter(GPUFrame &frame, const TiledTranspose &roles,
               GPUTransposeScheduleAttr schedule);
  LaunchShape emit();

private:
  void emitTile(Scope &scope, const VectorAlignment *aligned);
  void fill(Scope &scope);
  void emitResults(Scope &scope, const VectorAlignment *aligned);
  void forUnits(Scope &scope, int64_t rows, int64_t rowVectors,
                function_ref<void(Scope &, Value slow, Value fast)> body);
  SmallVector<Value> load(Scope &scope, Value slow, Value fast);
  void store(Value slow, ValueRange loaded);
  void bindPoint(Scope &inner, Value row, Value lane);
  Value bindResult(Scope &inner, Value row, Value vector);
  bool isWhole();
  Value countLeft(Value low, unsigned dim);
  Value addressOf(size_t read, Value row, Value position);
  Value toI32(Value value);

  GPUFrame &frame;
  TiledTranspose roles;
  GPUTransposeScheduleAttr schedule;
  int64_t tile, lanes;
  UnalignedVectors unaligned{frame};
  SmallVector<unsigned> dims; ///< those without the two of the tiles
  SizeExpr rowTiles, laneTiles, count;
  SmallVector<Value> tiles; ///< in shared memory, for each transposed read
  Value rowLow, laneLow;    ///< the tile's first point
  /// Lanes that a row of the tile may begin early, and rows that vectors along
  /// the rows may: none where all are aligned.
  int64_t early, earlyRows;
  /// The tile's points along either side, and the first lane (i32).
  Value rowsLeft, lanesLeft, firstLane;
};
} // namespace

TilesEmitter::TilesEmitter(GPUFrame &frame, const TiledTranspose &roles,
                           GPUTransposeScheduleAttr schedule)
    : frame(frame), roles(roles), schedule(schedule), tile(schedule.getTile()),
      lanes(schedule.getVectorWidth()) {
  SizeExpr side = SizeExpr::constant(frame.kernel.getContext(), tile);
  rowTiles = frame.kernel.getDimSize(roles.rowDim).ceilDiv(side);
  laneTiles = frame.kernel.getDimSize(roles.lanesDim)
                  .add(SizeExpr::constant(frame.kernel.getContext(),
                                          getTransposeEarly(lanes) - 1))
                  .ceilDiv(side);
  count = rowTiles.mul(laneTiles);
  for (unsigned dim = 0; dim < frame.kernel.getNumDims(); ++dim)
    if (dim != roles.rowDim && dim != roles.lanesDim) {
      dims.push_back(dim);
      count = count.mul(frame.kernel.getDimSize(dim));
    }
}

/// Runs `body` for this thread's vectors of a tile of `rows` rows of
/// `rowVectors` vectors: `slow` is the row, `fast` the vector, which neighbours
/// have next to each other.
void TilesEmitter::forUnits(
    Scope &scope, int64_t rows, int64_t rowVectors,
    function_ref<void(Scope &, Value slow, Value fast)> body) {
  auto &b = frame.builder;
  const int64_t total = rows * rowVectors, threads = schedule.getThreads();
  for (int64_t first = 0; first < total; first += threads) {
    Value number = frame.add(frame.threadNumber, frame.constant(first));
    auto emit = [&](Scope &inner) {
      Value vectors = frame.constant(rowVectors);
      Value slow = arith::DivUIOp::create(b, frame.loc, number, vectors);
      body(inner, slow, frame.sub(number, frame.mul(slow, vectors)));
    };
    if (first + threads <= total) {
      StraightLine line(frame, scope);
      emit(scope);
    } else {
      Value isThere =
          arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::ult, number,
                                frame.constant(total));
      emitWhen(frame, scope, isThere, emit);
    }
  }
}

Value TilesEmitter::toI32(Value value) {
  return arith::TruncIOp::create(frame.builder, frame.loc,
                                 frame.builder.getI32Type(), value);
}

/// Points of `dim` from `low` on, at most those of a tile (i32).
Value TilesEmitter::countLeft(Value low, unsigned dim) {
  return toI32(arith::MinSIOp::create(frame.builder, frame.loc,
                                      frame.sub(frame.dimSize(dim), low),
                                      frame.constant(tile)));
}

/// The address in the tile of transposed read number `read`: `row` and
/// `position` count from where the tile and its rows may begin, so that no part
/// of the address is negative.
Value TilesEmitter::addressOf(size_t read, Value row, Value position) {
  Type element = roles.reads[read].getResult().getType();
  int64_t pitch = getTransposePitch(tile, lanes);
  Value offset = frame.add(frame.mul(row, frame.constant(pitch)), position);
  return LLVM::GEPOp::create(frame.builder, frame.loc, tiles[read].getType(),
                             getStorageType(element), tiles[read],
                             ValueRange{offset});
}

/// Binds `inner`, without lanes, to a point of the tile, if it is there.
void TilesEmitter::bindPoint(Scope &inner, Value row, Value lane) {
  inner.bind(roles.rowDim, frame.add(rowLow, row));
  inner.bind(roles.lanesDim, frame.add(laneLow, lane));
  for (unsigned dim : {roles.rowDim, roles.lanesDim})
    restrictTo(frame, inner,
               arith::CmpIOp::create(frame.builder, frame.loc,
                                     arith::CmpIPredicate::slt,
                                     inner.indices[dim], frame.dimSize(dim)));
}

/// Loads the aligned vector number `fast` along the rows, at lane `slow` of
/// those that the tile has: of each read its first row (i64), from where the
/// tile may begin, and what is stored.
SmallVector<Value> TilesEmitter::load(Scope &scope, Value slow, Value fast) {
  auto &b = frame.builder;
  PointEmitter reader(frame, roles.rowDim, lanes);
  Value lane = frame.sub(slow, frame.constant(early)),
        first = frame.mul(fast, frame.constant(lanes));
  SmallVector<Value> loaded;
  Scope inner(scope);
  if (lanes == 1) {
    bindPoint(inner, first, lane);
    for (ReadOp read : roles.reads)
      loaded.append({first, reader.access.emitStored(read, inner)});
    return loaded;
  }
  inner.bind(roles.rowDim, rowLow);
  inner.bind(roles.lanesDim, frame.add(laneLow, lane));
  auto isInOrder = [&](Value low, Value high) -> Value {
    return arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt, low,
                                 high);
  };
  // A vector begins less than one before the tile, and is before no row then.
  Value number = toI32(lane),
        none = arith::ConstantIntOp::create(b, frame.loc, -lanes, 32);
  Value rows = arith::SelectOp::create(
      b, frame.loc, isInOrder(number, lanesLeft), rowsLeft, none);
  if (early > 0)
    rows = arith::SelectOp::create(b, frame.loc, isInOrder(number, firstLane),
                                   none, rows);
  for (ReadOp read : roles.reads) {
    Type element = read.getResult().getType();
    Value pointer = reader.access.pointerTo(read, inner), place = first;
    if (earlyRows > 0)
      place = frame.add(first,
                        unaligned.emitElementsAfter(pointer, element, lanes));
    Value row = frame.sub(place, frame.constant(earlyRows));
    Value from =
        LLVM::GEPOp::create(b, frame.loc, pointer.getType(),
                            getStorageType(element), pointer, ValueRange{row});
    loaded.append({place, unaligned.loadAligned(
                              from, reader.access.endOf(read.getSource()),
                              toI32(row), rows, element, lanes)});
  }
  return loaded;
}

/// Stores what `load` has loaded in the tiles, transposed.
void TilesEmitter::store(Value slow, ValueRange loaded) {
  auto &b = frame.builder;
  for (size_t index = 0; index < roles.reads.size(); ++index) {
    Type type = roles.reads[index].getResult().getType();
    int64_t pitch = getTransposePitch(tile, lanes);
    Value first = addressOf(index, loaded[2 * index], slow);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value element = loaded[2 * index + 1];
      if (isa<VectorType>(element.getType()))
        element = vector::ExtractOp::create(b, frame.loc, element, lane);
      Value place = LLVM::GEPOp::create(
          b, frame.loc, first.getType(), getStorageType(type), first,
          ArrayRef<LLVM::GEPArg>{int32_t(lane * pitch)});
      LLVM::StoreOp::create(b, frame.loc, element, place);
    }
  }
}

/// Each thread's loads are under way before it stores the first, but for the
/// last ones of tiles that the threads do not divide evenly.
void TilesEmitter::fill(Scope &scope) {
  const int64_t rows = tile + early,
                rowVectors = tile / lanes + (earlyRows > 0 ? 1 : 0),
                threads = schedule.getThreads();
  struct Unit {
    Value slow;
    SmallVector<Value> loaded;
  };
  SmallVector<Unit> units;
  int64_t count = 0;
  forUnits(scope, rows, rowVectors, [&](Scope &outer, Value slow, Value fast) {
    SmallVector<Value> loaded = load(outer, slow, fast);
    count += threads;
    if (count <= rows * rowVectors)
      units.push_back({slow, loaded});
    else
      store(slow, loaded);
  });
  for (const Unit &unit : units)
    store(unit.slow, unit.loaded);
}

/// Whether every vector of the tile is aligned and in the domain.
bool TilesEmitter::isWhole() {
  return early == 0 &&
         llvm::all_of(ArrayRef{roles.rowDim, roles.lanesDim},
                      [&](unsigned dim) {
                        auto size = frame.kernel.getDimSize(dim).getConstant();
                        return size && *size % tile == 0;
                      });
}

/// Binds `inner` to vector number `vector` of row `row` of the tile's results,
/// or to no point of the last row where there is no such row; its first lane,
/// from where the row may begin.
Value TilesEmitter::bindResult(Scope &inner, Value row, Value vector) {
  auto &b = frame.builder;
  Value lane = frame.mul(vector, frame.constant(lanes));
  if (lanes == 1) {
    bindPoint(inner, row, lane);
    return lane;
  }
  Value index = frame.add(rowLow, row), size = frame.dimSize(roles.rowDim);
  inner.bind(roles.rowDim,
             arith::MinSIOp::create(b, frame.loc, index,
                                    frame.sub(size, frame.constant(1))));
  inner.bind(roles.lanesDim, laneLow);
  Value position = lane;
  if (early > 0) {
    WriteOp write = *frame.kernel.getBodyBlock().getOps<WriteOp>().begin();
    PointEmitter writer(frame, roles.lanesDim, lanes);
    position = frame.add(
        lane, unaligned.emitElementsAfter(writer.access.pointerTo(write, inner),
                                          write.getValue().getType(), early));
    lane = frame.sub(position, frame.constant(early));
  }
  inner.bind(roles.lanesDim, frame.add(laneLow, lane));
  inner.lanes = Lanes{roles.lanesDim, lanes, /*mask=*/nullptr};
  if (isWhole())
    return position;
  Value number = toI32(lane);
  auto fromLane = [&](Value end) -> Value {
    return arith::SubIOp::create(b, frame.loc, end, number);
  };
  Value isThere = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt,
                                        toI32(row), rowsLeft);
  Value high = arith::SelectOp::create(
      b, frame.loc, isThere, fromLane(lanesLeft),
      arith::ConstantIntOp::create(b, frame.loc, 0, 32));
  inner.lanes->mask = unaligned.emitMask(
      early > 0 ? fromLane(firstLane) : Value(), high, lanes);
  return position;
}

/// Computes this thread's part of the results from the tiles.
void TilesEmitter::emitResults(Scope &scope, const VectorAlignment *aligned) {
  PointEmitter writer(frame, roles.lanesDim, lanes);
  writer.unaligned = &unaligned;
  writer.aligned = aligned;
  Value row, position;
  for (auto [index, read] : llvm::enumerate(roles.reads))
    writer.provide(read.getResult(), [&, index](Scope &) -> Value {
      Type element = roles.reads[index].getResult().getType();
      Value from = addressOf(index, row, position);
      return widen(frame, unaligned.loadWords(from, element, lanes), element);
    });
  forUnits(scope, tile, tile / lanes,
           [&](Scope &outer, Value slow, Value fast) {
             Scope inner(outer);
             row = frame.add(slow, frame.constant(earlyRows));
             position = bindResult(inner, slow, fast);
             emitWrites(writer, inner);
           });
}

/// `aligned` has the results' vectors, where they and the inputs' are aligned.
void TilesEmitter::emitTile(Scope &scope, const VectorAlignment *aligned) {
  auto &b = frame.builder;
  bool isAligned = aligned || lanes == 1;
  early = isAligned ? 0 : getTransposeEarly(lanes);
  earlyRows = isAligned ? 0 : lanes;
  rowsLeft = countLeft(rowLow, roles.rowDim);
  lanesLeft = countLeft(laneLow, roles.lanesDim);
  Value isFirst = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq,
                                        laneLow, frame.constant(0));
  firstLane = arith::SelectOp::create(
      b, frame.loc, isFirst, arith::ConstantIntOp::create(b, frame.loc, 0, 32),
      arith::ConstantIntOp::create(b, frame.loc, -early, 32));
  fill(scope);
  gpu::BarrierOp::create(b, frame.loc);
  emitResults(scope, aligned);
}

LaunchShape TilesEmitter::emit() {
  auto &b = frame.builder;
  LaunchShape shape;
  shape.threads = schedule.getThreads();
  shape.count = count;
  shape.grain = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (ReadOp read : roles.reads)
    tiles.push_back(frame.allocateShared(getTransposeBytes(
        tile, lanes, getElementBytes(read.getResult().getType()))));
  // The tiles of a column of tiles follow each other.
  Scope root(frame);
  Value rest = frame.blockNumber;
  auto takeDigit = [&](SizeExpr size) {
    Value quotient =
        arith::DivUIOp::create(b, frame.loc, rest, frame.size(size));
    Value digit = frame.sub(rest, frame.mul(quotient, frame.size(size)));
    rest = quotient;
    return frame.mul(digit, frame.constant(tile));
  };
  rowLow = takeDigit(rowTiles);
  laneLow = takeDigit(laneTiles);
  bindDigits(frame, root, dims, rest);
  VectorAlignment reads(frame.kernel, roles.rowDim, lanes),
      writes(frame.kernel, roles.lanesDim, lanes);
  if (!reads.isUseful() || !writes.isUseful()) {
    emitTile(root, nullptr);
    return shape;
  }
  Value condition = emitIsAligned(frame, writes, emitIsAligned(frame, reads));
  emitEither(
      frame, root, condition,
      [&](Scope &scope) {
        // The last tile may have no lane where rows do not begin early.
        Value hasLanes =
            arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt,
                                  laneLow, frame.dimSize(roles.lanesDim));
        emitWhen(frame, scope, hasLanes,
                 [&](Scope &inner) { emitTile(inner, &writes); });
      },
      [&](Scope &scope) { emitTile(scope, nullptr); });
  return shape;
}

LaunchShape tc::emitTransposeKernel(GPUFrame &frame,
                                    const TiledTranspose &transpose,
                                    GPUTransposeScheduleAttr schedule) {
  return TilesEmitter(frame, transpose, schedule).emit();
}
