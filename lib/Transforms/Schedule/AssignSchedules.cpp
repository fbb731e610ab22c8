//===- AssignSchedules.cpp - tc-assign-schedules --------------------------===//

#include "GPUSchedule.h"
#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Frontend/Text/ModuleText.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNSCHEDULESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Work for which one thread is worth waking.
static constexpr double kBytesPerThread = 16 * 1024;

/// What a schedule in a library applies to: class, dimensions, element types
/// of the buffers, and the kind of target.
static std::string getScheduleKey(KernelOp kernel, StringRef target) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << stringifyKernelClass(kernel.getKernelClass()) << "[";
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    os << (dim ? "x" : "");
    kernel.getDimSize(dim).printExpression(os);
    os << (kernel.getDim(dim).getIterator() == IteratorKind::Reduced ? "r"
                                                                     : "");
  }
  os << "](";
  llvm::interleaveComma(kernel.getOperands(), os, [&](Value operand) {
    os << cast<ShapedType>(operand.getType()).getElementType();
  });
  os << ")@" << target;
  return key;
}

namespace {
/// The machine model's schedule of one kernel.
class ModelSchedule {
public:
  ModelSchedule(KernelOp kernel, const MachineModel &machine,
                PreparedValues &prepared)
      : kernel(kernel), machine(machine), prepared(prepared) {}

  ScheduleAttr get() {
    int64_t vectorDim = getContiguousDim(kernel);
    int64_t width =
        std::max<int64_t>(1, machine.vectorBits / getComputeBits(kernel));
    int64_t unroll = 1;
    SmallVector<int64_t> tile, fewTile;
    int64_t fewBelow = 0;
    switch (kernel.getKernelClass()) {
    case KernelClass::RowReduction:
      vectorDim = getRowLanes(vectorDim);
      [[fallthrough]];
    case KernelClass::Pointwise:
      unroll = vectorDim >= 0 && sizeAtLeast(vectorDim, 4 * width) ? 4 : 1;
      break;
    case KernelClass::ColumnReduction:
      unroll = getColumnUnroll(vectorDim, width);
      break;
    case KernelClass::Transpose:
      // Lanes along what is written; the reads are turned in registers.
      vectorDim = getWrittenDim(kernel);
      tile = {64, 64};
      break;
    case KernelClass::Contraction:
      vectorDim = getWrittenDim(kernel);
      if (auto roles = findContractionRoles(vectorDim)) {
        vectorDim = roles->vectorDim;
        bool stagesPanel = !isPackedAhead(*roles);
        ContractionTile chosen =
            chooseContractionTile(kernel, *roles, machine, stagesPanel);
        tile = getSizes(chosen);
        if (auto few = chooseFewPointsTile(kernel, *roles, machine, chosen,
                                           stagesPanel)) {
          fewBelow = few->writtenBelow;
          fewTile = getSizes(few->tile);
        }
      }
      break;
    case KernelClass::Attention:
      vectorDim = getWrittenDim(kernel);
      tile = {32, 64};
      break;
    default:
      break;
    }
    if (vectorDim < 0)
      width = 1;
    int64_t mostLanes = getMostLanes(kernel, vectorDim);
    while (unroll > 1 && width * unroll > mostLanes)
      unroll /= 2;
    return ScheduleAttr::get(kernel.getContext(), vectorDim, width, unroll,
                             getGrain(vectorDim), /*threads=*/0, tile,
                             writesPastCaches(), fewBelow, fewTile);
  }

private:
  bool sizeAtLeast(unsigned dim, int64_t count) {
    return estimateSize(kernel, kernel.getDimSize(dim)) >= double(count);
  }

  /// Lanes run along a row, unless it is so short that they had better run
  /// across rows, which are then read whole.
  int64_t getRowLanes(int64_t vectorDim) {
    constexpr int64_t kShortRow = 4;
    std::optional<int64_t> row;
    if (vectorDim >= 0)
      row = kernel.getDimSize(vectorDim).getConstant();
    if (!row || *row > kShortRow)
      return vectorDim;
    DimSet outer = getParallelDims(kernel, KernelDims(kernel));
    outer.reset(vectorDim);
    int64_t across = outer.find_last();
    return across >= 0 && sizeAtLeast(across, 2 * kShortRow) ? across
                                                             : vectorDim;
  }

  /// Columns are summed in strips down the rows. Wide strips, of a folded value
  /// that costs little, read longer runs of a row: fewer pages, and more of a
  /// page once it is open. Every core must get a strip.
  int64_t getColumnUnroll(int64_t vectorDim, int64_t width) {
    if (vectorDim < 0)
      return 1;
    constexpr int64_t kMostStridedLanes = 64;
    if (readsApart(kernel, vectorDim)) {
      int64_t unroll = std::clamp<int64_t>(kMostStridedLanes / width, 1, 4);
      return sizeAtLeast(vectorDim, unroll * width) ? unroll : 1;
    }
    constexpr double kLightWeight = 4;
    double points = estimatePoints(kernel, DimSet(kernel.getNumDims(), true));
    if (estimateCost(kernel).flops <= kLightWeight * points)
      for (int64_t unroll : {32, 16, 8})
        if (sizeAtLeast(vectorDim, machine.units * unroll * width))
          return unroll;
    return sizeAtLeast(vectorDim, 4 * width) ? 4 : 1;
  }

