//===- RegisterTile.cpp - Accumulators of rows by lanes -------------------===//

#include "RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

void tc::emitRowTiles(KernelFrame &frame, Scope &scope, Value low, Value high,
                      int64_t rows, Value usesWhole,
                      llvm::function_ref<void(Scope &, Value, int64_t)> body) {
  int64_t previous = rows + 1;
  for (int64_t size : {rows, getPartOfTile(rows), int64_t(1)}) {
    if (size == previous)
      return;
    previous = size;
    Value rest = arith::RemSIOp::create(
        frame.builder, frame.loc, frame.sub(high, low), frame.constant(size));
    Value end = frame.sub(high, rest);
    if (usesWhole && size == rows && getPartOfTile(rows) != rows)
      end = arith::SelectOp::create(frame.builder, frame.loc, usesWhole, end,
                                    low);
    emitSteps(frame, scope, low, end, size,
              [&](Scope &inner, Value base) { body(inner, base, size); });
    low = end;
  }
}

SmallVector<Value> RegisterTile::accumulate(
    PointEmitter &emitter, Scope &scope, ArrayRef<unsigned> reduced, Value base,
    int64_t rows, llvm::function_ref<Value(Scope &)> panel,
    llvm::function_ref<Value(Scope &, int64_t)> factor) const {
  KernelFrame &frame = emitter.frame;
  Type vector = VectorType::get({lanes}, getComputeType(result.getType()));
  Value zero = arith::ConstantOp::create(frame.builder, frame.loc,
                                         frame.builder.getZeroAttr(vector));
  SmallVector<Value> indices;
  for (int64_t row = 0; row < rows; ++row)
    indices.push_back(frame.add(base, frame.constant(row)));
  return emitter.emitLoops(scope, reduced, SmallVector<Value>(rows, zero),
                           [&](Scope &inner, ValueRange carried) {
                             Value vector = panel(inner);
                             SmallVector<Value> next;
                             for (int64_t row = 0; row < rows; ++row) {
                               Scope point(inner);
                               if (rowDim)
                                 point.bind(*rowDim, indices[row]);
                               next.push_back(vectormath::emitMultiplyAdd(
                                   frame.builder, frame.loc, factor(point, row),
                                   vector, carried[row]));
                             }
                             return next;
                           });
}

void RegisterTile::emitEpilogue(
    PointEmitter &epilogue, Scope &scope, Value base, int64_t rows,
    ValueRange accumulators,
    llvm::function_ref<void(Scope &, Value)> prepare) const {
  KernelFrame &frame = epilogue.frame;
  auto &builder = frame.builder;
  Type element = getComputeType(result.getType()), pointer = scratch.getType();
  for (auto [row, accumulator] : llvm::enumerate(accumulators)) {
    Value address = LLVM::GEPOp::create(
        builder, frame.loc, pointer, element, scratch,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(row * lanes)});
    LLVM::StoreOp::create(builder, frame.loc, accumulator, address,
                          /*alignment=*/64);
  }
  Value low = scope.indices[vectorDim];
  Value high = arith::MinSIOp::create(builder, frame.loc,
                                      frame.add(low, frame.constant(lanes)),
                                      frame.dimSize(vectorDim));
  emitSteps(frame, scope, frame.constant(0), frame.constant(rows), 1,
            [&](Scope &row, Value number) {
              row.lanes.reset(); // the tile's lanes are taken apart again
              row.bound.reset(vectorDim);
              if (rowDim)
                row.bind(*rowDim, frame.add(base, number));
              prepare(row, number);
              Value start = frame.mul(number, frame.constant(lanes));
              epilogue.provide(result, [&](Scope &inner) -> Value {
                Value offset =
                    frame.add(start, frame.sub(inner.indices[vectorDim], low));
                Value address =
                    LLVM::GEPOp::create(builder, frame.loc, pointer, element,
                                        scratch, ValueRange{offset});
                Type type =
                    getLaneType(element, inner.lanes ? inner.lanes->count : 1);
                return LLVM::LoadOp::create(builder, frame.loc, type, address,
                                            /*alignment=*/4);
              });
              epilogue.emitLoop(
                  row, vectorDim, low, high, {}, [&](Scope &inner, ValueRange) {
                    for (auto write :
                         frame.kernel.getBodyBlock().getOps<WriteOp>())
                      epilogue.access.emitWrite(write, inner);
                    return SmallVector<Value>();
                  });
            });
}
