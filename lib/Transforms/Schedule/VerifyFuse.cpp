//===- VerifyFuse.cpp - tc-verify-fuse ------------------------------------===//

#include "TC/Analysis/AccessBounds.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYFUSEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether `op` may be in a function next to kernels.
static bool mayRemain(Operation *op) {
  return isa<KernelOp, ReshapeOp, InputStorageOp, ParameterOp,
             ParameterSourceOp, PreparedOp, ConstantOp, EmptyOp, IfOp, WhileOp,
             YieldOp, GuardOp, SizeFromOp, SizeGuardOp, ModuleOp, func::FuncOp,
             func::ReturnOp, func::CallOp>(op);
}

static LogicalResult verifyKernel(KernelOp kernel, const SizeFacts &facts) {
  if (!kernel.getSchedule()) {
    InFlightDiagnostic error = kernel.emitOpError("has no schedule");
    error.attachNote() << "tc-assign-schedules gives every kernel one";
    return error;
  }
  KernelClass expected = classifyKernel(kernel);
  if (kernel.getKernelClass() == expected)
    return success(succeeded(verifySchedule(kernel, *kernel.getSchedule())) &&
                   succeeded(verifyAccessBounds(kernel, facts)));
  InFlightDiagnostic error = kernel.emitOpError("is called ")
                             << stringifyKernelClass(kernel.getKernelClass())
                             << ", but its body makes it "
                             << stringifyKernelClass(expected);
  error.attachNote() << "tc-classify-kernels settles the class";
  return error;
}

/// Verifies what is in `block`, in which `facts` hold.
static LogicalResult verifyBlock(Block &block, SizeFacts facts) {
  bool isValid = true;
  for (Operation &op : block) {
    facts.pass(op);
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      isValid &= succeeded(verifyKernel(kernel, facts));
      continue;
    }
    // Which version runs is decided before any kernel does.
    if (isa<DispatchOp>(op))
      continue;
    if (!mayRemain(&op)) {
      isValid = false;
      InFlightDiagnostic error = op.emitOpError(
          "is left after the phase 'fuse'; expected kernels, reshapes, "
          "parameters, constants and control flow");
      error.attachNote() << "convert-tc-to-kernel converts tc ops to kernels";
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        isValid &= succeeded(verifyBlock(
            inner, isa<func::FuncOp>(op) ? SizeFacts(&op) : facts.in(inner)));
  }
  return success(isValid);
}

namespace {
class VerifyFusePass : public tc::impl::TCVerifyFusePassBase<VerifyFusePass> {
public:
  void runOnOperation() override {
    SizeFacts facts(getOperation());
    for (Region &region : getOperation()->getRegions())
      for (Block &block : region)
        if (failed(verifyBlock(block, facts)))
          signalPassFailure();
  }
};
} // namespace
