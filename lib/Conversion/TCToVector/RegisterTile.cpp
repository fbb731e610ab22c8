//===- RegisterTile.cpp - Tiles of rows, and what becomes of them ---------===//

#include "RegisterTile.h"
#include "OperandPacking.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

void tc::emitRowTiles(KernelFrame &frame, Scope &scope, Value low, Value high,
                      int64_t rows, int64_t fewRows, Value usesWhole,
                      llvm::function_ref<void(Scope &, Value, int64_t)> body) {
  int64_t previous = rows + 1;
  for (int64_t size : {rows, fewRows, int64_t(1)}) {
    if (size == previous)
      continue;
    previous = size;
    Value rest = arith::RemSIOp::create(
        frame.builder, frame.loc, frame.sub(high, low), frame.constant(size));
    Value end = frame.sub(high, rest);
    if (usesWhole && size == rows && fewRows != rows)
      end = arith::SelectOp::create(frame.builder, frame.loc, usesWhole, end,
                                    low);
    emitSteps(frame, scope, low, end, size,
              [&](Scope &inner, Value base) { body(inner, base, size); });
    low = end;
  }
}

void tc::emitTileEpilogue(PointEmitter &epilogue, Scope &scope,
                          const FinishedTile &tile, Value low, Value high,
                          Value laneEnd,
                          llvm::function_ref<void(Scope &, Value)> prepare) {
  KernelFrame &frame = epilogue.frame;
  auto &builder = frame.builder;
  Location loc = frame.loc;
  unsigned vectorDim = tile.lanes.back();
  Type element = getComputeType(tile.result.getType());
  emitSteps(frame, scope, low, high, 1, [&](Scope &inner, Value row) {
    // Lanes of the tile, where the scope is in a loop over them.
    inner.lanes.reset();
    for (unsigned dim : tile.lanes)
      inner.bound.reset(dim);
    bindDigits(frame, inner, tile.rows, row);
    Value number = frame.sub(row, tile.start);
    Value first = frame.mul(number, frame.constant(tile.stride));
    if (prepare)
      prepare(inner, number);
    emitRuns(frame, inner, tile.lanes, tile.lane, laneEnd,
             [&](Scope &run, Value from, Value to, Value origin) {
               Value shift = frame.add(first, frame.sub(origin, tile.lane));
               epilogue.provide(tile.result, [&](Scope &point) -> Value {
                 Value address = LLVM::GEPOp::create(
                     builder, loc, tile.accumulators.getType(), element,
                     tile.accumulators,
                     ValueRange{frame.add(shift, point.indices[vectorDim])});
                 Type type =
                     getLaneType(element, point.lanes ? point.lanes->count : 1);
                 // A run that ends with the tile has no results behind its own.
                 bool mayEnd = tile.lanes.size() > 1 || tile.endsMemory;
                 if (Value mask =
                         mayEnd && point.lanes ? point.lanes->mask : Value())
                   return LLVM::MaskedLoadOp::create(
                       builder, loc, type, address, mask,
                       LLVM::ZeroOp::create(builder, loc, type),
                       builder.getI32IntegerAttr(4));
                 return LLVM::LoadOp::create(builder, loc, type, address,
                                             /*alignment=*/4);
               });
               epilogue.emitLoop(
                   run, vectorDim, from, to, {}, [&](Scope &point, ValueRange) {
                     for (auto write :
                          frame.kernel.getBodyBlock().getOps<WriteOp>())
                       epilogue.access.emitWrite(write, point);
                     return SmallVector<Value>();
                   });
             });
  });
}
