//===- AssignTarget.cpp - tc-assign-target --------------------------------===//

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Runtime/CPULimit.h"
#include "TC/Runtime/CacheSizes.h"
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
    if (auto given = module->getAttrOfType<TargetAttr>(kTargetAttr))
      return check(given);
    if (CUDATarget::isCUDA(target))
      return set(CUDATarget::parse(target));
    set(CPUTarget::parse(target));
    if (CPUTarget::isHost(target))
      describeMachine();
  }

private:
  /// A target that was written by hand.
  void check(TargetAttr given) {
    if (given.getKind() != "cpu")
      return;
    if (llvm::Error error = CPUTarget::fromAttribute(given).check()) {
      getOperation()->emitError() << llvm::toString(std::move(error));
      signalPassFailure();
    }
  }

  /// What schedules ask of a machine in addition to its instructions, unless
  /// the module says it.
  void describeMachine() {
    ModuleOp module = getOperation();
    Builder builder(&getContext());
    auto write = [&](StringRef name, uint64_t value) {
      if (!module->hasAttr(name))
        module->setAttr(name, builder.getI64IntegerAttr(value));
    };
    write(kCoresAttr, runtime::availableCPUCount());
    runtime::CacheSizes caches = runtime::availableCaches();
    if (caches.coreBytes)
      write(kCoreCacheBytesAttr, *caches.coreBytes);
    if (caches.sharedBytes)
      write(kSharedCacheBytesAttr, *caches.sharedBytes);
  }

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
