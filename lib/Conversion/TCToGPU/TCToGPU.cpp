//===- TCToGPU.cpp - convert-tc-to-gpu ------------------------------------===//

#include "AttentionBackwardKernel.h"
#include "AttentionKernel.h"
#include "ColumnKernel.h"
#include "ContractionKernel.h"
#include "GPUFrame.h"
#include "LibraryCalls.h"
#include "PointKernel.h"
#include "RowKernel.h"
#include "ScanKernel.h"
#include "ScatterKernel.h"
#include "SharedMemoryRowKernel.h"
#include "SortKernel.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Analysis/TaskPlan.h"
#include "TC/Conversion/Passes.h"
#include "TC/Dialect/Block/IR/BlockOps.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "TransposeKernel.h"
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

/// Rows of any length, for a loop schedule whose lanes are along a dimension
/// that is folded.
static GPURowScheduleAttr getRowSchedule(GPULoopScheduleAttr schedule) {
  return GPURowScheduleAttr::get(
      schedule.getContext(), schedule.getVectorDim(), schedule.getVectorWidth(),
      /*units=*/1, /*held=*/false, /*packed=*/false, schedule.getThreads(),
      /*rows=*/1, /*cluster=*/1, /*fitsThreads=*/false, /*blocks=*/0,
      /*shared=*/false, /*evictLast=*/false);
}

