//===- Scope.cpp - Dimensions bound to indices ----------------------------===//

#include "Scope.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

void tc::moveInto(KernelFrame &frame, Scope &scope) {
  if (scope.openLoop)
    frame.builder.setInsertionPoint(scope.openLoop);
}

StraightLine::StraightLine(KernelFrame &frame, Scope &scope)
    : scope(scope), previous(scope.openLoop) {
  // A constant that nothing uses marks the place.
  scope.openLoop =
      arith::ConstantIntOp::create(frame.builder, frame.loc, 0, 64);
}

void tc::restrictTo(KernelFrame &frame, Scope &scope, Value condition) {
  bool areEqual = scope.present == scope.readable;
  auto both = [&](Value value) -> Value {
    return value ? arith::AndIOp::create(frame.builder, frame.loc, value,
                                         condition)
                       .getResult()
                 : condition;
  };
  scope.present = both(scope.present);
  scope.readable = areEqual ? scope.present : both(scope.readable);
}

Scope &tc::getHome(KernelFrame &frame, Value value, Scope &scope) {
  const DimSet &varies = frame.dims.of(value);
  Scope *best = &scope;
  // A reduction is emitted as far out as its result may be.
  for (; best->parent; best = best->parent) {
    DimSet missing = varies;
    missing.reset(best->parent->bound);
    if (missing.any() || varies.anyCommon(best->boundHere))
      break;
  }
  return *best;
}

bool tc::isVector(KernelFrame &frame, Value value, const Scope &scope) {
  return scope.lanes && scope.lanes->count > 1 &&
         frame.dims.of(value).test(scope.lanes->dim);
}
