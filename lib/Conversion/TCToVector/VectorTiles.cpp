//===- VectorTiles.cpp - Multiply-adds in vector registers ----------------===//

#include "VectorTiles.h"
#include "OperandPacking.h"
#include "OutlinedCode.h"
#include "TC/Conversion/VectorMath/VectorMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
class VectorTile {
public:
  VectorTile(KernelFrame &frame, const TileLayout &layout)
      : frame(frame), layout(layout), builder(frame.builder), loc(frame.loc),
        compute(layout.accumulator),
        vectorType(VectorType::get({layout.width}, compute)),
        vectors(layout.lanes / layout.width) {}

  /// Accumulators over `points`, row by row.
  SmallVector<Value> emit(TileAddresses addresses, Value points);
  /// The same in loops over the dimensions `reduced`, with operands from
  /// `reads` where it has them.
  SmallVector<Value> emitInPlace(PointEmitter &emitter, Scope &scope,
                                 ArrayRef<unsigned> reduced,
                                 TileAddresses addresses, TileReads reads);
  /// `accumulators` plus those in memory, unless `isFirst` (i1) holds.
  SmallVector<Value> addTo(Value start, ArrayRef<Value> accumulators,
                           Value isFirst);
  void store(Value start, ArrayRef<Value> accumulators);

private:
  Value elementAt(Value pointer, Type element, int64_t index) {
    return LLVM::GEPOp::create(
        builder, loc, pointer.getType(), element, pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  Value advance(Value pointer, Type element, Value count) {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                               pointer, ValueRange{count});
  }
  /// The address of accumulator number `index`, row by row.
  Value accumulatorAt(Value start, size_t index) {
    return elementAt(start, compute,
                     index / vectors * layout.accumulatorStride +
                         index % vectors * layout.width);
  }
  /// `accumulators` after the multiply-adds of the points [low, high): whole
  /// pairs, or with `areHalves` the first half of one.
  SmallVector<Value> addPoints(TileAddresses addresses, Value low, Value high,
                               ArrayRef<Value> accumulators, bool areHalves);
  /// `accumulators` after the multiply-adds of one point (pair of points),
  /// whose lanes are in registers; `getFactor` gives the factor of a row.
  SmallVector<Value> addPoint(ArrayRef<Value> lanes,
                              llvm::function_ref<Value(int64_t row)> getFactor,
                              ValueRange accumulators);
  SmallVector<Value> getZeros();
  Value loadPanel(Value pointer, int64_t vector);
  Value loadFactor(Value pointer, int64_t row, bool isHalf);

  KernelFrame &frame;
  const TileLayout &layout;
  vectormath::VectorMathBuilder &builder;
  Location loc;
  Type compute;
  VectorType vectorType;
  int64_t vectors; ///< registers of a row
};
} // namespace

Value VectorTile::loadPanel(Value pointer, int64_t vector) {
  return loadVector(frame, layout, layout.panel,
                    elementAt(pointer, layout.panel.stored,
                              vector * layout.pair * layout.width));
}

/// One point (pair of points, of which a half one ends in 0) of a row, in all
/// lanes.
Value VectorTile::loadFactor(Value pointer, int64_t row, bool isHalf) {
  Type element = layout.row.stored,
       unit = layout.pair == 2 ? Type(builder.getI32Type()) : element;
  Value loaded =
      LLVM::LoadOp::create(builder, loc, isHalf ? element : unit,
                           elementAt(pointer, element, row * layout.row.stride),
                           static_cast<unsigned>(getElementBytes(element)));
  if (isHalf)
    loaded = arith::ExtUIOp::create(builder, loc, unit, loaded);
  if (layout.pair == 1 && element != compute) {
    loaded = widen(frame, loaded, layout.row.value);
    unit = compute;
  }
  Value factor = vector::BroadcastOp::create(
      builder, loc, VectorType::get({layout.width}, unit), loaded);
  if (layout.pair == 1)
    return factor;
  return vector::BitCastOp::create(
      builder, loc, VectorType::get({2 * layout.width}, builder.getBF16Type()),
      factor);
}