static FailureOr<LaunchShape> emitTranspose(GPUFrame &frame,
                                            GPUTransposeScheduleAttr schedule) {
  KernelOp kernel = frame.kernel;
  auto roles = TiledTranspose::findForBlocks(kernel, frame.dims,
                                             schedule.getVectorDim());
  if (!roles)
    return kernel.emitOpError("'")
           << kernel.getName() << "' has a #tc." << schedule.getMnemonic()
           << ", but no read that is contiguous along another dimension than "
              "its writes; expected a #tc.gpu_loop_schedule";
  return emitTransposeKernel(frame, *roles, schedule);
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

static FailureOr<LaunchShape>
emitContraction(KernelOp kernel, GPUContractionScheduleAttr schedule,
                function_ref<GPUFrame &(GPUFrame::Launches)> makeFrame) {
  auto refuse = [&]() -> InFlightDiagnostic {
    return kernel.emitOpError("'") << kernel.getName() << "' has a #tc."
                                   << schedule.getMnemonic() << ", but ";
  };
  MachineModel machine = MachineModel::get(kernel);
  const bool isByWarps = schedule.getWarpProducts();
  if (!isByWarps && !machine.hasWarpGroupProducts)
    return refuse() << "the target is not sm_90a with at least ptx86; expected "
                       "warp_products";
  auto product = TensorCoreProduct::find(kernel, schedule.getVectorDim(),
                                         /*hasCopyEngine=*/!isByWarps);
  if (!product)
    return refuse() << llvm::toString(product.takeError());
  if (isByWarps && isFloat8Type(product->lanes.value.getType()))
    return refuse() << "it multiplies floats of 8 bits: expected a schedule "
                       "without warp_products";
  const int64_t products = product->countProducts(),
                lanes = product->getStepElements() * schedule.getCluster() *
                        products;
  constexpr int64_t kStoredLanes = 32, kLaneUnit = 8;
  if (products > 1 && (schedule.getCluster() > 1 || schedule.getSplits() > 1))
    return refuse()
           << "it has two products: expected cluster = 1 and splits = 1";
  if (product->roles.group &&
      (schedule.getCluster() > 1 || schedule.getSplits() > 1))
    return refuse() << "its rows have matrices of their own: expected cluster "
                       "= 1 and splits = 1";
  if (product->roles.group && schedule.getTailBlocks() > 0)
    return refuse() << "its rows have matrices of their own: expected "
                       "tail_blocks = 0";
  const int64_t unit =
      products * (schedule.getAsyncStore() ? kStoredLanes : kLaneUnit);
  if (products > 1 && schedule.getLanes() % unit != 0)
    return refuse() << "it has two products: expected a multiple of " << unit
                    << " lanes, not " << schedule.getLanes();
  if (!isByWarps && product->lanes.value.getType().isInteger() &&
      !haveInstruction(schedule.getLanes()))
    return refuse() << "it multiplies integers: expected 8, 24 or a multiple "
                       "of 16 lanes, not "
                    << schedule.getLanes();
  if (product->lanes.isAcross && product->mayLoad() &&
      schedule.getLanes() % lanes != 0)
    return refuse() << "the operand with the lanes is contiguous along them, "
                       "and threads may load an operand; expected a multiple "
                       "of "
                    << lanes << " lanes, not " << schedule.getLanes();
  if (product->lanes.hasWindowBoxes() && schedule.getLanes() % lanes != 0)
    return refuse() << "each " << product->getStepElements()
                    << " of its lanes are channels under a point of a window; "
                       "expected a multiple of "
                    << lanes << " lanes, not " << schedule.getLanes();
  const int64_t staged = products *
                         product->getStageLanes(schedule.getLanes() / products,
                                                schedule.getCluster()),
                stages = GPUContractionScheduleAttr::getMostStages(
                    machine.blockSharedBytes, schedule.getRows(), staged,
                    schedule.getAsyncStore(), schedule.getSplits());
  if (schedule.getStages() > stages)
    return refuse() << "whole boxes of the operand with the lanes leave shared "
                       "memory for "
                    << stages << " stages, not " << schedule.getStages();
  if (schedule.getAsyncStore() && !product->results)
    return refuse() << "the copy engine cannot store its results: expected one "
                       "for each point, of bf16 or f16, contiguous along an "
                       "even number of lanes, in rows multiples of 16 bytes "
                       "apart";
  return emitContractionKernel(
      makeFrame(getContractionLaunches(*product, schedule)), *product,
      schedule);
}

static FailureOr<LaunchShape>
emitAttention(KernelOp kernel, GPUAttentionScheduleAttr schedule,
              function_ref<GPUFrame &(GPUFrame::Launches)> makeFrame) {
  auto refuse = [&]() -> InFlightDiagnostic {
    return kernel.emitOpError("'") << kernel.getName() << "' has a #tc."
                                   << schedule.getMnemonic() << ", but ";
  };
  MachineModel machine = MachineModel::get(kernel);
  if (!schedule.getWarpProducts() && !machine.hasWarpGroupProducts)
    return refuse() << "the target is not sm_90a with at least ptx86; expected "
                       "warp_products";
  auto attention =
      TensorCoreAttention::find(kernel, schedule.getVectorDim(),
                                /*hasCopyEngine=*/!schedule.getWarpProducts());
  if (!attention)
    return refuse() << llvm::toString(attention.takeError());
  constexpr int64_t kStoredColumns = block::kBoxElements / 2, kColumnUnit = 8;
  if (schedule.getAsyncStore() &&
      (!attention->results || attention->columns % kStoredColumns != 0))
    return refuse() << "the copy engine cannot store its results: expected one "
                       "for each point, of bf16 or f16, contiguous along a "
                       "number of columns that is a multiple of "
                    << kStoredColumns
                    << ", in rows multiples of 16 bytes apart";
  const int64_t columnUnit = kColumnUnit * schedule.getSplits();
  if (attention->countMultipliedColumns() % columnUnit != 0)
    return refuse() << "it has " << attention->columns
                    << " columns; expected a multiple of " << columnUnit;
  const int64_t bytes = attention->getMemory(schedule).end;
  if (bytes > machine.blockSharedBytes)
    return refuse() << "its tiles take " << bytes
                    << " bytes of shared memory; expected at most "
                    << machine.blockSharedBytes;
  return emitAttentionKernel(makeFrame(getAttentionLaunches(schedule)),
                             *attention, schedule);
}

static FailureOr<LaunchShape>
emitAttentionBackward(KernelOp kernel,
                      GPUAttentionBackwardScheduleAttr schedule,
                      function_ref<GPUFrame &(GPUFrame::Launches)> makeFrame) {
  auto refuse = [&]() -> InFlightDiagnostic {
    return kernel.emitOpError("'") << kernel.getName() << "' has a #tc."
                                   << schedule.getMnemonic() << ", but ";
  };
  if (!MachineModel::get(kernel).hasWarpGroupProducts)
    return refuse() << "the target is not sm_90a with at least ptx86";
  auto gradients = TensorCoreAttentionBackward::find(kernel);
  if (!gradients)
    return refuse() << llvm::toString(gradients.takeError());
  if (schedule.getQueries() != gradients->getQueries())
    return refuse() << "it has a depth of " << gradients->depth
                    << ": expected steps of " << gradients->getQueries()
                    << " queries, not " << schedule.getQueries();
  const int64_t bytes = gradients->getMemory(schedule.getStages()).end;
  if (bytes > block::kMostSharedBytes)
    return refuse() << "its stages take " << bytes
                    << " bytes of shared memory; expected at most "
                    << block::kMostSharedBytes;
  return emitAttentionBackwardKernel(makeFrame(getAttentionBackwardLaunches()),
                                     *gradients, schedule);
}

/// The frame and the code that the schedule is for.
static FailureOr<LaunchShape>
emitKernel(KernelOp kernel,
           function_ref<GPUFrame &(GPUFrame::Launches)> makeFrame) {
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  if (!schedule || failed(verifySchedule(kernel, schedule)))
    return schedule ? failure() : refuseSchedule(kernel);
  return llvm::TypeSwitch<Attribute, FailureOr<LaunchShape>>(schedule)
      .Case([&](GPULoopScheduleAttr loops) -> FailureOr<LaunchShape> {
        GPUFrame &made = makeFrame({loops.getThreads()});
        int64_t dim = loops.getVectorDim();
        bool isRow = dim >= 0 && !getOuterDims(kernel, made.dims).test(dim);
        return isRow ? emitRowKernel(made, getRowSchedule(loops))
                     : emitPointKernel(made, loops);
      })
      .Case([&](GPURowScheduleAttr rows) -> FailureOr<LaunchShape> {
        return emitRowKernel(makeFrame({rows.getThreads() * rows.getRows(),
                                        rows.getCluster(), /*hasSteps=*/false,
                                        /*usesCounters=*/rows.getBlocks() > 0}),
                             rows);
      })
      .Case([&](GPUSharedMemoryRowScheduleAttr rows) -> FailureOr<LaunchShape> {
        return emitSharedMemoryRowKernel(
            makeFrame({rows.getThreads() * rows.getRows()}), rows);
      })
      .Case([&](GPUColumnScheduleAttr columns) -> FailureOr<LaunchShape> {
        return emitColumnKernel(
            makeFrame({columns.getColumnThreads() * columns.getRowThreads(),
                       /*cluster=*/1, /*hasSteps=*/false,
                       /*usesCounters=*/columns.getBlocks() > 0}),
            columns);
      })
      .Case([&](GPUTransposeScheduleAttr tiles) -> FailureOr<LaunchShape> {
        return emitTranspose(makeFrame({tiles.getThreads()}), tiles);
      })
      .Case([&](GPUContractionScheduleAttr contraction) {
        return emitContraction(kernel, contraction, makeFrame);
      })
      .Case([&](GPUAttentionScheduleAttr attention) {
        return emitAttention(kernel, attention, makeFrame);
      })
      .Case([&](GPUAttentionBackwardScheduleAttr gradients) {
        return emitAttentionBackward(kernel, gradients, makeFrame);
      })
      .Case([&](GPUScanScheduleAttr scan) -> FailureOr<LaunchShape> {
        return emitScanKernel(makeFrame({scan.getThreads(), /*cluster=*/1,
                                         /*hasSteps=*/scan.getSegments() > 1}),
                              scan);
      })
      .Case([&](GPUSortScheduleAttr sort) -> FailureOr<LaunchShape> {
        return emitSortKernel(
            makeFrame({sort.getThreads(), /*cluster=*/1, /*hasSteps=*/true}),
            sort);
      })
      .Case([&](GPUScatterScheduleAttr scatter) -> FailureOr<LaunchShape> {
        bool hasSteps = scatter.getAtomic() && replacesAtomically(kernel);
        return emitScatterKernel(
            makeFrame({scatter.getThreads(), /*cluster=*/1, hasSteps}),
            scatter);
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
    if (failed(replaceByLibraryCalls(module)))
      return signalPassFailure();
    Attribute attribute = NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/2, CUDATarget::kTriple, cuda->chip,
        cuda->features);
    vectormath::VectorMathOptions mathOptions;
    mathOptions.hasBF16Rounding = true; // sm_80 and later
    mathOptions.hasPairsOf16Bits = true;
    mathOptions.ordersZeros = true;
    mathOptions.hasSpecialFunctions = true;
    bool overlaps = MachineModel::get(module).clusterBlocks > 1;
    auto generate = [&](KernelOp kernel, StringRef name,
                        std::unique_ptr<KernelFrame> &frame) {
      bool alignedBuffers = false;
      FailureOr<LaunchShape> shape =
          emitKernel(kernel, [&](GPUFrame::Launches launches) -> GPUFrame & {
            alignedBuffers = launches.alignedBuffers;
            auto made =
                std::make_unique<GPUFrame>(kernel, name, module, attribute,
                                           mathOptions, launches, overlaps);
            GPUFrame &result = *made;
            frame = std::move(made);
            return result;
          });
      if (succeeded(shape)) {
        shape->programmatic = overlaps;
        shape->alignedBuffers = alignedBuffers;
      }
      return shape;
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
