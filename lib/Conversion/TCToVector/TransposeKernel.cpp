//===- TransposeKernel.cpp - Pointwise kernels of transposed inputs -------===//
//
// Writes are contiguous along one dimension of the domain, some reads along
// another. A square block of both is read by rows, transposed in registers by
// shuffles, and written by columns: every access is of whole vectors. Blocks
// are computed tile by tile, so that few pages and few rows of the memory chips
// are open at a time. Two elements of 16 bits that stay next to each other are
// copied as one element of 32 bits.
//
//===----------------------------------------------------------------------===//

#include "TransposeKernel.h"

#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "NontemporalStores.h"
#include "SquareTranspose.h"
#include "TaskSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// Emits a kernel in square blocks of `lanes` by `lanes` points.
class TransposeEmitter {
public:
  TransposeEmitter(CPUFrame &frame, const TiledTranspose &roles,
                   TransposeScheduleAttr schedule, bool nontemporal)
      : frame(frame), roles(roles), lanes(schedule.getVectorWidth()),
        emitter(frame, roles.lanesDim, lanes),
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
  SmallVector<Value> readTransposed(ReadOp read, Scope &scope, Value row,
                                    Value lane, bool whole);
  Value loadPairs(ReadOp read, Scope &line, Value mask);
  void storePairs(WriteOp write, Scope &line, Value pairs, Value mask);
  Value inBounds(Value index, unsigned dim);
  Value maskFrom(Value index, unsigned dim);
  bool alwaysWhole() {
    return llvm::all_of(ArrayRef({roles.lanesDim, roles.rowDim}), [&](int dim) {
      auto size = frame.kernel.getDimSize(dim).getConstant();
      return size && *size % lanes == 0;
    });
  }

  CPUFrame &frame;
  TiledTranspose roles;
  int64_t lanes; ///< of a vector, and rows of a block
  PointEmitter emitter;
  int64_t rowTile, lanesTile, taskPoints;
  /// The vectors of the block at hand, for each transposed read, and the one
  /// that is being written.
  SmallVector<SmallVector<Value>> transposed;
  int64_t current = 0;
};
} // namespace

void TransposeEmitter::provideReads() {
  transposed.resize(roles.reads.size());
  for (auto [index, read] : llvm::enumerate(roles.reads))
    emitter.provide(
        read.getResult(),
        [this, index = index, type = read.getResult().getType()](Scope &) {
          return widen(frame, transposed[index][current], type);
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

SmallVector<Value> TransposeEmitter::readTransposed(ReadOp read, Scope &scope,
                                                    Value row, Value lane,
                                                    bool whole) {
  Value mask = whole ? Value() : maskFrom(row, roles.rowDim);
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < lanes; ++i) {
    Scope line(scope);
    Value index = frame.add(lane, frame.constant(i));
    line.bind(roles.lanesDim, whole ? index : inBounds(index, roles.lanesDim));
    line.bind(roles.rowDim, row);
    if (roles.pairDim) {
      vectors.push_back(loadPairs(read, line, mask));
      continue;
    }
    line.lanes = Lanes{roles.rowDim, lanes, mask};
    vectors.push_back(emitter.access.emitStored(read, line));
  }
  return transposeSquare(frame, vectors);
}

/// The block whose first point is (`row`, `lane`); the part of it that is in
/// the domain unless it is `whole`.
void TransposeEmitter::emitPart(Scope &scope, Value row, Value lane,
                                bool whole) {
  auto &builder = frame.builder;
  for (auto [read, vectors] : llvm::zip_equal(roles.reads, transposed))
    vectors = readTransposed(read, scope, row, lane, whole);
  Value mask = whole ? Value() : maskFrom(lane, roles.lanesDim);
  for (current = 0; current < lanes; ++current) {
    Value index = frame.add(row, frame.constant(current));
    OpBuilder::InsertionGuard guard(builder);
    if (!whole) {
      Value inside =
          arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::slt,
                                index, frame.dimSize(roles.rowDim));
      auto guarded = scf::IfOp::create(builder, frame.loc, inside,
                                       /*withElseRegion=*/false);
      builder.setInsertionPoint(guarded.thenYield());
    }
    Scope line(scope);
    line.bind(roles.rowDim, index);
    line.bind(roles.lanesDim, lane);
    if (!roles.pairDim)
      line.lanes = Lanes{roles.lanesDim, lanes, mask};
    for (WriteOp write : frame.kernel.getBodyBlock().getOps<WriteOp>())
      if (roles.pairDim)
        storePairs(write, line, transposed.front()[current], mask);
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
      builder, frame.loc, fits(row, roles.rowDim), fits(lane, roles.lanesDim));
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
  Value rowHigh = high(rowLow, rowTile, roles.rowDim),
        lanesHigh = high(lanesLow, lanesTile, roles.lanesDim);
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
  SizeExpr rowTiles = tiles(roles.rowDim, rowTile),
           lanesTiles = tiles(roles.lanesDim, lanesTile);
  SmallVector<unsigned> outer;
  LaunchShape shape;
  shape.count = rowTiles.mul(lanesTiles);
  shape.grain = getGrain(
      within(roles.rowDim, rowTile).mul(within(roles.lanesDim, lanesTile)),
      taskPoints);
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (dim != roles.rowDim && dim != roles.lanesDim && dim != roles.pairDim) {
      outer.push_back(dim);
      shape.count = shape.count.mul(kernel.getDimSize(dim));
    }

  Scope root(frame);
  if (roles.pairDim)
    root.bind(*roles.pairDim, frame.constant(0));
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
