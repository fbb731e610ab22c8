//===- TransposeKernel.cpp - Inputs transposed by blocks ------------------===//
//
// A block copies a tile of each transposed input, as rows, to shared memory,
// and gathers the results' vectors from its columns. Where memory is not
// aligned, each row of the results begins at a multiple of two vectors, up to
// so many lanes early, so that blocks do not store parts of one sector of 32
// bytes: the tile has so many rows more. Of a tile that is all there nothing is
// masked, and a thread's vectors are at constant distances from one address.
//
//===----------------------------------------------------------------------===//

#include "TransposeKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "TransposeTile.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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
  void fill(Scope &scope, bool isWhole);
  void finishFill();
  void emitWhole(Scope &scope, const VectorAlignment *aligned);
  void emitPart(Scope &scope, const VectorAlignment *aligned);
  void emitOtherReads(PointEmitter &writer, Scope &scope);
  void provideTiles(PointEmitter &writer);
  Value emitIsWhole();
  void findUnits();
  void bindLanes(Scope &scope, Value row, bool isMasked);
  void findPlaces(Value row);
  bool isPeriodic() const;
  bool hasWholeTiles() const;

  GPUFrame &frame;
  TiledTranspose roles;
  GPUTransposeScheduleAttr schedule;
  WriteOp write; ///< the one whose vectors are aligned
  int64_t tile, rows, lanes;
  UnalignedVectors unaligned{frame};
  SmallVector<unsigned> dims; ///< those without the two of the tiles
  SizeExpr rowTiles, laneTiles, count;
  SmallVector<TransposeTile> tiles; ///< of each transposed read
  Value rowLow, laneLow;            ///< the tile's first point
  int64_t early; ///< lanes that a row of the tile may begin early
  /// This thread's first row of the results and its vector there, the rows of a
  /// pass of all threads, and the passes.
  Value firstRow, vector;
  int64_t passRows, passes;
  /// Of what is emitted now: the tile's row of the first lane, and where the
  /// lanes are in each tile, `columnsLater` columns after.
  Value position;
  SmallVector<Value> places;
  int64_t columnsLater = 0;
};
} // namespace

TilesEmitter::TilesEmitter(GPUFrame &frame, const TiledTranspose &roles,
                           GPUTransposeScheduleAttr schedule)
    : frame(frame), roles(roles), schedule(schedule),
      write(*frame.kernel.getBodyBlock().getOps<WriteOp>().begin()),
      tile(schedule.getTile()), rows(schedule.getRows()),
      lanes(schedule.getVectorWidth()) {
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(frame.kernel.getContext(), value);
  };
  rowTiles = frame.kernel.getDimSize(roles.rowDim).ceilDiv(constant(rows));
  laneTiles = frame.kernel.getDimSize(roles.lanesDim)
                  .add(constant(getTransposeEarly(lanes) - 1))
                  .ceilDiv(constant(tile));
  count = rowTiles.mul(laneTiles);
  for (unsigned dim = 0; dim < frame.kernel.getNumDims(); ++dim)
    if (dim != roles.rowDim && dim != roles.lanesDim) {
      dims.push_back(dim);
      count = count.mul(frame.kernel.getDimSize(dim));
    }
}

//===----------------------------------------------------------------------===//
// What a thread computes
//===----------------------------------------------------------------------===//

/// The threads of a warp have 4 vectors of each of 8 rows, as far as a row has
/// them: whole sectors of the results, and few conflicts of the banks that the
/// columns of a tile are in.
void TilesEmitter::findUnits() {
  constexpr int64_t kWarpVectors = 4;
  const int64_t threads = schedule.getThreads(), vectors = tile / lanes;
  passRows = threads / vectors;
  passes = rows / passRows;
  const int64_t fast =
      std::min(vectors, std::max(kWarpVectors, kWarpThreads / passRows));
  auto divide = [&](Value number, int64_t by) {
    return emitDivision(frame, number, frame.constant(by),
                        SizeExpr::constant(frame.kernel.getContext(), threads));
  };
  auto [group, inGroup] = divide(frame.threadNumber, kWarpThreads);
  auto [rowOfWarp, vectorOfWarp] = divide(inGroup, fast);
  auto [warpRow, warpColumn] = divide(group, vectors / fast);
  vector = frame.add(frame.mul(warpColumn, frame.constant(fast)), vectorOfWarp);
  firstRow = frame.add(frame.mul(warpRow, frame.constant(kWarpThreads / fast)),
                       rowOfWarp);
}

