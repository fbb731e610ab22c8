//===- TCToGPU.cpp - convert-tc-to-gpu ------------------------------------===//

#include "ColumnKernel.h"
#include "GPUFrame.h"
#include "PointKernel.h"
#include "RowKernel.h"
#include "TC/Conversion/Passes.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "TransposeKernel.h"
#include "TC/Analysis/KernelIterations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOGPUPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The op of the kernel that has no code on a GPU yet; null when all have.
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

/// Threads of a block by the kernel's schedule.
static FailureOr<int64_t> getThreads(KernelOp kernel) {
  return llvm::TypeSwitch<Attribute, FailureOr<int64_t>>(
             kernel.getScheduleAttr())
      .Case<GPULoopScheduleAttr, GPUTransposeScheduleAttr>(
          [](auto schedule) { return schedule.getThreads(); })
      .Case([](GPURowScheduleAttr schedule) {
        return schedule.getThreads() * schedule.getRows();
      })
      .Case([](GPUColumnScheduleAttr schedule) {
        return schedule.getColumnThreads() * schedule.getRowThreads();
      })
      .Default([&](Attribute) -> FailureOr<int64_t> {
        return kernel.emitOpError("'")
               << kernel.getName()
               << "' has no schedule for a GPU, such as "
                  "#tc.gpu_loop_schedule, which says how many threads a block "
                  "has";
      });
}

/// Blocks of a cluster by the kernel's schedule.
static int64_t getCluster(KernelOp kernel) {
  auto rows = dyn_cast<GPURowScheduleAttr>(kernel.getScheduleAttr());
  return rows ? rows.getCluster() : 1;
}

/// Rows of any length, for a loop schedule whose lanes are along a dimension
/// that is folded.
static GPURowScheduleAttr getRowSchedule(GPULoopScheduleAttr schedule) {
  return GPURowScheduleAttr::get(
      schedule.getContext(), schedule.getVectorDim(), schedule.getVectorWidth(),
      /*units=*/0, schedule.getThreads(), /*rows=*/1, /*cluster=*/1);
}

static FailureOr<LaunchShape> emitKernel(GPUFrame &frame) {
  KernelOp kernel = frame.kernel;
  return llvm::TypeSwitch<Attribute, FailureOr<LaunchShape>>(
             kernel.getScheduleAttr())
      .Case([&](GPULoopScheduleAttr schedule) {
        int64_t dim = schedule.getVectorDim();
        bool isRow = dim >= 0 && !getOuterDims(kernel, frame.dims).test(dim);
        return isRow ? emitRowKernel(frame, getRowSchedule(schedule))
                     : emitPointKernel(frame, schedule);
      })
      .Case([&](GPURowScheduleAttr schedule) {
        return emitRowKernel(frame, schedule);
      })
      .Case([&](GPUColumnScheduleAttr schedule) {
        return emitColumnKernel(frame, schedule);
      })
      .Case([&](GPUTransposeScheduleAttr schedule) -> FailureOr<LaunchShape> {
        auto roles = TiledTranspose::find(kernel, frame.dims,
                                          schedule.getVectorDim());
        if (!roles || roles->pairDim)
          return kernel.emitOpError("'")
                 << kernel.getName() << "' has a #tc."
                 << schedule.getMnemonic()
                 << ", but no read that is contiguous along another dimension "
                    "than its writes; expected a #tc.gpu_loop_schedule";
        return emitTransposeKernel(frame, *roles, schedule);
      })
      .Default([](Attribute) { return failure(); });
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
    mathOptions.hasSpecialFunctions = true;
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
                  kernel, name, module, attribute, *threads,
                  getCluster(kernel), mathOptions);
              FailureOr<LaunchShape> shape = emitKernel(*made);
              frame = std::move(made);
              return shape;
            })))
      signalPassFailure();
  }

private:
  /// The host function cannot read a condition in the GPU's memory.
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
