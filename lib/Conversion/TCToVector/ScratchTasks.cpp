//===- ScratchTasks.cpp - Launches with memory of their own ---------------===//

#include "ScratchTasks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

static int64_t countCores(KernelOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto cores =
      module ? module->getAttrOfType<IntegerAttr>(kCoresAttr) : IntegerAttr();
  return cores && cores.getInt() > 0 ? cores.getInt() : MachineModel().units;
}

ScratchTasks::ScratchTasks(CPUFrame &frame, SizeExpr iterations, SizeExpr bytes,
                           SizeExpr work) {
  MLIRContext *context = frame.kernel.getContext();
  SizeExpr one = SizeExpr::constant(context, 1),
           cores = SizeExpr::constant(context, countCores(frame.kernel));
  shape.count = iterations.min(cores);
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