/// Binds `scope` to the lanes of this thread's vector in row `row` of the
/// results, and in all that are multiples of `early` rows after it.
void TilesEmitter::bindLanes(Scope &scope, Value row, bool isMasked) {
  position = frame.mul(vector, frame.constant(lanes));
  if (early > 0) {
    Scope begin(scope);
    begin.bind(roles.rowDim, frame.add(rowLow, row));
    begin.bind(roles.lanesDim, laneLow);
    PointEmitter writer(frame, std::nullopt, 1);
    position = frame.add(position, unaligned.emitElementsAfter(
                                       writer.access.pointerTo(write, begin),
                                       write.getValue().getType(), early));
  }
  Value lane = frame.add(laneLow, frame.sub(position, frame.constant(early)));
  scope.bind(roles.lanesDim, lane);
  if (lanes == 1)
    return;
  scope.lanes = Lanes{roles.lanesDim, lanes, /*mask=*/nullptr};
  if (!isMasked)
    return;
  Value low = frame.sub(frame.constant(0), lane),
        high = frame.sub(frame.dimSize(roles.lanesDim), lane);
  scope.lanes->mask =
      unaligned.emitMask(early > 0 ? low : Value(), high, lanes);
}

/// Where the lanes that are bound are in the tiles, in column `row`.
void TilesEmitter::findPlaces(Value row) {
  places.clear();
  for (TransposeTile &one : tiles)
    places.push_back(one.emitElement(position, row));
}

void TilesEmitter::provideTiles(PointEmitter &writer) {
  for (auto [index, read] : llvm::enumerate(roles.reads))
    writer.provide(read.getResult(), [&, index](Scope &) -> Value {
      return widen(frame, tiles[index].gather(places[index], columnsLater),
                   roles.reads[index].getResult().getType());
    });
}

/// What is read of other operands at the points of `scope`.
void TilesEmitter::emitOtherReads(PointEmitter &writer, Scope &scope) {
  for (ReadOp read : frame.kernel.getBodyBlock().getOps<ReadOp>())
    if (!llvm::is_contained(roles.reads, read) &&
        !frame.dims.of(read.getResult()).test(scope.bound))
      writer.emit(read.getResult(), scope);
}

/// Whether rows that are a pass apart begin equally early.
bool TilesEmitter::isPeriodic() const {
  return early == 0 || passRows % early == 0;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void TilesEmitter::fill(Scope &scope, bool isWhole) {
  for (TransposeTile &one : tiles)
    one.fill(scope, isWhole);
}

void TilesEmitter::finishFill() {
  for (TransposeTile &one : tiles)
    one.storeLoaded();
  NVVM::CpAsyncCommitGroupOp::create(frame.builder, frame.loc);
  NVVM::CpAsyncWaitGroupOp::create(frame.builder, frame.loc, 0);
  gpu::BarrierOp::create(frame.builder, frame.loc);
}

/// A tile that is all there: what is read of other operands is under way with
/// the tile's copies.
void TilesEmitter::emitWhole(Scope &scope, const VectorAlignment *aligned) {
  PointEmitter writer(frame, roles.lanesDim, lanes);
  writer.unaligned = &unaligned;
  writer.aligned = aligned;
  provideTiles(writer);
  fill(scope, /*isWhole=*/true);
  struct Unit {
    std::unique_ptr<Scope> scope;
    Value position, row;
  };
  SmallVector<Unit> units;
  StraightLine line(frame, scope);
  Scope all(scope);
  if (isPeriodic())
    bindLanes(all, firstRow, /*isMasked=*/false);
  for (int64_t pass = 0; pass < passes; ++pass) {
    StraightLine inner(frame, all);
    Value row = frame.add(firstRow, frame.constant(pass * passRows));
    Unit &unit =
        units.emplace_back(Unit{std::make_unique<Scope>(all), Value(), row});
    if (!isPeriodic())
      bindLanes(*unit.scope, row, /*isMasked=*/false);
    unit.position = position;
    unit.scope->bind(roles.rowDim, frame.add(rowLow, row));
    emitOtherReads(writer, *unit.scope);
  }
  finishFill();
  if (isPeriodic())
    findPlaces(firstRow);
  for (auto [pass, unit] : llvm::enumerate(units)) {
    StraightLine inner(frame, all);
    columnsLater = isPeriodic() ? int64_t(pass) * passRows : 0;
    if (!isPeriodic()) {
      position = unit.position;
      findPlaces(unit.row);
    }
    emitWrites(writer, *unit.scope);
  }
}

/// Any tile, the rows of a thread one after the other.
void TilesEmitter::emitPart(Scope &scope, const VectorAlignment *aligned) {
  auto &b = frame.builder;
  PointEmitter writer(frame, roles.lanesDim, lanes);
  writer.unaligned = &unaligned;
  writer.aligned = aligned;
  provideTiles(writer);
  fill(scope, /*isWhole=*/false);
  finishFill();
  columnsLater = 0;
  emitSteps(frame, scope, firstRow, frame.constant(rows), passRows,
            [&](Scope &loop, Value row) {
              auto isBelow = [&](Value index, unsigned dim) -> Value {
                return arith::CmpIOp::create(b, frame.loc,
                                             arith::CmpIPredicate::slt, index,
                                             frame.dimSize(dim));
              };
              Value index = frame.add(rowLow, row),
                    isThere = isBelow(index, roles.rowDim);
              if (lanes == 1)
                isThere = arith::AndIOp::create(
                    b, frame.loc, isThere,
                    isBelow(frame.add(laneLow, vector), roles.lanesDim));
              emitWhen(frame, loop, isThere, [&](Scope &inner) {
                bindLanes(inner, row, /*isMasked=*/true);
                inner.bind(roles.rowDim, index);
                findPlaces(row);
                emitWrites(writer, inner);
              });
            });
}

/// Whether constant sizes say that every tile is all there.
bool TilesEmitter::hasWholeTiles() const {
  auto isMultiple = [&](unsigned dim, int64_t points) {
    auto size = frame.kernel.getDimSize(dim).getConstant();
    return size && *size % points == 0;
  };
  return isMultiple(roles.rowDim, rows) && isMultiple(roles.lanesDim, tile);
}

/// Whether the block's tile is all there, with the lanes that it may begin
/// early and what its granules have besides.
Value TilesEmitter::emitIsWhole() {
  auto &b = frame.builder;
  Value isWhole;
  auto require = [&](Value condition) {
    isWhole = restrictMask(b, frame.loc, isWhole, condition);
  };
  auto isOrdered = [&](Value low, Value high) -> Value {
    return arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::sle, low,
                                 high);
  };
  require(isOrdered(frame.constant(early), laneLow));
  require(isOrdered(frame.add(laneLow, frame.constant(tile)),
                    frame.dimSize(roles.lanesDim)));
  require(isOrdered(frame.add(rowLow, frame.constant(rows)),
                    frame.dimSize(roles.rowDim)));
  for (TransposeTile &one : tiles)
    if (Value isInside = one.emitIsInside())
      require(isInside);
  return isWhole;
}