SmallVector<Value> VectorTile::addPoints(TileAddresses addresses, Value low,
                                         Value high, ArrayRef<Value> init,
                                         bool areHalves) {
  auto loop = scf::ForOp::create(builder, loc, low, high,
                                 frame.constant(layout.pair), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value point = loop.getInductionVar();
  Value panel = advance(addresses.panel, layout.panel.stored,
                        frame.mul(point, frame.constant(layout.panel.stride)));
  Value factors = advance(addresses.rows, layout.row.stored, point);
  if (addresses.next)
    emitFetch(frame, layout, addresses.next, point, layout.pair);
  SmallVector<Value> lanes;
  for (int64_t vector = 0; vector < vectors; ++vector)
    lanes.push_back(loadPanel(panel, vector));
  scf::YieldOp::create(
      builder, loc,
      addPoint(
          lanes,
          [&](int64_t row) { return loadFactor(factors, row, areHalves); },
          loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value>
VectorTile::addPoint(ArrayRef<Value> lanes,
                     llvm::function_ref<Value(int64_t)> getFactor,
                     ValueRange accumulators) {
  SmallVector<Value> next;
  for (int64_t row = 0; row < layout.rows; ++row) {
    Value factor = getFactor(row);
    for (int64_t vector = 0; vector < vectors; ++vector)
      next.push_back(multiplyAdd(frame, layout, factor, lanes[vector],
                                 accumulators[row * vectors + vector]));
  }
  return next;
}

SmallVector<Value> VectorTile::getZeros() {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  return SmallVector<Value>(layout.rows * vectors, zero);
}

SmallVector<Value> VectorTile::emit(TileAddresses addresses, Value points) {
  SmallVector<Value> accumulators = getZeros();
  if (!layout.mayEndInHalfPair)
    return addPoints(addresses, frame.constant(0), points, accumulators,
                     /*areHalves=*/false);
  Value whole =
      frame.sub(points, arith::RemUIOp::create(builder, loc, points,
                                               frame.constant(layout.pair)));
  accumulators = addPoints(addresses, frame.constant(0), whole, accumulators,
                           /*areHalves=*/false);
  return addPoints(addresses, whole, points, accumulators, /*areHalves=*/true);
}

SmallVector<Value> VectorTile::emitInPlace(PointEmitter &emitter, Scope &scope,
                                           ArrayRef<unsigned> reduced,
                                           TileAddresses addresses,
                                           TileReads reads) {
  ReducedBlock all{frame.constant(0), nullptr, nullptr};
  return emitter.emitLoops(
      scope, reduced, getZeros(), [&](Scope &point, ValueRange accumulators) {
        Value position = getBlockPosition(frame, reduced, point, all);
        Value lanes, factors;
        if (reads.panel)
          lanes = reads.panel(point);
        else
          lanes = loadPanel(
              advance(addresses.panel, layout.panel.stored,
                      frame.mul(position, frame.constant(layout.panel.stride))),
              /*vector=*/0);
        if (!reads.row)
          factors = advance(addresses.rows, layout.row.stored, position);
        return addPoint(
            lanes,
            [&](int64_t row) -> Value {
              if (!reads.row)
                return loadFactor(factors, row, /*isHalf=*/false);
              return vector::BroadcastOp::create(builder, loc, vectorType,
                                                 reads.row(point, row));
            },
            accumulators);
      });
}

SmallVector<Value> VectorTile::addTo(Value start, ArrayRef<Value> accumulators,
                                     Value isFirst) {
  auto added =
      scf::IfOp::create(builder, loc, TypeRange(ValueRange(accumulators)),
                        isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(added.thenBlock());
  scf::YieldOp::create(builder, loc, accumulators);
  builder.setInsertionPointToStart(added.elseBlock());
  SmallVector<Value> both;
  for (auto [index, accumulator] : llvm::enumerate(accumulators))
    both.push_back(
        arith::AddFOp::create(builder, loc,
                              LLVM::LoadOp::create(builder, loc, vectorType,
                                                   accumulatorAt(start, index),
                                                   /*alignment=*/4),
                              accumulator));
  scf::YieldOp::create(builder, loc, both);
  return SmallVector<Value>(added.getResults());
}

void VectorTile::store(Value start, ArrayRef<Value> accumulators) {
  for (auto [index, accumulator] : llvm::enumerate(accumulators))
    LLVM::StoreOp::create(builder, loc, accumulator,
                          accumulatorAt(start, index),
                          /*alignment=*/4);
}

void tc::emitVectorTile(KernelFrame &frame, const TileLayout &layout,
                        TileAddresses addresses, Value points, Value isFirst) {
  emitOutlined(frame, "tile", [&] {
    VectorTile tile(frame, layout);
    SmallVector<Value> accumulators = tile.emit(addresses, points);
    if (isFirst)
      accumulators = tile.addTo(addresses.accumulators, accumulators, isFirst);
    tile.store(addresses.accumulators, accumulators);
  });
}

void tc::emitTileInPlace(PointEmitter &emitter, Scope &scope,
                         ArrayRef<unsigned> reduced, const TileLayout &layout,
                         TileAddresses addresses, TileReads reads) {
  VectorTile tile(emitter.frame, layout);
  tile.store(addresses.accumulators,
             tile.emitInPlace(emitter, scope, reduced, addresses, reads));
}
