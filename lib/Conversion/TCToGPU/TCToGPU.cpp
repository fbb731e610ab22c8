//===- TCToGPU.cpp - convert-tc-to-gpu ------------------------------------===//

#include "GPUFrame.h"
#include "ScanKernel.h"
#include "ScatterKernel.h"
#include "SortKernel.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Analysis/TaskPlan.h"
#include "TC/Conversion/Passes.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "ThreadKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOGPUPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The category of the remarks on what the host does for a GPU.
static constexpr StringLiteral kHostCategory = "host";

static void remarkHost(Location loc, StringRef text) {
  remark::analysis(
      loc,
      remark::RemarkOpts::name("convert-tc-to-gpu").category(kHostCategory))
      << text.str();
}

/// Whether the host computes the kernel, as its schedule says.
static bool isForHost(KernelOp kernel) {
  return isa_and_nonnull<TaskScheduleAttr>(kernel.getScheduleAttr()) &&
         !kernel.getBodyBlock().getOps<RoutineStageOp>().empty();
}

// Refused on a GPU: a kernel without a schedule for GPUs, as threads and blocks
// are fields of one; phase fuse gives every kernel one.
static LogicalResult refuseSchedule(KernelOp kernel) {
  return kernel.emitOpError("'")
         << kernel.getName() << "' has "
         << (kernel.getScheduleAttr() ? "a schedule that is not for its form"
                                      : "no schedule")
         << ", which says how many threads a block of a GPU has";
}

/// The frame and the code that the schedule is for.
static FailureOr<LaunchShape> emitKernel(
    KernelOp kernel, std::unique_ptr<KernelFrame> &frame,
    function_ref<std::unique_ptr<GPUFrame>(int64_t threads, bool hasSteps)>
        makeFrame) {
  auto make = [&](int64_t threads, bool hasSteps = false) -> GPUFrame & {
    auto made = makeFrame(threads, hasSteps);
    GPUFrame &result = *made;
    frame = std::move(made);
    return result;
  };
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  if (!schedule || failed(verifySchedule(kernel, schedule)))
    return schedule ? failure() : refuseSchedule(kernel);
  return llvm::TypeSwitch<Attribute, FailureOr<LaunchShape>>(schedule)
      .Case([&](GPULoopScheduleAttr loops) -> FailureOr<LaunchShape> {
        return emitThreadKernel(make(loops.getThreads()));
      })
      .Case([&](GPUScanScheduleAttr scan) -> FailureOr<LaunchShape> {
        return emitScanKernel(
            make(scan.getThreads(), /*hasSteps=*/scan.getSegments() > 1), scan);
      })
      .Case([&](GPUSortScheduleAttr sort) -> FailureOr<LaunchShape> {
        return emitSortKernel(make(sort.getThreads(), /*hasSteps=*/true), sort);
      })
      .Case([&](GPUScatterScheduleAttr scatter) -> FailureOr<LaunchShape> {
        bool hasSteps = scatter.getAtomic() && replacesAtomically(kernel);
        return emitScatterKernel(make(scatter.getThreads(), hasSteps), scatter);
      })
      .Default([&](Attribute) -> FailureOr<LaunchShape> {
        return refuseSchedule(kernel);
      });
}

namespace {
class TCToGPUPass : public tc::impl::ConvertTCToGPUPassBase<TCToGPUPass> {
public:
  using ConvertTCToGPUPassBase::ConvertTCToGPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
    if (!target || target.getKind() != "cuda")
      return;
    llvm::Expected<CUDATarget> cuda = CUDATarget::fromAttribute(target);
    if (!cuda) {
      module.emitError() << llvm::toString(cuda.takeError());
      return signalPassFailure();
    }
    remarkHostWork(module);
    Attribute attribute = NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/2, CUDATarget::kTriple, cuda->chip,
        cuda->features);
    vectormath::VectorMathOptions mathOptions;
    mathOptions.hasBF16Rounding = true; // sm_80 and later
    auto generate = [&](KernelOp kernel, StringRef name,
                        std::unique_ptr<KernelFrame> &frame) {
      return emitKernel(kernel, frame, [&](int64_t threads, bool hasSteps) {
        return std::make_unique<GPUFrame>(kernel, name, module, attribute,
                                          threads, mathOptions, hasSteps);
      });
    };
    if (failed(replaceKernels(module, generate, [](KernelOp kernel) {
          return !isForHost(kernel);
        })))
      signalPassFailure();
  }

private:
  /// Says what the host waits for: conditions, sizes and routines.
  static void remarkHostWork(ModuleOp module) {
    module.walk([](Operation *op) {
      if (isa<IfOp, WhileOp>(op))
        remarkHost(op->getLoc(),
                   isa<IfOp>(op)
                       ? "the host reads the condition of a branch from the "
                         "GPU, once the kernels before it have ended"
                       : "the host reads the condition of a loop from the GPU "
                         "for each iteration, once its kernels have ended");
      else if (isa<SizeFromOp>(op))
        remarkHost(op->getLoc(), "the host reads a size from the GPU, once the "
                                 "kernels before it have ended");
      else if (auto kernel = dyn_cast<KernelOp>(op);
               kernel && isForHost(kernel))
        remarkHost(op->getLoc(), ("the host computes '" + kernel.getName() +
                                  "', a routine, with copies of its inputs "
                                  "and outputs")
                                     .str());
    });
  }
};
} // namespace
