//===- TransposeKernel.cpp - Inputs transposed by blocks ------------------===//
//
// A tile of each transposed input is loaded by vectors along its rows and
// stored element by element, transposed, in shared memory, from where the
// results' vectors are loaded. Where rows of the results are not aligned, each
// row of the tile begins where the results' vectors do: the tile in shared
// memory has a vector more at its beginning. Rows of the tile that one thread
// stores to are followed by room for a vector, so that threads next to each
// other access different banks.
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
  /// A position in the tile along both dimensions (i64): of the rows of the
  /// results, and of the results' lanes.
  struct Place {
    Value row, lane;
  };
  /// Which vectors are aligned; without either, all begin anywhere.
  struct Aligned {
    const VectorAlignment *reads, *writes;
  };
  void emitTile(Scope &scope, std::optional<Aligned> aligned);
  void fill(Scope &scope, std::optional<Aligned> aligned);
  void emitResults(Scope &scope, std::optional<Aligned> aligned);
  void forUnits(Scope &scope, int64_t rows, int64_t rowVectors,
                function_ref<void(Scope &, Value slow, Value fast)> body);
  void bindAligned(Scope &inner, Place place, bool alongRows);
  void bindRead(Scope &inner, Place place);
  void bindResult(Scope &inner, Place place);
  Value elementsBefore(Scope &scope, Value row);
  Value countLeft(Value low, unsigned dim);
  Value offsetOf(Value row, Value position);
  Value addressOf(size_t read, Value offset);

  GPUFrame &frame;
  TiledTranspose roles;
  GPUTransposeScheduleAttr schedule;
  int64_t tile, lanes;
  UnalignedVectors unaligned{frame};
  SmallVector<unsigned> dims; ///< those without the two of the tiles
  SizeExpr rowTiles, laneTiles, alignedTiles, count;
  SmallVector<Value> tiles; ///< in shared memory, for each transposed read
  Value rowLow, laneLow;    ///< the tile's first point
  /// Points from there on that the dimensions have, at most those of two tiles,
  /// and the first lane that they have (i32).
  Value rowsLeft, lanesLeft, firstLane;
};
} // namespace

TilesEmitter::TilesEmitter(GPUFrame &frame, const TiledTranspose &roles,
                           GPUTransposeScheduleAttr schedule)
    : frame(frame), roles(roles), schedule(schedule), tile(schedule.getTile()),
      lanes(schedule.getVectorWidth()) {
  SizeExpr side = SizeExpr::constant(frame.kernel.getContext(), tile);
  rowTiles = frame.kernel.getDimSize(roles.rowDim).ceilDiv(side);
  SizeExpr width = frame.kernel.getDimSize(roles.lanesDim);
  alignedTiles = width.ceilDiv(side);
  laneTiles =
      width.add(SizeExpr::constant(frame.kernel.getContext(), lanes - 1))
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

/// Binds a scope to the vector at `place`, whose lanes run along the rows or
/// along the results' lanes; of the points of a vector, all are there or none.
void TilesEmitter::bindAligned(Scope &inner, Place place, bool alongRows) {
  inner.bind(roles.rowDim, frame.add(rowLow, place.row));
  inner.bind(roles.lanesDim, frame.add(laneLow, place.lane));
  if (lanes > 1)
    inner.lanes = Lanes{alongRows ? roles.rowDim : roles.lanesDim, lanes,
                        /*mask=*/nullptr};
  for (unsigned dim : {roles.rowDim, roles.lanesDim}) {
    auto size = frame.kernel.getDimSize(dim).getConstant();
    if (!size || *size % tile != 0)
      restrictTo(frame, inner,
                 arith::CmpIOp::create(frame.builder, frame.loc,
                                       arith::CmpIPredicate::slt,
                                       inner.indices[dim], frame.dimSize(dim)));
  }
}

/// Binds a scope to the vector along the rows at `place`, wherever it begins.
void TilesEmitter::bindRead(Scope &inner, Place place) {
  auto &b = frame.builder;
  Type i32 = b.getI32Type();
  inner.bind(roles.rowDim, frame.add(rowLow, place.row));
  inner.bind(roles.lanesDim, frame.add(laneLow, place.lane));
  Value lane = arith::TruncIOp::create(b, frame.loc, i32, place.lane),
        row = arith::TruncIOp::create(b, frame.loc, i32, place.row);
  Value isThere = arith::AndIOp::create(
      b, frame.loc,
      arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::sge, lane,
                            firstLane),
      arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt, lane,
                            lanesLeft));
  Value high = arith::SelectOp::create(
      b, frame.loc, isThere, arith::SubIOp::create(b, frame.loc, rowsLeft, row),
      arith::ConstantIntOp::create(b, frame.loc, 0, 32));
  inner.lanes =
      Lanes{roles.rowDim, lanes, unaligned.emitMask(/*low=*/{}, high, lanes)};
}

