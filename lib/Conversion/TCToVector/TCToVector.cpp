//===- TCToVector.cpp - convert-tc-to-vector ------------------------------===//

#include "../KernelEmission/KernelWrites.h"
#include "AttentionKernel.h"
#include "ContractionKernel.h"
#include "PointKernel.h"
#include "RoutineKernel.h"
#include "SortKernel.h"
#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Conversion/Passes.h"
#include "TC/Target/CPU/CPUTarget.h"
#include "TransposeKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOVECTORPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Refuses a schedule of another form of kernel, or for another target.
static LogicalResult refuseSchedule(KernelOp kernel) {
  return kernel.emitOpError("'")
         << kernel.getName() << "' has the schedule "
         << kernel.getScheduleAttr()
         << ", which is not for a kernel of its form on a CPU";
}

/// Refuses a contraction's schedule of which there is no plan.
static LogicalResult refuseTiles(KernelOp kernel) {
  return kernel.emitOpError("'")
         << kernel.getName() << "' has the schedule "
         << kernel.getScheduleAttr() << ", whose tiles "
         << (kernel.getWritesOverInput() ? "cannot write over an input"
                                         : "the target cannot compute")
         << "; expected accumulators in at most " << kMostAccumulators
         << " vector registers, packed operands of at most " << kMostPackedBytes
         << " bytes, rows that share a panel, and lanes or points of the "
            "panel operand that are contiguous where tiles read them in place";
}

/// The emitter is the one that the schedule is for; without a schedule a kernel
/// is computed point by point.
static FailureOr<LaunchShape> emitKernel(CPUFrame &frame) {
  KernelOp kernel = frame.kernel;
  Attribute schedule = kernel.getScheduleAttr();
  if (ScheduleAttrInterface made = kernel.getScheduleAttr();
      made && made.getDeviceKind() != "cpu")
    return refuseSchedule(kernel);
  if (std::optional<TaskPlan> plan = planTasks(kernel))
    return kernel.getBodyBlock().getOps<SortStageOp>().empty()
               ? emitRoutineKernel(frame, *plan)
               : emitSortKernel(frame, *plan);
  if (llvm::any_of(kernel.getBodyBlock(),
                   [](Operation &op) { return isWholeStage(&op); }))
    return refuseSchedule(kernel);
  if (auto tiles = dyn_cast_or_null<AttentionScheduleAttr>(schedule)) {
    auto attention = TiledAttention::find(kernel, frame.dims);
    auto plan = attention ? planAttention(kernel, *attention, tiles,
                                          MachineModel::get(kernel))
                          : std::nullopt;
    if (!plan)
      return refuseSchedule(kernel);
    return emitAttentionKernel(frame, *plan);
  }
  if (auto squares = dyn_cast_or_null<TransposeScheduleAttr>(schedule)) {
    auto transpose =
        TiledTranspose::find(kernel, frame.dims, squares.getVectorDim());
    if (!transpose)
      return refuseSchedule(kernel);
    return emitTransposeKernel(frame, *transpose, squares);
  }
  if (auto tiles = dyn_cast_or_null<ContractionScheduleAttr>(schedule)) {
    auto plan = planContraction(frame);
    if (tiles.getPointsBelow() == kAllCalls && !kernel.getWritesOverInput() &&
        !(plan && plan->isPackedAhead))
      return emitPointKernel(frame);
    if (!plan)
      return refuseTiles(kernel);
    auto few = planFewTile(frame, *plan);
    if (tiles.getFewTile() && !few)
      return refuseTiles(kernel);
    return emitContractionKernel(frame, *plan, few);
  }
  if (hasContraction(kernel) && kernel.getWritesOverInput())
    return kernel.emitOpError("'")
           << kernel.getName()
           << "' writes over an input of a contraction; expected a "
              "#tc.contraction_schedule";
  return emitPointKernel(frame);
}

namespace {
class ConvertTCToVectorPass
    : public tc::impl::ConvertTCToVectorPassBase<ConvertTCToVectorPass> {
public:
  using ConvertTCToVectorPassBase::ConvertTCToVectorPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    hasAvx512 = avx512;
    hasBF16Dot = bf16Dot;
    hasBF16Tiles = bf16Tiles;
    if (target.empty())
      return success();
    llvm::Expected<CPUTarget> cpu = CPUTarget::parse(target);
    if (!cpu)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(cpu.takeError());
    CPUCapabilities can = cpu->capabilities();
    hasAvx512 = can.hasAvx512;
    hasBF16Dot = can.hasBF16Dot;
    hasBF16Tiles = can.hasBF16Tiles;
    hasFMA = can.hasFMA;
    hasF16Conversion = can.hasF16Conversion;
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    vectormath::VectorMathOptions mathOptions;
    mathOptions.hasAvx512 = hasAvx512;
    mathOptions.hasFMA = hasFMA;
    mathOptions.hasF16Conversion = hasF16Conversion;
    mathOptions.hasBF16Dot = hasBF16Dot;
    mathOptions.hasBF16Tiles = hasBF16Dot && hasBF16Tiles;
    if (failed(replaceKernels(module, [&](KernelOp kernel, StringRef name,
                                          std::unique_ptr<KernelFrame> &frame) {
          auto made =
              std::make_unique<CPUFrame>(kernel, name, module, mathOptions);
          CPUFrame &cpuFrame = *made;
          frame = std::move(made);
          return emitKernel(cpuFrame);
        })))
      signalPassFailure();
  }

private:
  bool hasAvx512 = false, hasBF16Dot = false, hasBF16Tiles = false;
  bool hasFMA = true, hasF16Conversion = true;
};
} // namespace