  /// Whether the outputs would push the inputs out of the shared cache, and
  /// themselves before they are read.
  bool writesPastCaches() {
    switch (kernel.getKernelClass()) {
    case KernelClass::Pointwise:
    case KernelClass::RowReduction:
    case KernelClass::ColumnReduction:
    case KernelClass::Transpose: {
      KernelCost cost = estimateCost(kernel);
      return cost.getBytes() > double(machine.sharedCacheBytes) &&
             cost.bytesWritten > double(machine.sharedCacheBytes) / 4;
    }
    default:
      return false;
    }
  }

  /// Lanes run along what is written, unless that has few points and the rows
  /// are of a parameter: a convolution of small images. Then they run along
  /// these rows, which can be packed ahead, and results are scattered.
  std::optional<ContractionRoles> findContractionRoles(int64_t written) {
    constexpr double kFewLanes = 64;
    KernelDims dims(kernel);
    auto roles = ContractionRoles::find(kernel, dims, written);
    if (!roles || roles->rows.empty() ||
        !sizeAtLeast(roles->rows.back(), kFewLanes))
      return roles;
    DimSet lanes(kernel.getNumDims());
    for (unsigned dim : roles->lanes)
      lanes.set(dim);
    auto read = roles->rowOperand.getDefiningOp<ReadOp>();
    if (!read || estimatePoints(kernel, lanes) >= kFewLanes ||
        !prepared.isOfParameters(getOperandOf(kernel, read.getSource())))
      return roles;
    return ContractionRoles::find(kernel, dims, roles->rows.back());
  }

  bool isPackedAhead(const ContractionRoles &roles) {
    auto read = roles.panel.getDefiningOp<ReadOp>();
    return read &&
           prepared.isOfParameters(getOperandOf(kernel, read.getSource()));
  }

  static SmallVector<int64_t> getSizes(const ContractionTile &tile) {
    return {tile.rows, tile.lanes, tile.reduced, tile.blockRows,
            tile.blockLanes};
  }

  /// Iterations of the outer dimensions that make a thread's worth of work.
  int64_t getGrain(int64_t vectorDim) {
    KernelDims values(kernel);
    DimSet outer = getParallelDims(kernel, values);
    if (vectorDim >= 0)
      outer.reset(vectorDim);
    double iterations = std::max(estimatePoints(kernel, outer), 1.0);
    KernelCost cost = estimateCost(kernel);
    double work = std::max(cost.getBytes(), cost.flops / machine.unitRate *
                                                machine.unitBandwidth) /
                  iterations;
    return std::max<int64_t>(
        1, static_cast<int64_t>(kBytesPerThread / std::max(work, 1.0)));
  }

  KernelOp kernel;
  const MachineModel &machine;
  PreparedValues &prepared;
};

class AssignSchedulesPass
    : public tc::impl::TCAssignSchedulesPassBase<AssignSchedulesPass> {
public:
  using TCAssignSchedulesPassBase::TCAssignSchedulesPassBase;

  void runOnOperation() override {
    llvm::StringMap<ScheduleAttr> library;
    if (failed(readLibrary(library)))
      return signalPassFailure();
    MachineModel machine = MachineModel::get(getOperation());
    auto cores = getOperation()->getAttrOfType<IntegerAttr>(kCoresAttr);
    if (cores && !machine.isGPU)
      machine.units = std::max<int64_t>(1, cores.getInt());
    PreparedValues prepared(getOperation());
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttr);
    StringRef targetName = target ? target.getKind() : "cpu";
    for (KernelOp kernel : getOutermostKernels(getOperation()))
      if (failed(assign(kernel, library, machine, prepared, targetName)))
        return signalPassFailure();
  }

private:
  /// The attribute on the kernel, else the library's, else the model's.
  LogicalResult assign(KernelOp kernel,
                       const llvm::StringMap<ScheduleAttr> &library,
                       const MachineModel &machine, PreparedValues &prepared,
                       StringRef target) {
    StringRef source = "attribute";
    if (!kernel.getSchedule()) {
      ScheduleAttr found;
      if (!library.empty())
        found = library.lookup(getScheduleKey(kernel, target));
      source = found ? "library" : "model";
      if (!found)
        found = machine.isGPU ? getGPUSchedule(kernel)
                              : ModelSchedule(kernel, machine, prepared).get();
      kernel.setScheduleAttr(found);
    }
    remark::analysis(kernel.getLoc(),
                     remark::RemarkOpts::name("tc-assign-schedules")
                         .category(kFusionCategory))
        << "schedule of '" << kernel.getName() << "' from the " << source;
    return verifySchedule(kernel, *kernel.getSchedule());
  }

  /// A module whose `tc.schedules` maps keys to schedules.
  LogicalResult readLibrary(llvm::StringMap<ScheduleAttr> &library) {
    if (schedules.empty())
      return success();
    auto file = llvm::MemoryBuffer::getFile(schedules);
    if (!file)
      return getOperation()->emitError()
             << "cannot read the schedules of '" << schedules
             << "': " << file.getError().message();
    llvm::SourceMgr sources;
    OwningOpRef<ModuleOp> module =
        parseModule(std::move(*file), sources, ParserConfig(&getContext()));
    if (!module)
      return getOperation()->emitError()
             << "cannot read the schedules of '" << schedules << "'";
    auto entries = (*module)->getAttrOfType<DictionaryAttr>(kSchedulesAttr);
    if (!entries)
      return getOperation()->emitError()
             << "'" << schedules << "' has no module attribute '"
             << kSchedulesAttr << "'";
    for (NamedAttribute entry : entries)
      library[entry.getName().getValue()] =
          cast<ScheduleAttr>(entry.getValue());
    return success();
  }
};
} // namespace
