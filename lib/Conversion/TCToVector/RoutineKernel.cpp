//===- RoutineKernel.cpp - Kernels that factorise or transform ------------===//
//
// A task of the launch takes one point after the other of the dimensions that
// no routine works over. The operands of each routine go to workspace of the
// task as f64, row after row, in front of its results and its workspace;
// the runtime computes the results there, and the writes read them where they
// need them.
//
//===----------------------------------------------------------------------===//

#include "RoutineKernel.h"

#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "ScratchTasks.h"
#include "TC/Dialect/TC/IR/RoutineSignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

namespace {
/// One stage: its matrices in the workspace of an iteration, and its call.
class RoutineCall {
public:
  RoutineCall(CPUFrame &frame, RoutineStageOp stage)
      : frame(frame), b(frame.builder), loc(frame.loc), stage(stage),
        layout(stage) {}

  /// Numbers of f64 that a call takes of the workspace.
  SizeExpr getTotal() const { return layout.total; }

  void emit(PointEmitter &emitter, Scope &scope, Value start);

private:
  /// The address of the element of matrix `number` that `scope` is at.
  Value addressOf(unsigned number, ArrayRef<int64_t> dims, const Scope &scope,
                  Value start) {
    Value index = frame.constant(0);
    for (int64_t dim : dims)
      index =
          frame.add(frame.mul(index, frame.dimSize(dim)), scope.indices[dim]);
    index = frame.add(index, frame.size(layout.offsets[number]));
    return LLVM::GEPOp::create(b, loc, start.getType(), b.getF64Type(), start,
                               ValueRange{index});
  }

  CPUFrame &frame;
  vectormath::VectorMathBuilder &b;
  Location loc;
  RoutineStageOp stage;
  RoutineLayout layout;
};
} // namespace

void RoutineCall::emit(PointEmitter &emitter, Scope &scope, Value start) {
  bool isDouble = stage.getOperand(0).getType().isF64();
  for (unsigned index = 0; index < stage.getNumOperands(); ++index) {
    SmallVector<int64_t> dims = stage.getOverDims(index);
    emitter.emitLoops(
        scope, SmallVector<unsigned>(dims.begin(), dims.end()), {},
        [&](Scope &inner, ValueRange) {
          Value value = emitter.emit(stage.getOperand(index), inner);
          if (!isDouble)
            value = arith::ExtFOp::create(b, loc, b.getF64Type(), value);
          LLVM::StoreOp::create(b, loc, value,
                                addressOf(index, dims, inner, start));
          return SmallVector<Value>();
        });
  }
  const RoutineSizes &sizes = layout.sizes;
  Value info = frame.callRoutine(
      stage.getKind(),
      {frame.size(sizes.m), frame.size(sizes.n), frame.size(sizes.k)}, start);
  if (stage.getChecked())
    frame.reportSingularMatrix(arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne, info, frame.constant(0)));
  for (OpResult result : stage.getResults()) {
    unsigned index = result.getResultNumber();
    emitter.provide(
        result, [this, index, start, isDouble](Scope &at) mutable -> Value {
          Value address = addressOf(stage.getNumOperands() + index,
                                    stage.getToDims(index), at, start);
          Value value = LLVM::LoadOp::create(b, loc, b.getF64Type(), address);
          if (isDouble)
            return value;
          return arith::TruncFOp::create(b, loc, b.getF32Type(), value);
        });
  }
}

FailureOr<LaunchShape> tc::emitRoutineKernel(CPUFrame &frame,
                                             const TaskPlan &plan) {
  KernelOp kernel = frame.kernel;
  DimSet outer = getOuterDims(kernel, frame.dims);
  SmallVector<RoutineCall> calls;
  SizeExpr numbers = SizeExpr::constant(kernel.getContext(), 0);
  SmallVector<SizeExpr> starts;
  for (auto stage : kernel.getBodyBlock().getOps<RoutineStageOp>()) {
    for (OpResult result : stage.getResults()) {
      DimSet iterations = frame.dims.of(result);
      for (int64_t dim : stage.getToDims(result.getResultNumber()))
        iterations.reset(dim);
      iterations.reset(outer);
      if (iterations.any())
        return stage.emitOpError("works over other points than the kernel's "
                                 "iterations; expected a kernel of its own");
    }
    starts.push_back(numbers);
    calls.emplace_back(frame, stage);
    numbers = numbers.add(calls.back().getTotal());
  }
  FailureOr<ScratchTasks> tasks = ScratchTasks::get(frame, plan);
  if (failed(tasks))
    return failure();

  PointEmitter emitter(frame, std::nullopt, 1);
  Scope root(frame);
  emitSteps(frame, root, tasks->low, tasks->high, 1,
            [&](Scope &, Value iteration) {
              // Not inside of `root`: what varies over no dimension would be
              // computed in front of the loop, and results are there only
              // after the call.
              Scope scope(frame);
              bindDigits(frame, scope, plan.dims, iteration);
              for (auto [call, start] : llvm::zip(calls, starts)) {
                Value first = LLVM::GEPOp::create(
                    frame.builder, frame.loc, tasks->workspace.getType(),
                    frame.builder.getF64Type(), tasks->workspace,
                    ValueRange{frame.size(start)});
                call.emit(emitter, scope, first);
              }
              emitWrites(emitter, scope);
            });
  return tasks->shape;
}
