//===- CPUSchedule.cpp - The machine model's schedules for a CPU ----------===//

#include "CPUSchedule.h"
#include "TC/Analysis/AttentionPlan.h"
#include "TC/Analysis/ContractionPlan.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/PanelsInPlace.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Analysis/TiledTranspose.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"

using namespace mlir;
using namespace tc;

/// Most tasks of a sort or a routine, each of which has its own workspace.
static constexpr int64_t kMostTasks = 65536;
/// Fewest bytes of work of one task.
static constexpr double kBytesPerThread = 16 * 1024;
/// Points ahead that tiles of lanes in place fetch. Measured: 8 take longer,
/// and 24 as long.
static constexpr int64_t kFetchPoints = 16;

namespace {
/// The machine model's schedule of one kernel.
class ModelSchedule {
public:
  ModelSchedule(KernelOp kernel, const MachineModel &machine,
                PreparedValues &prepared)
      : kernel(kernel), machine(machine), prepared(prepared) {}

  ScheduleAttrInterface get() {
    if (llvm::any_of(kernel.getBodyBlock(),
                     [](Operation &op) { return isWholeStage(&op); }))
      return TaskScheduleAttr::get(kernel.getContext(),
                                   std::min(machine.units, kMostTasks),
                                   machine.taskPoints);
    ScheduleAttrInterface tiled;
    switch (kernel.getKernelClass()) {
    case KernelClass::Attention:
      tiled = getAttention();
      break;
    case KernelClass::Contraction:
      tiled = getContraction();
      break;
    case KernelClass::Transpose:
      tiled = getTranspose(getWrittenDim(kernel), /*tile=*/64);
      break;
    case KernelClass::Pointwise:
      tiled = getTranspose(getContiguousDim(kernel), /*tile=*/16);
      break;
    default:
      break;
    }
    return tiled ? tiled : getLoops();
  }

private:
  int64_t getWidth() {
    return std::max<int64_t>(1, machine.vectorBits / getComputeBits(kernel));
  }

  ScheduleAttrInterface getLoops() {
    int64_t vectorDim = getContiguousDim(kernel), width = getWidth(),
            unroll = 1;
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
    case KernelClass::Contraction:
    case KernelClass::Attention:
      vectorDim = getWrittenDim(kernel);
      break;
    default:
      break;
    }
    int64_t grain = getGrain(vectorDim);
    if (vectorDim >= 0 && !mayHoldLanes(kernel, vectorDim))
      vectorDim = -1;
    if (vectorDim < 0)
      width = unroll = 1;
    int64_t mostLanes = getMostLanes(kernel, vectorDim);
    while (unroll > 1 && width * unroll > mostLanes)
      unroll /= 2;
    return LoopScheduleAttr::get(kernel.getContext(), vectorDim, width, unroll,
                                 getBlock(vectorDim), grain, machine.taskPoints,
                                 machine.keptPoints, machine.keptWeight,
                                 machine.maxStride, prefersNontemporalStores());
  }

  ScheduleAttrInterface getAttention() {
    auto parts = TiledAttention::find(kernel, KernelDims(kernel));
    return parts ? chooseAttentionSchedule(kernel, *parts, machine)
                 : AttentionScheduleAttr();
  }

  /// The dimension along which results are contiguous; where no result is, as
  /// of one phase of a transposed convolution, that of their smallest stride.
  int64_t getLaneDim() {
    int64_t dim = getWrittenDim(kernel);
    if (dim >= 0)
      return dim;
    auto writes = kernel.getBodyBlock().getOps<WriteOp>();
    AffineMap map = (*writes.begin()).getMap();
    for (unsigned last = 0; last < kernel.getNumDims(); ++last)
      if (map.getNumResults() > 0 &&
          map.getResults().back().isFunctionOfDim(last))
        dim = last;
    return dim;
  }

  /// Roles with the lanes along what is contiguous in the results, or along a
  /// longer dimension of the same operand where that fills few lanes of a
  /// vector, as the columns of a window do in the gradient of its weights:
  /// packing vectors across several rows takes longer than all products.
  std::optional<ContractionRoles> findRoles() {
    auto roles = findContractionRoles(getLaneDim());
    if (!roles)
      return roles;
    auto getSize = [&](unsigned dim) {
      return kernel.getDimSize(dim).getConstant().value_or(0);
    };
    const int64_t written = getSize(roles->vectorDim),
                  width = getVectorWidth(*roles, machine);
    if (written == 0 || 3 * written > 2 * width)
      return roles;
    unsigned longest =
        *llvm::max_element(roles->lanes, [&](unsigned x, unsigned y) {
          return getSize(x) < getSize(y);
        });
    return getSize(longest) < 2 * width
               ? roles
               : ContractionRoles::find(kernel, KernelDims(kernel), longest);
  }

