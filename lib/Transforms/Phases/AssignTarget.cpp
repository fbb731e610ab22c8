//===- AssignTarget.cpp - tc-assign-target --------------------------------===//

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Runtime/CPULimit.h"
#include "TC/Runtime/CUDA.h"
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
    if (auto given = module->getAttrOfType<TargetAttr>(kTargetAttr)) {
      check(given);
    } else if (CUDATarget::isCUDA(target)) {
      set(CUDATarget::parse(target));
    } else {
      set(CPUTarget::parse(target));
      if (CPUTarget::isHost(target))
        describeMachine();
    }
    assignLibraries();
  }

private:
  void assignLibraries() {
    ModuleOp module = getOperation();
    if (libraries.empty())
      return;
    if (libraries == "none") {
      module->removeAttr(kLibrariesAttr);
      return;
    }
    bool isOfHost = libraries == "host";
    if (!isOfHost && !symbolizeLibraryKind(libraries)) {
      module.emitError("the option libraries is '")
          << libraries << "'; expected none, host or cublaslt";
      return signalPassFailure();
    }
    // Opening a library takes time and memory.
    if (getTargetKind(module) != "cuda" || module->hasAttr(kLibrariesAttr) ||
        (isOfHost && !(multiplies(module) && runtime::cuda::hasCuBLASLt())))
      return;
    module->setAttr(kLibrariesAttr, Builder(&getContext())
                                        .getStrArrayAttr(stringifyLibraryKind(
                                            LibraryKind::CuBLASLt)));
  }

  /// Whether the module, once it is imported, multiplies matrices.
  static bool multiplies(ModuleOp module) {
    return module
        .walk([](Operation *op) {
          return isa<ContractOp, ContractStageOp>(op) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
        })
        .wasInterrupted();
  }

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
