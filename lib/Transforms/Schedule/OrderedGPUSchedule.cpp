//===- OrderedGPUSchedule.cpp - Scans, sorts and scatters on a GPU --------===//

#include "OrderedGPUSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Dialect/TC/IR/Warp.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

static constexpr int64_t kMostThreads = 1024, kUsualThreads = 256;
/// Fewest elements of a row for each thread.
static constexpr int64_t kElementsPerThread = 8;

/// Threads of a block that scans one row of `length` elements: a power of two
/// from a warp to the largest block, with kElementsPerThread elements each.
static int64_t getRowThreads(double length) {
  auto wanted = static_cast<uint64_t>(length) / kElementsPerThread;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(std::max<uint64_t>(wanted, 1)),
                             kWarpThreads, kMostThreads);
}

namespace {
class OrderedSchedule {
public:
  OrderedSchedule(KernelOp kernel, const MachineModel &machine)
      : kernel(kernel), context(kernel.getContext()), machine(machine),
        outer(getOuterDims(kernel, KernelDims(kernel))),
        rows(std::max(1.0, estimatePoints(kernel, outer))) {}

  /// Null for another kernel.
  ScheduleAttrInterface get() {
    Block &body = kernel.getBodyBlock();
    if (!body.getOps<RoutineStageOp>().empty())
      return TaskScheduleAttr::get(context, kHostTasks, machine.taskPoints);
    if (auto sorts = body.getOps<SortStageOp>(); !sorts.empty())
      return getSort(*sorts.begin());
    bool scatters = llvm::any_of(body.getOps<WriteOp>(), [](WriteOp write) {
      return write.isScatter();
    });
    if (getScannedDims(kernel).any())
      return mayScanInBlocks(kernel) ? getScan() : getLoops();
    return scatters ? getScatter() : ScheduleAttrInterface();
  }

private:
  static constexpr int64_t kHostTasks = 16;
  /// Points of the outer dimensions that give each its own thread, where a
  /// thread goes through the others one after the other.
  static constexpr double kManyRows = 4096;
  /// Elements that are few enough for one thread.
  static constexpr double kFewPoints = 32;
  /// Fewest threads that look for the points of a strip.
  static constexpr int64_t kLeastScatterThreads = 128;
  /// Elements of a row that are worth a block of their own.
  static constexpr double kSegmentElements = 16384;
  /// Blocks of a multiprocessor that run at the same time.
  static constexpr double kBlocksPerUnit = 4;

  /// A thread for each point of the outer dimensions.
  ScheduleAttrInterface getLoops() {
    int64_t dim = getContiguousDim(kernel);
    if (dim >= 0 && !outer.test(dim))
      dim = -1;
    return GPULoopScheduleAttr::get(context, dim, /*vectorWidth=*/1,
                                    /*units=*/1, /*peel=*/true, kUsualThreads);
  }

  ScheduleAttrInterface getSort(SortStageOp stage) {
    constexpr int64_t kLeastTile = 64, kMostTile = 1024;
    double length = estimateSize(kernel, kernel.getDimSize(stage.getAlong()));
    int64_t tile = std::clamp<int64_t>(
        llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max(length, 1.0))),
        kLeastTile, kMostTile);
    return GPUSortScheduleAttr::get(context, std::min(tile / 2, kUsualThreads),
                                    tile);
  }

  ScheduleAttrInterface getScan() {
    unsigned along = getScannedDims(kernel).find_first();
    double length = estimateSize(kernel, kernel.getDimSize(along));
    int64_t contiguous = getContiguousDim(kernel);
    bool hasColumns = contiguous >= 0 && outer.test(contiguous);
    if (length <= kFewPoints || (hasColumns && rows >= kManyRows))
      return getLoops();
    int64_t segments = 1;
    if (mayScanInSegments(kernel)) {
      double wanted = std::min(machine.units * kBlocksPerUnit / rows,
                               length / kSegmentElements);
      segments = std::clamp<int64_t>(int64_t(wanted), 1, kMostThreads);
    }
    return GPUScanScheduleAttr::get(context, getRowThreads(length), segments);
  }

  ScheduleAttrInterface getScatter() {
    KernelDims dims(kernel);
    DimSet open(kernel.getNumDims());
    bool isExact = true; // in any order
    for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
      open |= dims.ofWrite(write);
      isExact &= write.getCombine() == CombineKind::Replace ||
                 isa<IntegerType>(write.getValue().getType());
    }
    open.reset(outer);
    double points = estimatePoints(kernel, open);
    if (isExact && mayCombineAtomically(kernel))
      return GPUScatterScheduleAttr::get(context, /*vectorDim=*/-1,
                                         kUsualThreads, 1, /*atomic=*/true);
    if (auto columns = getScatteredColumns(points))
      return columns;
    if (points <= kFewPoints)
      return getLoops();
    // A warp has the points of a row, where these warps are many.
    if (rows >= double(machine.units))
      return getStrips(/*vectorDim=*/-1, kWarpThreads, /*wanted=*/1,
                       /*most=*/1);
    return getStrips(/*vectorDim=*/-1, kUsualThreads,
                     machine.units * kBlocksPerUnit / rows,
                     points / kUsualThreads);
  }

  /// Writes in the order of the domain by about `wanted` strips, at most
  /// `most`.
  ScheduleAttrInterface getStrips(int64_t vectorDim, int64_t threads,
                                  double wanted, double most) {
    constexpr int64_t kMostStrips = 1024;
    auto strips =
        static_cast<uint64_t>(std::clamp(wanted, 1.0, std::max(1.0, most)));
    return GPUScatterScheduleAttr::get(
        context, vectorDim, threads,
        std::min<int64_t>(llvm::PowerOf2Ceil(strips), kMostStrips),
        /*atomic=*/false);
  }

  /// Where points are written to columns next to each other: a thread has a
  /// column, and strips are as many as fill the multiprocessors or have a few
  /// points each. Null for another kernel. A block of many threads finds the
  /// points of its strip quickly.
  ScheduleAttrInterface getScatteredColumns(double points) {
    constexpr double kFewestColumns = 32, kStripPoints = 32, kStripBlocks = 8;
    int64_t dim = getWrittenDim(kernel);
    if (dim < 0 || !mayScatterColumns(kernel, unsigned(dim)) ||
        points <= kFewPoints)
      return {};
    double columns = estimateSize(kernel, kernel.getDimSize(unsigned(dim)));
    if (columns < kFewestColumns)
      return {};
    auto wanted = static_cast<uint64_t>(std::ceil(columns));
    int64_t threads = std::clamp<int64_t>(llvm::PowerOf2Ceil(wanted),
                                          kLeastScatterThreads, kUsualThreads);
    double tiles = rows / columns * std::ceil(columns / double(threads));
    return getStrips(dim, threads, machine.units * kStripBlocks / tiles,
                     points / kStripPoints);
  }

  KernelOp kernel;
  MLIRContext *context;
  const MachineModel &machine;
  DimSet outer;
  double rows; ///< points of the outer dimensions
};
} // namespace

ScheduleAttrInterface tc::getOrderedGPUSchedule(KernelOp kernel,
                                                const MachineModel &machine) {
  return OrderedSchedule(kernel, machine).get();
}