/// `aligned` has the results' vectors, where they and the inputs' are aligned.
void TilesEmitter::emitTile(Scope &scope, const VectorAlignment *aligned) {
  early = aligned || lanes == 1 ? 0 : getTransposeEarly(lanes);
  for (TransposeTile &one : tiles)
    one.place(scope,
              {rowLow, laneLow, early, /*isAligned=*/aligned != nullptr});
  if (aligned && hasWholeTiles())
    return emitWhole(scope, aligned);
  // Vectors that begin as those of the results do are aligned, too.
  VectorAlignment relative(write, roles.lanesDim, lanes);
  Value isWhole = emitIsWhole();
  if (!aligned && lanes > 1)
    isWhole = emitIsAligned(frame, relative, isWhole);
  emitEither(
      frame, scope, isWhole,
      [&](Scope &inner) { emitWhole(inner, aligned ? aligned : &relative); },
      [&](Scope &inner) { emitPart(inner, aligned); });
}

LaunchShape TilesEmitter::emit() {
  auto &b = frame.builder;
  MLIRContext *context = frame.kernel.getContext();
  LaunchShape shape;
  shape.threads = schedule.getThreads();
  shape.count = count;
  shape.grain = SizeExpr::constant(context, 1);
  int64_t granule = 1; // elements
  for (ReadOp read : roles.reads) {
    tiles.emplace_back(frame, read, roles, schedule);
    granule = std::max(
        granule, kGranuleBytes / getElementBytes(read.getResult().getType()));
  }
  // Blocks next to each other write the results in order of memory: this is 3
  // to 6% faster on an H200 than to read the inputs so, or groups of each.
  Scope root(frame);
  Value rest = frame.blockNumber;
  auto takeDigit = [&](SizeExpr size, int64_t points) {
    auto [quotient, digit] = emitDivision(frame, rest, frame.size(size), count);
    rest = quotient;
    return frame.mul(digit, frame.constant(points));
  };
  laneLow = takeDigit(laneTiles, tile);
  rowLow = takeDigit(rowTiles, rows);
  bindDigits(frame, root, dims, rest);
  findUnits();
  VectorAlignment reads(frame.kernel, roles.rowDim, std::max(granule, lanes)),
      writes(frame.kernel, roles.lanesDim, lanes);
  bool mayBeAligned =
      reads.isUseful() && writes.isUseful() && writes.contains(write) &&
      llvm::all_of(roles.reads,
                   [&](ReadOp read) { return reads.contains(read); });
  if (!mayBeAligned) {
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
