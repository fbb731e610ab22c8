//===- TransposeKernel.cpp - Inputs transposed by blocks ------------------===//
//
// A tile of each transposed input is loaded by vectors along its rows and
// stored element by element, transposed, in shared memory, from where the
// results' vectors are loaded. Vectors of a transposed row are permuted by the
// number of the vector that its column came in, so that threads next to each
// other access different banks on either side.
//
//===----------------------------------------------------------------------===//

#include "TransposeKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
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
  /// A position in the tile along both dimensions (i64).
  struct Place {
    Value row, lane;
  };
  void emitTile(Scope &scope, int64_t lanes, const VectorAlignment *reads,
                const VectorAlignment *writes);
  void fill(Scope &scope, int64_t lanes, const VectorAlignment *aligned);
  Place getPlace(int64_t unit, int64_t lanes, bool alongRows);
  void bindPlace(Scope &inner, Place place, int64_t lanes, bool alongRows);
  Value addressOf(size_t read, Place place, int64_t lanes);

  GPUFrame &frame;
  TiledTranspose roles;
  GPUTransposeScheduleAttr schedule;
  int64_t tile;
  SmallVector<unsigned> dims; ///< those without the two of the tiles
  SizeExpr rowTiles, laneTiles, count;
  SmallVector<Value> tiles; ///< in shared memory, for each transposed read
  Value rowLow, laneLow;    ///< the tile's first point
};
} // namespace

TilesEmitter::TilesEmitter(GPUFrame &frame, const TiledTranspose &roles,
                           GPUTransposeScheduleAttr schedule)
    : frame(frame), roles(roles), schedule(schedule), tile(schedule.getTile()) {
  SizeExpr side = SizeExpr::constant(frame.kernel.getContext(), tile);
  rowTiles = frame.kernel.getDimSize(roles.rowDim).ceilDiv(side);
  laneTiles = frame.kernel.getDimSize(roles.lanesDim).ceilDiv(side);
  count = rowTiles.mul(laneTiles);
  for (unsigned dim = 0; dim < frame.kernel.getNumDims(); ++dim)
    if (dim != roles.rowDim && dim != roles.lanesDim) {
      dims.push_back(dim);
      count = count.mul(frame.kernel.getDimSize(dim));
    }
}

/// The place of this thread's vector number `unit`: consecutive threads have
/// consecutive vectors along the rows, or along the lanes.
TilesEmitter::Place TilesEmitter::getPlace(int64_t unit, int64_t lanes,
                                           bool alongRows) {
  auto &b = frame.builder;
  Value number = frame.add(frame.threadNumber,
                           frame.constant(unit * schedule.getThreads()));
  Value vectors = frame.constant(tile / lanes);
  Value slow = arith::DivUIOp::create(b, frame.loc, number, vectors);
  Value fast = frame.mul(frame.sub(number, frame.mul(slow, vectors)),
                         frame.constant(lanes));
  return alongRows ? Place{fast, slow} : Place{slow, fast};
}

/// Binds a scope to the vector at `place`, whose lanes run along the rows or
/// along the results' lanes.
void TilesEmitter::bindPlace(Scope &inner, Place place, int64_t lanes,
                             bool alongRows) {
  auto &b = frame.builder;
  inner.bind(roles.rowDim, frame.add(rowLow, place.row));
  inner.bind(roles.lanesDim, frame.add(laneLow, place.lane));
  if (lanes > 1)
    inner.lanes = Lanes{alongRows ? roles.rowDim : roles.lanesDim, lanes,
                        /*mask=*/nullptr};
  for (unsigned dim : {roles.rowDim, roles.lanesDim}) {
    auto size = frame.kernel.getDimSize(dim).getConstant();
    if (size && *size % tile == 0)
      continue;
    Value isIn = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt,
                                       inner.indices[dim], frame.dimSize(dim));
    restrictTo(frame, inner, isIn);
  }
}

/// The address in shared memory of an element of transposed read number `read`.
Value TilesEmitter::addressOf(size_t read, Place place, int64_t lanes) {
  auto &b = frame.builder;
  Type element = getStorageType(roles.reads[read].getResult().getType());
  // Which bits of the lane are changed depends on the row's vector.
  Value vector = arith::AndIOp::create(
      b, frame.loc, place.row, frame.constant((tile - 1) & ~(lanes - 1)));
  Value lane = arith::XOrIOp::create(b, frame.loc, place.lane, vector);
  Value offset = frame.add(frame.mul(place.row, frame.constant(tile)), lane);
  return LLVM::GEPOp::create(b, frame.loc, tiles[read].getType(), element,
                             tiles[read], ValueRange{offset});
}

