//===- Loops.cpp - Loops and branches in scopes ---------------------------===//

#include "Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

/// Emits `body` in front of the end of `block`, a block of `op`, in a scope of
/// its own; what belongs to `scope` goes in front of `op` meanwhile.
static void fill(KernelFrame &frame, Scope &scope, Operation *op, Block *block,
                 llvm::function_ref<void(Scope &)> body) {
  OpBuilder::InsertionGuard guard(frame.builder);
  Operation *previous = scope.openLoop;
  scope.openLoop = op;
  frame.builder.setInsertionPoint(block->getTerminator());
  Scope inner(scope);
  body(inner);
  scope.openLoop = previous;
}

void tc::emitSteps(KernelFrame &frame, Scope &scope, Value low, Value high,
                   int64_t step,
                   llvm::function_ref<void(Scope &, Value)> body) {
  emitSteps(frame, scope, low, high, frame.constant(step), body);
}

void tc::emitSteps(KernelFrame &frame, Scope &scope, Value low, Value high,
                   Value step, llvm::function_ref<void(Scope &, Value)> body) {
  auto loop = scf::ForOp::create(frame.builder, frame.loc, low, high, step);
  fill(frame, scope, loop, loop.getBody(),
       [&](Scope &inner) { body(inner, loop.getInductionVar()); });
}

void tc::emitWhen(KernelFrame &frame, Scope &scope, Value condition,
                  llvm::function_ref<void(Scope &)> body) {
  auto guarded = scf::IfOp::create(frame.builder, frame.loc, condition,
                                   /*withElseRegion=*/false);
  fill(frame, scope, guarded, guarded.thenBlock(), body);
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
