//===- TransposeKernel.cpp - Pointwise kernels of transposed inputs -------===//
//
// Writes are contiguous along one dimension of the domain, some reads along
// another. A square block of both is read by rows, transposed in registers by
// shuffles, and written by columns: every access is of whole vectors. Blocks
// are taken in tiles, so that pages and open rows of memory are few. Two
// elements of 16 bits that stay side by side count as one of 32.
//
//===----------------------------------------------------------------------===//

#include "TransposeKernel.h"

#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "NontemporalStores.h"
#include "TaskSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// Emits a kernel as blocks.
class TransposeEmitter {
public:
  TransposeEmitter(CPUFrame &frame, const TiledTranspose &turn,
                   TransposeScheduleAttr schedule, bool nontemporal)
      : frame(frame), turn(turn), lanes(schedule.getVectorWidth()),
        emitter(frame, turn.lanesDim, lanes),
        rowTile(llvm::alignTo(schedule.getTileRows(), lanes)),
        lanesTile(llvm::alignTo(schedule.getTileLanes(), lanes)),
        taskPoints(schedule.getTaskPoints()) {
    emitter.nontemporal = nontemporal;
    provideReads();
  }

  LaunchShape emit();

private:
  void provideReads();
  void emitTile(Scope &scope, Value rowLow, Value lanesLow);
  void emitBlock(Scope &scope, Value row, Value lane);
  void emitPart(Scope &scope, Value row, Value lane, bool whole);
  SmallVector<Value> readTurned(ReadOp read, Scope &scope, Value row,
                                Value lane, bool whole);
  Value loadPairs(ReadOp read, Scope &line, Value mask);
  void storePairs(WriteOp write, Scope &line, Value pairs, Value mask);
  Value inBounds(Value index, unsigned dim);
  Value maskFrom(Value index, unsigned dim);
  bool alwaysWhole() {
    return llvm::all_of(ArrayRef({turn.lanesDim, turn.rowDim}), [&](int dim) {
      auto size = frame.kernel.getDimSize(dim).getConstant();
      return size && *size % lanes == 0;
    });
  }

  CPUFrame &frame;
  TiledTranspose turn;
  int64_t lanes; ///< of a vector, and rows of a block
  PointEmitter emitter;
  int64_t rowTile, lanesTile, taskPoints;
  /// The vectors of the block at hand, for each transposed read, and the one
  /// that is being written.
  SmallVector<SmallVector<Value>> turned;
  int64_t current = 0;
};
} // namespace

void TransposeEmitter::provideReads() {
  turned.resize(turn.reads.size());
  for (auto [index, read] : llvm::enumerate(turn.reads))
    emitter.provide(
        read.getResult(),
        [this, index = index, type = read.getResult().getType()](Scope &) {
          return widen(frame, turned[index][current], type);
        });
}

/// `index`, or the last one of `dim` when it is beyond.
Value TransposeEmitter::inBounds(Value index, unsigned dim) {
  Value last = frame.sub(frame.dimSize(dim), frame.constant(1));
  return arith::MinSIOp::create(frame.builder, frame.loc, index, last);
}

/// Which of the lanes from `index` on are in `dim`.
Value TransposeEmitter::maskFrom(Value index, unsigned dim) {
  auto type = VectorType::get({lanes}, frame.builder.getI64Type());
  Value numbers = arith::ConstantOp::create(
      frame.builder, frame.loc,
      DenseElementsAttr::get(
          type, ArrayRef(llvm::to_vector(llvm::seq<int64_t>(lanes)))));
  Value left = vector::BroadcastOp::create(
      frame.builder, frame.loc, type, frame.sub(frame.dimSize(dim), index));
  return arith::CmpIOp::create(frame.builder, frame.loc,
                               arith::CmpIPredicate::slt, numbers, left);
}