/// Loads this thread's part of the tiles, then stores it in shared memory.
void TilesEmitter::fill(Scope &scope, int64_t lanes,
                        const VectorAlignment *aligned) {
  auto &b = frame.builder;
  PointEmitter reader(frame, roles.rowDim, lanes);
  reader.aligned = aligned;
  int64_t units = tile * tile / lanes / schedule.getThreads();
  struct Loaded {
    size_t read;
    Place place;
    Value vector;
  };
  SmallVector<Loaded> loaded;
  for (int64_t unit = 0; unit < units; ++unit) {
    Place place = getPlace(unit, lanes, /*alongRows=*/true);
    StraightLine line(frame, scope);
    Scope inner(scope);
    bindPlace(inner, place, lanes, /*alongRows=*/true);
    for (auto [index, read] : llvm::enumerate(roles.reads))
      loaded.push_back({index, place, reader.access.emitStored(read, inner)});
  }
  for (const Loaded &one : loaded)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value element = one.vector;
      if (isa<VectorType>(element.getType()))
        element = vector::ExtractOp::create(b, frame.loc, element, lane);
      Place place{frame.add(one.place.row, frame.constant(lane)),
                  one.place.lane};
      LLVM::StoreOp::create(b, frame.loc, element,
                            addressOf(one.read, place, lanes));
    }
}

void TilesEmitter::emitTile(Scope &scope, int64_t lanes,
                            const VectorAlignment *reads,
                            const VectorAlignment *writes) {
  auto &b = frame.builder;
  fill(scope, lanes, reads);
  gpu::BarrierOp::create(b, frame.loc);
  PointEmitter emitter(frame, roles.lanesDim, lanes);
  emitter.aligned = writes;
  Place place;
  for (size_t index = 0; index < roles.reads.size(); ++index) {
    ReadOp read = roles.reads[index];
    Type element = read.getResult().getType(), stored = getStorageType(element);
    emitter.provide(read.getResult(),
                    [&, index, element, stored](Scope &) -> Value {
                      Value vector = LLVM::LoadOp::create(
                          b, frame.loc, getLaneType(stored, lanes),
                          addressOf(index, place, lanes),
                          /*alignment=*/lanes * getElementBytes(element));
                      return widen(frame, vector, element);
                    });
  }
  int64_t units = tile * tile / lanes / schedule.getThreads();
  for (int64_t unit = 0; unit < units; ++unit) {
    place = getPlace(unit, lanes, /*alongRows=*/false);
    StraightLine line(frame, scope);
    Scope inner(scope);
    bindPlace(inner, place, lanes, /*alongRows=*/false);
    emitWrites(emitter, inner);
  }
}

LaunchShape TilesEmitter::emit() {
  auto &b = frame.builder;
  LaunchShape shape;
  shape.threads = schedule.getThreads();
  shape.count = count;
  shape.grain = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (ReadOp read : roles.reads)
    tiles.push_back(frame.allocateShared(
        tile * tile * getElementBytes(read.getResult().getType())));
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
  int64_t lanes = schedule.getVectorWidth();
  VectorAlignment reads(frame.kernel, roles.rowDim, lanes),
      writes(frame.kernel, roles.lanesDim, lanes);
  if (!reads.isUseful() || !writes.isUseful()) {
    emitTile(root, 1, nullptr, nullptr);
    return shape;
  }
  Value condition = emitIsAligned(frame, writes, emitIsAligned(frame, reads));
  emitEither(
      frame, root, condition,
      [&](Scope &scope) { emitTile(scope, lanes, &reads, &writes); },
      [&](Scope &scope) { emitTile(scope, 1, nullptr, nullptr); });
  return shape;
}

LaunchShape tc::emitTransposeKernel(GPUFrame &frame,
                                    const TiledTranspose &transpose,
                                    GPUTransposeScheduleAttr schedule) {
  return TilesEmitter(frame, transpose, schedule).emit();
}
