//===- ScratchTasks.cpp - Launches with memory of their own ---------------===//

#include "ScratchTasks.h"
#include "TaskSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

static int64_t getMostTasks(KernelOp kernel) {
  auto schedule = dyn_cast_or_null<TaskScheduleAttr>(kernel.getScheduleAttr());
  return schedule ? schedule.getTasks() : 1;
}

ScratchTasks::ScratchTasks(CPUFrame &frame, SizeExpr iterations, SizeExpr bytes,
                           SizeExpr work) {
  MLIRContext *context = frame.kernel.getContext();
  SizeExpr one = SizeExpr::constant(context, 1),
           tasks = SizeExpr::constant(context, getMostTasks(frame.kernel));
  shape.count = iterations.min(tasks);
  SizeExpr each = iterations.ceilDiv(shape.count.max(one));
  shape.grain = getGrain(work.mul(each), kGrainElements);
  shape.scratch = bytes.mul(shape.count);

  // The pieces of a launch are disjoint, so the first task's memory is the
  // call's alone.
  low = frame.mul(frame.begin, frame.size(each));
  high = arith::MinSIOp::create(frame.builder, frame.loc,
                                frame.mul(frame.end, frame.size(each)),
                                frame.size(iterations));
  scratch = LLVM::GEPOp::create(
      frame.builder, frame.loc, frame.scratch().getType(),
      frame.builder.getI8Type(), frame.scratch(),
      ValueRange{frame.mul(frame.begin, frame.size(bytes))});
}