  ScheduleAttrInterface getContraction() {
    auto roles = findRoles();
    // A product of vectors has no rows that would share a packed panel.
    if (!roles || !roles->hasConstantInnerSizes(kernel) ||
        (roles->rows.empty() && !isPackedAhead(*roles)))
      return {};
    bool packsPanel = !isPackedAhead(*roles);
    ContractionTile tile =
        chooseContractionTile(kernel, *roles, machine, packsPanel);
    if (packsPanel)
      tile = choosePanelInPlace(kernel, *roles, machine, tile).value_or(tile);
    int64_t fewBelow = 0;
    ContractionTileAttr fewTile;
    if (auto few =
            chooseFewPointsTile(kernel, *roles, machine, tile, packsPanel)) {
      fewBelow = few->writtenBelow;
      fewTile = few->tile.getAttribute(kernel.getContext());
    }
    auto schedule = ContractionScheduleAttr::get(
        kernel.getContext(), roles->vectorDim, getVectorWidth(*roles, machine),
        tile.getAttribute(kernel.getContext()), fewBelow, fewTile,
        choosePointsBelow(kernel, *roles, machine, tile, fewTile),
        kUsualTaskMultiplyAdds, kUsualStackMultiplyAdds,
        chooseFetchParts(kernel, *roles, machine, tile, fewTile, packsPanel),
        tile.panel == PanelKind::Lanes ? kFetchPoints : 0);
    return fitsRegisters(kernel, *roles, schedule) ? schedule
                                                   : ContractionScheduleAttr();
  }

  /// Lanes run along the contiguous dimension of the writes; the reads are
  /// transposed in registers. Tiles are of `tile` by `tile` points.
  ScheduleAttrInterface getTranspose(int64_t vectorDim, int64_t tile) {
    auto roles = TiledTranspose::find(kernel, KernelDims(kernel), vectorDim);
    if (!roles)
      return {};
    constexpr int64_t kMostLanes = 16;
    int64_t elements = roles->pairDim ? 2 : 1;
    int64_t lanes = std::min(getWidth() / elements, kMostLanes);
    if (lanes < 2)
      return {};
    if (roles->pairDim)
      tile = 64;
    return TransposeScheduleAttr::get(
        kernel.getContext(), vectorDim, lanes, tile, tile, machine.taskPoints,
        !roles->pairDim && prefersNontemporalStores());
  }

  bool sizeAtLeast(unsigned dim, int64_t count) {
    return estimateSize(kernel, kernel.getDimSize(dim)) >= double(count);
  }

  /// The dimension of the lanes of a row reduction: along the row or, for rows
  /// of at most 4 points, across rows, where each lane reads a whole row.
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

  /// Vectors of a column reduction that are computed together, a strip of
  /// columns that runs through all rows. Where the reduced value costs little,
  /// wide strips read longer runs of each row, and so open fewer pages of
  /// memory; with 16 registers those of half of them are the fastest, as wider
  /// ones keep their sums in memory. Every core gets a strip.
  int64_t getColumnUnroll(int64_t vectorDim, int64_t width) {
    if (vectorDim < 0)
      return 1;
    constexpr int64_t kMostStridedLanes = 64;
    if (hasStridedRead(kernel, vectorDim)) {
      int64_t unroll = std::clamp<int64_t>(kMostStridedLanes / width, 1, 4);
      return sizeAtLeast(vectorDim, unroll * width) ? unroll : 1;
    }
    constexpr double kLightWeight = 4;
    const int64_t most = machine.vectorRegisters >= 32 ? 32 : 8;
    double points = estimatePoints(kernel, DimSet(kernel.getNumDims(), true));
    if (estimateCost(kernel).flops <= kLightWeight * points)
      for (int64_t unroll : {32, 16, 8})
        if (unroll <= most &&
            sizeAtLeast(vectorDim, machine.units * unroll * width))
          return unroll;
    return sizeAtLeast(vectorDim, 4 * width) ? 4 : 1;
  }

  /// Whether inputs and outputs are larger than the shared cache, so that
  /// ordinary stores would evict the inputs, and the outputs before they are
  /// read.
  bool prefersNontemporalStores() {
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

  /// The roles with lanes along the dimension `written`. Where that has few
  /// points and the row operand is of parameters, as in a convolution of small
  /// images, lanes run along the rows instead: they are packed ahead, and the
  /// results are scattered.
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

  /// Points of a row that one iteration computes; 0 for all, where there are
  /// enough rows for all tasks.
  int64_t getBlock(int64_t vectorDim) {
    DimSet outer = getOuterDims(kernel, KernelDims(kernel));
    if (vectorDim < 0 || !outer.all())
      return machine.block;
    SizeExpr rows = SizeExpr::constant(kernel.getContext(), 1);
    for (unsigned dim : outer.set_bits())
      if (dim != unsigned(vectorDim))
        rows = rows.mul(kernel.getDimSize(dim));
    bool areEnough =
        rows.isConstant() && rows.getValue() >= machine.enoughIterations;
    return areEnough ? 0 : machine.block;
  }

  /// Iterations of the outer dimensions that have kBytesPerThread of work.
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
} // namespace

ScheduleAttrInterface tc::getCPUSchedule(KernelOp kernel,
                                         const MachineModel &machine,
                                         PreparedValues &prepared) {
  return ModelSchedule(kernel, machine, prepared).get();
}
