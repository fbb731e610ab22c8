//===- OperandPacking.cpp - Operands copied for register tiles ------------===//

#include "OperandPacking.h"
#include "../KernelEmission/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

Value tc::getBlockPosition(KernelFrame &frame, ArrayRef<unsigned> reduced,
                           Scope &scope, ReducedBlock block) {
  Value position = frame.constant(0);
  for (auto [index, dim] : llvm::enumerate(reduced)) {
    Value point = scope.indices[dim];
    if (index == 0)
      point = frame.sub(point, block.low);
    position = frame.add(frame.mul(position, frame.dimSize(dim)), point);
  }
  return position;
}

void tc::emitBlockLoops(PointEmitter &emitter, Scope &scope,
                        ArrayRef<unsigned> reduced, ReducedBlock block,
                        llvm::function_ref<void(Scope &)> body) {
  if (reduced.empty())
    return body(scope);
  emitter.emitLoop(scope, reduced.front(), block.low, block.high, {},
                   [&](Scope &inner, ValueRange) {
                     return emitter.emitLoops(inner, reduced.drop_front(), {},
                                              [&](Scope &point, ValueRange) {
                                                body(point);
                                                return SmallVector<Value>();
                                              });
                   });
}

void tc::emitRuns(KernelFrame &frame, Scope &scope, ArrayRef<unsigned> dims,
                  Value low, Value high,
                  llvm::function_ref<void(Scope &, Value, Value, Value)> body) {
  if (dims.size() == 1)
    return body(scope, low, high, frame.constant(0));
  auto &builder = frame.builder;
  Value size = frame.dimSize(dims.back());
  Value first = arith::DivUIOp::create(builder, frame.loc, low, size);
  Value end = arith::CeilDivUIOp::create(builder, frame.loc, high, size);
  emitSteps(frame, scope, first, end, 1, [&](Scope &run, Value number) {
    bindDigits(frame, run, dims.drop_back(), number);
    Value origin = frame.mul(number, size);
    Value from = arith::MaxSIOp::create(
        builder, frame.loc, frame.sub(low, origin), frame.constant(0));
    Value to = arith::MinSIOp::create(builder, frame.loc,
                                      frame.sub(high, origin), size);
    body(run, from, to, origin);
  });
}
