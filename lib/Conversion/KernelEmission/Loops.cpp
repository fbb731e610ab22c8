//===- Loops.cpp - Loops and branches in scopes ---------------------------===//

#include "Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

void tc::emitSteps(KernelFrame &frame, Scope &scope, Value low, Value high,
                   int64_t step,
                   llvm::function_ref<void(Scope &, Value)> body) {
  auto loop = scf::ForOp::create(frame.builder, frame.loc, low, high,
                                 frame.constant(step));
  OpBuilder::InsertionGuard guard(frame.builder);
  Operation *previous = scope.openLoop;
  scope.openLoop = loop;
  frame.builder.setInsertionPoint(loop.getBody()->getTerminator());
  Scope inner(scope);
  body(inner, loop.getInductionVar());
  scope.openLoop = previous;
}

void tc::emitWhen(KernelFrame &frame, Scope &scope, Value condition,
                  llvm::function_ref<void(Scope &)> body) {
  auto guarded = scf::IfOp::create(frame.builder, frame.loc, condition,
                                   /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(frame.builder);
  Operation *previous = scope.openLoop;
  scope.openLoop = guarded;
  frame.builder.setInsertionPoint(guarded.thenBlock()->getTerminator());
  Scope inner(scope);
  body(inner);
  scope.openLoop = previous;
}

void tc::bindDigits(KernelFrame &frame, Scope &scope, ArrayRef<unsigned> dims,
                    Value iteration) {
  for (; dims.size() > 1; dims = dims.drop_back()) {
    Value size = frame.dimSize(dims.back());
    Value quotient =
        arith::DivUIOp::create(frame.builder, frame.loc, iteration, size);
    scope.bind(dims.back(), frame.sub(iteration, frame.mul(quotient, size)));
    iteration = quotient;
  }
  if (!dims.empty())
    scope.bind(dims.front(), iteration);
}
