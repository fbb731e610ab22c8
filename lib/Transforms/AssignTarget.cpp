//===- AssignTarget.cpp - tc-assign-target
//--------------------------------------===//

#include "TC/Analysis/CoreCount.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Runtime/CPULimit.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNTARGETPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
class AssignTargetPass
    : public tc::impl::TCAssignTargetPassBase<AssignTargetPass> {
public:
  using TCAssignTargetPassBase::TCAssignTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kTargetAttr))
      return;
    if (CUDATarget::isCUDA(target))
      return set(CUDATarget::parse(target));
    set(CPUTarget::parse(target));
    if (target == "cpu" || target == "cpu:host")
      module->setAttr(kCoresAttr,
                      Builder(&getContext())
                          .getI64IntegerAttr(runtime::availableCPUCount()));
  }

private:
  template <typename Target> void set(llvm::Expected<Target> parsed) {
    if (parsed) {
      getOperation()->setAttr(kTargetAttr, parsed->toAttribute(&getContext()));
      return;
    }
    getOperation()->emitError() << llvm::toString(parsed.takeError());
    signalPassFailure();
  }
};
} // namespace