/// Each step exchanges what is off the diagonal of squares of twice the
/// distance.
SmallVector<Value> tc::transposeSquare(KernelFrame &frame,
                                       SmallVector<Value> rows) {
  int64_t size = rows.size();
  for (int64_t distance = 1; distance < size; distance *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool isOdd = lane & distance;
      low.push_back(isOdd ? size + lane - distance : lane);
      high.push_back(isOdd ? size + lane : lane + distance);
    }
    for (int64_t row = 0; row < size; ++row) {
      if (row & distance)
        continue;
      Value first = rows[row], second = rows[row + distance];
      rows[row] = vector::ShuffleOp::create(frame.builder, frame.loc, first,
                                            second, low);
      rows[row + distance] = vector::ShuffleOp::create(frame.builder, frame.loc,
                                                       first, second, high);
    }
  }
  return rows;
}

/// The pairs from the point of `line` on.
Value TransposeEmitter::loadPairs(ReadOp read, Scope &line, Value mask) {
  auto &builder = frame.builder;
  auto type = VectorType::get({lanes}, builder.getI32Type());
  Value pointer = emitter.access.pointerTo(read, line);
  constexpr unsigned kAlignment = 2;
  if (!mask)
    return LLVM::LoadOp::create(builder, frame.loc, type, pointer, kAlignment);
  Value zero =
      arith::ConstantOp::create(builder, frame.loc, builder.getZeroAttr(type));
  return LLVM::MaskedLoadOp::create(builder, frame.loc, type, pointer, mask,
                                    zero,
                                    builder.getI32IntegerAttr(kAlignment));
}

void TransposeEmitter::storePairs(WriteOp write, Scope &line, Value pairs,
                                  Value mask) {
  auto &builder = frame.builder;
  Value pointer = emitter.access.pointerTo(write, line);
  constexpr unsigned kAlignment = 2;
  if (mask)
    LLVM::MaskedStoreOp::create(builder, frame.loc, pairs, pointer, mask,
                                builder.getI32IntegerAttr(kAlignment));
  else
    LLVM::StoreOp::create(builder, frame.loc, pairs, pointer, kAlignment);
}

SmallVector<Value> TransposeEmitter::readTurned(ReadOp read, Scope &scope,
                                                Value row, Value lane,
                                                bool whole) {
  Value mask = whole ? Value() : maskFrom(row, turn.rowDim);
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < lanes; ++i) {
    Scope line(scope);
    Value index = frame.add(lane, frame.constant(i));
    line.bind(turn.lanesDim, whole ? index : inBounds(index, turn.lanesDim));
    line.bind(turn.rowDim, row);
    if (turn.pairDim) {
      vectors.push_back(loadPairs(read, line, mask));
      continue;
    }
    line.lanes = Lanes{turn.rowDim, lanes, mask};
    vectors.push_back(emitter.access.emitStored(read, line));
  }
  return transposeSquare(frame, vectors);
}

/// The block whose first point is (`row`, `lane`); the part of it that is in
/// the domain unless it is `whole`.
void TransposeEmitter::emitPart(Scope &scope, Value row, Value lane,
                                bool whole) {
  auto &builder = frame.builder;
  for (auto [read, vectors] : llvm::zip_equal(turn.reads, turned))
    vectors = readTurned(read, scope, row, lane, whole);
  Value mask = whole ? Value() : maskFrom(lane, turn.lanesDim);
  for (current = 0; current < lanes; ++current) {
    Value index = frame.add(row, frame.constant(current));
    OpBuilder::InsertionGuard guard(builder);
    if (!whole) {
      Value inside =
          arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::slt,
                                index, frame.dimSize(turn.rowDim));
      auto guarded = scf::IfOp::create(builder, frame.loc, inside,
                                       /*withElseRegion=*/false);
      builder.setInsertionPoint(guarded.thenYield());
    }
    Scope line(scope);
    line.bind(turn.rowDim, index);
    line.bind(turn.lanesDim, lane);
    if (!turn.pairDim)
      line.lanes = Lanes{turn.lanesDim, lanes, mask};
    for (WriteOp write : frame.kernel.getBodyBlock().getOps<WriteOp>())
      if (turn.pairDim)
        storePairs(write, line, turned.front()[current], mask);
      else
        emitter.access.emitWrite(write, line);
  }
}

