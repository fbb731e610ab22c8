//===- TCToGPU.cpp - convert-tc-to-gpu ------------------------------------===//

#include "GPUFrame.h"
#include "TC/Conversion/Passes.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "ThreadKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOGPUPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// What of the kernel has no code on a GPU yet; null when all has.
static const char *findUnsupported(KernelOp kernel) {
  if (kernel.getKernelClass() == KernelClass::LibraryCall)
    return "a call of a library";
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ScanStageOp>(op))
      return "a scan";
    if (isa<SortStageOp>(op))
      return "a sort";
    if (isa<RoutineStageOp>(op))
      return "a routine";
    auto write = dyn_cast<WriteOp>(op);
    // Which of two threads comes first is not known.
    if (write && write.getCombine() != CombineKind::Replace)
      return "a write that combines with what is in place";
    if (write && !write.getIndices().empty())
      return "a write to computed indices";
  }
  return nullptr;
}

static FailureOr<int64_t> getThreads(KernelOp kernel) {
  auto schedule =
      dyn_cast_or_null<GPULoopScheduleAttr>(kernel.getScheduleAttr());
  if (schedule)
    return schedule.getThreads();
  return kernel.emitOpError("'")
         << kernel.getName()
         << "' has no #tc.gpu_loop_schedule, which says how many threads a "
            "block has";
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
    if (failed(checkBranches(module)))
      return signalPassFailure();
    Attribute attribute = NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/2, CUDATarget::kTriple, cuda->chip,
        cuda->features);
    vectormath::VectorMathOptions mathOptions;
    mathOptions.hasBF16Rounding = true; // sm_80 and later
    if (failed(replaceKernels(
            module,
            [&](KernelOp kernel, StringRef name,
                std::unique_ptr<KernelFrame> &frame) -> FailureOr<LaunchShape> {
              if (failed(checkSupported(kernel)))
                return failure();
              FailureOr<int64_t> threads = getThreads(kernel);
              if (failed(threads))
                return failure();
              auto made = std::make_unique<GPUFrame>(
                  kernel, name, module, attribute, *threads, mathOptions);
              LaunchShape shape = emitThreadKernel(*made);
              frame = std::move(made);
              return shape;
            })))
      signalPassFailure();
  }

private:
  /// The host function cannot read a condition that lies on the GPU.
  static LogicalResult checkBranches(ModuleOp module) {
    WalkResult found = module.walk([](Operation *op) {
      if (!isa<IfOp, WhileOp>(op))
        return WalkResult::advance();
      InFlightDiagnostic error = op->emitOpError(
          "depends on a value that a kernel makes, for which there is no code "
          "generator for cuda");
      error.attachNote() << "generate code for a CPU instead (--target=cpu), "
                         << (isa<IfOp>(op) ? "or choose between the results "
                                             "with torch.where"
                                           : "or unroll the loop");
      return WalkResult::interrupt();
    });
    return failure(found.wasInterrupted());
  }

  static LogicalResult checkSupported(KernelOp kernel) {
    const char *reason = findUnsupported(kernel);
    if (!reason)
      return success();
    InFlightDiagnostic error =
        kernel.emitOpError("'")
        << kernel.getName() << "' of class "
        << stringifyKernelClass(kernel.getKernelClass()) << " has " << reason
        << ", for which there is no code generator for cuda";
    error.attachNote() << "generate code for a CPU instead (--target=cpu), or "
                          "keep this op out of the module";
    return error;
  }
};
} // namespace
