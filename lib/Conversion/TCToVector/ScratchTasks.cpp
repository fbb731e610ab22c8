//===- ScratchTasks.cpp - Launches with workspace of their own ------------===//

#include "ScratchTasks.h"
#include "TC/Analysis/MachineModel.h"
#include "TaskSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

static int64_t getTaskPoints(KernelOp kernel) {
  auto schedule = dyn_cast_or_null<TaskScheduleAttr>(kernel.getScheduleAttr());
  return schedule ? schedule.getTaskPoints() : MachineModel().taskPoints;
}

FailureOr<ScratchTasks> ScratchTasks::get(CPUFrame &frame,
                                          const TaskPlan &plan) {
  KernelOp kernel = frame.kernel;
  if (!kernel.getWorkspace())
    return kernel.emitOpError("'")
           << kernel.getName() << "' has no workspace; expected one of "
           << plan.getWorkspace().str()
           << " bytes (run tc-assign-workspaces first)";
  ScratchTasks tasks;
  tasks.shape.count = plan.tasks;
  tasks.shape.grain =
      getGrain(plan.work.mul(plan.perTask), getTaskPoints(kernel));

  // The tasks of a call follow each other, so the first one's memory is the
  // call's alone.
  tasks.low = frame.mul(frame.begin, frame.size(plan.perTask));
  tasks.high = arith::MinSIOp::create(
      frame.builder, frame.loc, frame.mul(frame.end, frame.size(plan.perTask)),
      frame.size(plan.iterations));
  Value all = frame.pointer(kernel.getWorkspaceArgument());
  tasks.workspace = LLVM::GEPOp::create(
      frame.builder, frame.loc, all.getType(), frame.builder.getI8Type(), all,
      ValueRange{frame.mul(frame.begin, frame.size(plan.bytes))});
  return tasks;
}
