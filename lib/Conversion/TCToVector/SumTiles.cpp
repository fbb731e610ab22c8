//===- SumTiles.cpp - Tiles that sum vectors of products ------------------===//

#include "SumTiles.h"
#include "OutlinedCode.h"
#include "SquareTranspose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
class SumTile {
public:
  SumTile(KernelFrame &frame, const TileLayout &layout,
          TileAddresses addresses);

  /// Vectors of sums over `points`, row by row.
  SmallVector<Value> emit(Value points);
  /// Adds up each of `sums` and stores the results.
  void store(ArrayRef<Value> sums);

private:
  Value advance(Value pointer, Type element, Value count) {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                               pointer, ValueRange{count});
  }
  Value elementAt(Value pointer, Type element, int64_t index) {
    return LLVM::GEPOp::create(
        builder, loc, pointer.getType(), element, pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  /// `sums` plus the products of the points [low, high): whole vectors, or
  /// with `isTail` the first part of one.
  SmallVector<Value> addVectors(Value low, Value high, ValueRange sums,
                                bool isTail);
  /// Adds up the vectors of sums of as many rows, from `row` on, as one
  /// register holds results of, and stores these.
  void storeRows(ArrayRef<Value> sums, int64_t row);

  KernelFrame &frame;
  const TileLayout &layout;
  vectormath::VectorMathBuilder &builder;
  Location loc;
  TileAddresses addresses;
  /// Where the points of each row, and of each lane, begin.
  SmallVector<Value> rows, lanes;
  int64_t step; ///< points of a vector
};
} // namespace

SumTile::SumTile(KernelFrame &frame, const TileLayout &layout,
                 TileAddresses addresses)
    : frame(frame), layout(layout), builder(frame.builder), loc(frame.loc),
      addresses(addresses), step(layout.pair * layout.width) {
  for (int64_t row = 0; row < layout.rows; ++row)
    rows.push_back(
        elementAt(addresses.rows, layout.row.stored, row * layout.row.stride));
  // Lanes that do not exist are the last one that does.
  for (int64_t lane = 0; lane < layout.lanes; ++lane) {
    if (lane == 0 || !addresses.lanes) {
      lanes.push_back(elementAt(addresses.panel, layout.panel.stored,
                                lane * layout.panel.stride));
      continue;
    }
    Value last = frame.sub(addresses.lanes, frame.constant(1));
    Value number =
        arith::MinSIOp::create(builder, loc, frame.constant(lane), last);
    lanes.push_back(
        advance(addresses.panel, layout.panel.stored,
                frame.mul(number, frame.constant(layout.panel.stride))));
  }
}

SmallVector<Value> SumTile::addVectors(Value low, Value high, ValueRange sums,
                                       bool isTail) {
  auto loop =
      scf::ForOp::create(builder, loc, low, high, frame.constant(step), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value point = loop.getInductionVar(), mask;
  if (isTail)
    mask = maskFirst(frame, step, frame.sub(high, point));
  auto load = [&](const TileOperand &operand, Value start) {
    return loadVector(frame, layout, operand,
                      advance(start, operand.stored, point), mask);
  };
  if (addresses.next && !isTail)
    for (int64_t lane = 0; lane < layout.fetchedLanes; ++lane)
      emitFetch(frame, advance(elementAt(addresses.next, layout.panel.stored,
                                         lane * layout.panel.stride),
                               layout.panel.stored, point));
  SmallVector<Value> factors, next;
  for (Value lane : lanes)
    factors.push_back(load(layout.panel, lane));
  for (Value row : rows) {
    Value vector = load(layout.row, row);
    for (Value factor : factors)
      next.push_back(multiplyAdd(frame, layout, vector, factor,
                                 loop.getRegionIterArgs()[next.size()]));
  }
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> SumTile::emit(Value points) {
  auto type = VectorType::get({layout.width}, layout.accumulator);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<Value> sums(layout.rows * layout.lanes, zero);
  if (layout.isWholeVectors)
    return addVectors(frame.constant(0), points, sums, /*isTail=*/false);
  Value whole = frame.sub(points, arith::RemUIOp::create(builder, loc, points,
                                                         frame.constant(step)));
  sums = addVectors(frame.constant(0), whole, sums, /*isTail=*/false);
  return addVectors(whole, points, sums, /*isTail=*/true);
}

void SumTile::storeRows(ArrayRef<Value> sums, int64_t row) {
  int64_t slots = llvm::PowerOf2Ceil(layout.lanes),
          count = std::min(layout.width / slots, layout.rows - row);
  // Rows and lanes beyond the tile's are the last ones once more.
  SmallVector<Value> square;
  for (int64_t slot = 0; slot < layout.width; ++slot)
    square.push_back(
        sums[(row + std::min(slot / slots, count - 1)) * layout.lanes +
             std::min(slot % slots, layout.lanes - 1)]);
  Value results = sumSquare(frame, square);
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<int64_t> own = llvm::to_vector(
        llvm::seq(number * slots, number * slots + layout.lanes));
    Value part = vector::ShuffleOp::create(builder, loc, results, results, own);
    LLVM::StoreOp::create(
        builder, loc, part,
        elementAt(addresses.accumulators, layout.accumulator,
                  (row + number) * layout.accumulatorStride),
        static_cast<unsigned>(getElementBytes(layout.accumulator)));
  }
}

void SumTile::store(ArrayRef<Value> sums) {
  int64_t group =
      layout.width / static_cast<int64_t>(llvm::PowerOf2Ceil(layout.lanes));
  for (int64_t row = 0; row < layout.rows; row += group)
    storeRows(sums, row);
}

void tc::emitSumTile(KernelFrame &frame, const TileLayout &layout,
                     TileAddresses addresses, Value points) {
  emitOutlined(frame, "tile", [&] {
    SumTile tile(frame, layout, addresses);
    tile.store(tile.emit(points));
  });
}
