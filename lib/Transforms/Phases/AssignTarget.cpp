//===- AssignTarget.cpp - tc-assign-target --------------------------------===//

#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Runtime/CPULimit.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/CacheSizes.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "TC/Transforms/Passes.h"
#include <atomic>

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
    SmallVector<StringRef> names;
    if (libraries != "host") {
      StringRef(libraries).split(names, ',');
      for (StringRef name : names)
        if (!symbolizeLibraryKind(name) &&
            !symbolizeConvolutionLibraryKind(name)) {
          module.emitError("the option libraries is '")
              << libraries
              << "'; expected none, host, or cublaslt, cudnn or both";
          return signalPassFailure();
        }
    }
    if (getTargetKind(module) != "cuda" || module->hasAttr(kLibrariesAttr))
      return;
    if (libraries == "host")
      names = findLibraries(module);
    if (!names.empty())
      module->setAttr(kLibrariesAttr,
                      Builder(&getContext()).getStrArrayAttr(names));
  }

  /// The libraries of this machine for what the module computes: opening one
  /// takes time and memory.
  static SmallVector<StringRef> findLibraries(ModuleOp module) {
    SmallVector<StringRef> names;
    if (has<ContractOp, ContractStageOp>(module) &&
        runtime::cuda::hasCuBLASLt())
      names.push_back(stringifyLibraryKind(LibraryKind::CuBLASLt));
    if (!has<ConvolutionOp>(module))
      return names;
    std::string reason;
    if (runtime::cuda::hasCuDNN(&reason))
      names.push_back(
          stringifyConvolutionLibraryKind(ConvolutionLibraryKind::CuDNN));
    else
      warnOnce(module, reason);
    return names;
  }

  static void warnOnce(ModuleOp module, StringRef reason) {
    static std::atomic_flag isWarned = ATOMIC_FLAG_INIT;
    if (!isWarned.test_and_set())
      module.emitWarning("convolutions are computed by TC's own kernels: ")
          << reason;
  }

  /// Whether the module, once it is imported, has one of the ops.
  template <typename... Ops> static bool has(ModuleOp module) {
    return module
        .walk([](Operation *op) {
          return isa<Ops...>(op) ? WalkResult::interrupt()
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