void TransposeEmitter::emitBlock(Scope &scope, Value row, Value lane) {
  if (alwaysWhole())
    return emitPart(scope, row, lane, /*whole=*/true);
  auto &builder = frame.builder;
  auto fits = [&](Value index, unsigned dim) -> Value {
    return arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::sle,
                                 frame.add(index, frame.constant(lanes)),
                                 frame.dimSize(dim));
  };
  Value whole = arith::AndIOp::create(
      builder, frame.loc, fits(row, turn.rowDim), fits(lane, turn.lanesDim));
  OpBuilder::InsertionGuard guard(builder);
  auto parts = scf::IfOp::create(builder, frame.loc, whole,
                                 /*withElseRegion=*/true);
  builder.setInsertionPoint(parts.thenYield());
  emitPart(scope, row, lane, /*whole=*/true);
  builder.setInsertionPoint(parts.elseYield());
  emitPart(scope, row, lane, /*whole=*/false);
}

void TransposeEmitter::emitTile(Scope &scope, Value rowLow, Value lanesLow) {
  auto high = [&](Value low, int64_t tile, unsigned dim) -> Value {
    return arith::MinSIOp::create(frame.builder, frame.loc,
                                  frame.add(low, frame.constant(tile)),
                                  frame.dimSize(dim));
  };
  Value rowHigh = high(rowLow, rowTile, turn.rowDim),
        lanesHigh = high(lanesLow, lanesTile, turn.lanesDim);
  emitSteps(frame, scope, lanesLow, lanesHigh, lanes,
            [&](Scope &outer, Value lane) {
              emitSteps(frame, outer, rowLow, rowHigh, lanes,
                        [&](Scope &inner, Value row) {
                          emitBlock(inner, row, lane);
                        });
            });
}

LaunchShape TransposeEmitter::emit() {
  KernelOp kernel = frame.kernel;
  MLIRContext *context = kernel.getContext();
  auto tiles = [&](unsigned dim, int64_t tile) {
    return kernel.getDimSize(dim).ceilDiv(SizeExpr::constant(context, tile));
  };
  auto within = [&](unsigned dim, int64_t tile) {
    return kernel.getDimSize(dim).min(SizeExpr::constant(context, tile));
  };
  SizeExpr rowTiles = tiles(turn.rowDim, rowTile),
           lanesTiles = tiles(turn.lanesDim, lanesTile);
  SmallVector<unsigned> outer;
  LaunchShape shape;
  shape.count = rowTiles.mul(lanesTiles);
  shape.grain = getGrain(
      within(turn.rowDim, rowTile).mul(within(turn.lanesDim, lanesTile)),
      taskPoints);
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (dim != turn.rowDim && dim != turn.lanesDim && dim != turn.pairDim) {
      outer.push_back(dim);
      shape.count = shape.count.mul(kernel.getDimSize(dim));
    }

  Scope root(frame);
  if (turn.pairDim)
    root.bind(*turn.pairDim, frame.constant(0));
  emitSteps(frame, root, frame.begin, frame.end, 1,
            [&](Scope &scope, Value iteration) {
              // The lowest digit runs along what is read.
              auto takeDigit = [&](SizeExpr count, int64_t tile) -> Value {
                Value size = frame.size(count);
                Value rest = arith::DivUIOp::create(frame.builder, frame.loc,
                                                    iteration, size);
                Value digit = frame.sub(iteration, frame.mul(rest, size));
                iteration = rest;
                return frame.mul(digit, frame.constant(tile));
              };
              Value rowLow = takeDigit(rowTiles, rowTile);
              Value lanesLow = takeDigit(lanesTiles, lanesTile);
              bindDigits(frame, scope, outer, iteration);
              emitTile(scope, rowLow, lanesLow);
            });
  return shape;
}

LaunchShape tc::emitTransposeKernel(CPUFrame &frame,
                                    const TiledTranspose &transpose,
                                    TransposeScheduleAttr schedule) {
  LaunchShape shape;
  bool isNontemporal = schedule.getNontemporal() && !transpose.pairDim;
  emitVersions(
      frame, isNontemporal, transpose.lanesDim, schedule.getVectorWidth(),
      [&](bool nontemporal) {
        shape =
            TransposeEmitter(frame, transpose, schedule, nontemporal).emit();
      });
  return shape;
}