/// Binds a scope to the vector of the results at `place`: to no point of the
/// last row where there is no such row.
void TilesEmitter::bindResult(Scope &inner, Place place) {
  auto &b = frame.builder;
  Type i32 = b.getI32Type();
  Value row = frame.add(rowLow, place.row), size = frame.dimSize(roles.rowDim);
  inner.bind(roles.rowDim,
             arith::MinSIOp::create(b, frame.loc, row,
                                    frame.sub(size, frame.constant(1))));
  inner.bind(roles.lanesDim, frame.add(laneLow, place.lane));
  Value lane = arith::TruncIOp::create(b, frame.loc, i32, place.lane);
  auto fromLane = [&](Value end) -> Value {
    return arith::SubIOp::create(b, frame.loc, end, lane);
  };
  Value isThere =
      arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt, row, size);
  Value high = arith::SelectOp::create(
      b, frame.loc, isThere, fromLane(lanesLeft),
      arith::ConstantIntOp::create(b, frame.loc, 0, 32));
  inner.lanes = Lanes{roles.lanesDim, lanes,
                      unaligned.emitMask(fromLane(firstLane), high, lanes)};
}

/// The elements of row `row` of the tile's results before the first one, from
/// where vectors of the results are aligned.
Value TilesEmitter::elementsBefore(Scope &scope, Value row) {
  WriteOp write = *frame.kernel.getBodyBlock().getOps<WriteOp>().begin();
  Scope begin(scope);
  begin.lanes.reset();
  begin.bind(roles.rowDim, frame.add(rowLow, row));
  begin.bind(roles.lanesDim, laneLow);
  PointEmitter writer(frame, roles.lanesDim, lanes);
  return unaligned.emitElementsBefore(writer.access.pointerTo(write, begin),
                                      write.getValue().getType(), lanes);
}

/// Points of `dim` from `low` on, at most those of two tiles (i32).
Value TilesEmitter::countLeft(Value low, unsigned dim) {
  auto &b = frame.builder;
  Value left =
      arith::MinSIOp::create(b, frame.loc, frame.sub(frame.dimSize(dim), low),
                             frame.constant(2 * tile));
  return arith::TruncIOp::create(b, frame.loc, b.getI32Type(), left);
}

/// Elements (i32) from a tile in shared memory to that of row `row` at
/// `position`.
Value TilesEmitter::offsetOf(Value row, Value position) {
  auto &b = frame.builder;
  Value room =
      arith::AndIOp::create(b, frame.loc, row, frame.constant(~(lanes - 1)));
  Value offset = frame.add(frame.mul(row, frame.constant(tile + lanes)),
                           frame.add(room, position));
  return arith::TruncIOp::create(b, frame.loc, b.getI32Type(), offset);
}

/// The address of an element of transposed read number `read`.
Value TilesEmitter::addressOf(size_t read, Value offset) {
  Type element = getStorageType(roles.reads[read].getResult().getType());
  return LLVM::GEPOp::create(frame.builder, frame.loc, tiles[read].getType(),
                             element, tiles[read], ValueRange{offset});
}

/// Loads this thread's part of the tiles, then stores it in shared memory.
void TilesEmitter::fill(Scope &scope, std::optional<Aligned> aligned) {
  auto &b = frame.builder;
  PointEmitter reader(frame, roles.rowDim, lanes);
  reader.unaligned = &unaligned;
  reader.aligned = aligned ? aligned->reads : nullptr;
  // A tile of unaligned results has the lanes of one vector before it.
  int64_t before = aligned || lanes == 1 ? 0 : lanes;
  auto load = [&](Scope &outer, Value slow, Value fast,
                  SmallVectorImpl<Value> &vectors) {
    Place place{frame.mul(fast, frame.constant(lanes)),
                frame.sub(slow, frame.constant(before))};
    Scope inner(outer);
    if (before == 0)
      bindAligned(inner, place, /*alongRows=*/true);
    else
      bindRead(inner, place);
    for (ReadOp read : roles.reads)
      vectors.push_back(reader.access.emitStored(read, inner));
  };
  auto store = [&](Value slow, Value fast, ArrayRef<Value> vectors) {
    Value offset = offsetOf(frame.mul(fast, frame.constant(lanes)), slow);
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (auto [index, vector] : llvm::enumerate(vectors)) {
        Value element = vector;
        if (isa<VectorType>(element.getType()))
          element = vector::ExtractOp::create(b, frame.loc, element, lane);
        Value there =
            arith::AddIOp::create(b, frame.loc, offset,
                                  arith::ConstantIntOp::create(
                                      b, frame.loc, lane * (tile + lanes), 32));
        LLVM::StoreOp::create(b, frame.loc, element, addressOf(index, there));
      }
  };
  struct Unit {
    Value slow, fast;
    SmallVector<Value> vectors; ///< of each read
  };
  SmallVector<Unit> units;
  forUnits(scope, tile, tile / lanes,
           [&](Scope &outer, Value slow, Value fast) {
             Unit &unit = units.emplace_back(Unit{slow, fast, {}});
             load(outer, slow, fast, unit.vectors);
           });
  if (before > 0)
    forUnits(scope, before, tile / lanes,
             [&](Scope &outer, Value slow, Value fast) {
               slow = frame.add(slow, frame.constant(tile));
               SmallVector<Value> vectors;
               load(outer, slow, fast, vectors);
               store(slow, fast, vectors);
             });
  for (const Unit &unit : units)
    store(unit.slow, unit.fast, unit.vectors);
}

