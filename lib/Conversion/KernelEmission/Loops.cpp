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

bool tc::isFew(SizeExpr count) {
  constexpr int64_t kFew = int64_t(1) << 30;
  return count.getConstant().value_or(kFew) < kFew;
}

std::pair<Value, Value> tc::emitDivision(KernelFrame &frame, Value number,
                                         Value divisor, SizeExpr bound) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  if (!isFew(bound) || !frame.dividesNarrowFaster()) {
    Value quotient = arith::DivUIOp::create(b, loc, number, divisor);
    return {quotient, frame.sub(number, frame.mul(quotient, divisor))};
  }
  Type wide = number.getType(), narrow = b.getI32Type();
  number = arith::TruncIOp::create(b, loc, narrow, number);
  divisor = arith::TruncIOp::create(b, loc, narrow, divisor);
  Value quotient = arith::DivUIOp::create(b, loc, number, divisor),
        rest = arith::SubIOp::create(
            b, loc, number, arith::MulIOp::create(b, loc, quotient, divisor));
  return {arith::ExtUIOp::create(b, loc, wide, quotient),
          arith::ExtUIOp::create(b, loc, wide, rest)};
}

void tc::bindDigits(KernelFrame &frame, Scope &scope, ArrayRef<unsigned> dims,
                    Value iteration) {
  SizeExpr points = SizeExpr::constant(frame.kernel.getContext(), 1);
  for (unsigned dim : dims)
    points = points.mul(frame.kernel.getDimSize(dim));
  for (; dims.size() > 1; dims = dims.drop_back()) {
    auto [quotient, digit] =
        emitDivision(frame, iteration, frame.dimSize(dims.back()), points);
    scope.bind(dims.back(), digit);
    iteration = quotient;
  }
  if (!dims.empty())
    scope.bind(dims.front(), iteration);
}