/// Computes this thread's part of the results from the tiles.
void TilesEmitter::emitResults(Scope &scope, std::optional<Aligned> aligned) {
  auto &b = frame.builder;
  bool isShifted = !aligned && lanes > 1;
  PointEmitter writer(frame, roles.lanesDim, lanes);
  writer.unaligned = &unaligned;
  writer.aligned = aligned ? aligned->writes : nullptr;
  Value row, position;
  for (size_t index = 0; index < roles.reads.size(); ++index) {
    Type element = roles.reads[index].getResult().getType(),
         stored = getStorageType(element);
    writer.provide(
        roles.reads[index].getResult(),
        [&, index, element, stored](Scope &) -> Value {
          Value offset = offsetOf(row, position);
          if (isShifted)
            return widen(
                frame,
                unaligned.loadShared(tiles[index], offset, element, lanes),
                element);
          return widen(frame,
                       LLVM::LoadOp::create(
                           b, frame.loc, getLaneType(stored, lanes),
                           addressOf(index, offset),
                           /*alignment=*/lanes * getElementBytes(element)),
                       element);
        });
  }
  forUnits(scope, tile, tile / lanes,
           [&](Scope &outer, Value slow, Value fast) {
             row = slow;
             position = frame.mul(fast, frame.constant(lanes));
             Scope inner(outer);
             if (isShifted) {
               Value lane = frame.sub(position, elementsBefore(outer, row));
               position = frame.add(lane, frame.constant(lanes));
               bindResult(inner, {row, lane});
             } else {
               bindAligned(inner, {row, position}, /*alongRows=*/false);
             }
             emitWrites(writer, inner);
           });
}

void TilesEmitter::emitTile(Scope &scope, std::optional<Aligned> aligned) {
  auto &b = frame.builder;
  if (!aligned && lanes > 1) {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(b, frame.loc, value, 32);
    };
    rowsLeft = countLeft(rowLow, roles.rowDim);
    lanesLeft = countLeft(laneLow, roles.lanesDim);
    Value isFirst = arith::CmpIOp::create(
        b, frame.loc, arith::CmpIPredicate::eq, laneLow, frame.constant(0));
    firstLane = arith::SelectOp::create(b, frame.loc, isFirst, number(0),
                                        number(-lanes));
  }
  fill(scope, aligned);
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
    tiles.push_back(
        frame.allocateShared((tile * (tile + lanes + 1) + 2 * lanes) *
                             getElementBytes(read.getResult().getType())));
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
    emitTile(root, std::nullopt);
    return shape;
  }
  Value condition = emitIsAligned(frame, writes, emitIsAligned(frame, reads));
  emitEither(
      frame, root, condition,
      [&](Scope &scope) {
        // Aligned results may have a tile less.
        if (laneTiles == alignedTiles)
          return emitTile(scope, Aligned{&reads, &writes});
        emitWhen(
            frame, scope,
            arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt,
                                  laneLow, frame.dimSize(roles.lanesDim)),
            [&](Scope &inner) { emitTile(inner, Aligned{&reads, &writes}); });
      },
      [&](Scope &scope) { emitTile(scope, std::nullopt); });
  return shape;
}

LaunchShape tc::emitTransposeKernel(GPUFrame &frame,
                                    const TiledTranspose &transpose,
                                    GPUTransposeScheduleAttr schedule) {
  return TilesEmitter(frame, transpose, schedule).emit();
}
