//===- FewPointsTile.cpp - Tiles of calls of few points -------------------===//

#include "TC/Analysis/ContractionPlan.h"
#include "TC/Analysis/PanelsInPlace.h"
#include "TC/Analysis/SizeRanges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// Chooses `few_tile` by the memory and the time of tiles at the smallest sizes
/// that the function's symbols allow. The unit of time is that of one
/// multiply-add of a whole register.
class FewPointsChoice {
public:
  FewPointsChoice(KernelOp kernel, const ContractionPlan &plan);

  std::optional<FewPointsTile> get();
  /// The same with a tile that takes less time up to some rows, and little
  /// memory for any.
  std::optional<FewPointsTile> get(const FewRowsTile &few);

private:
  /// Points of `dims` at the smallest sizes, of at least 1 each; at most
  /// `kMostPoints`.
  int64_t getLeast(ArrayRef<unsigned> dims) const {
    int64_t points = 1;
    for (unsigned dim : dims) {
      int64_t least = ranges.of(KernelOp(kernel).getDimSize(dim)).min;
      points = std::min(kMostPoints,
                        points * std::clamp<int64_t>(least, 1, kMostPoints));
    }
    return points;
  }
  bool isSymbolic(ArrayRef<unsigned> dims) const {
    return llvm::any_of(dims, [&](unsigned dim) {
      return !KernelOp(kernel).getDimSize(dim).isConstant();
    });
  }
  bool readsRowsInPlace(int64_t tileRows);
  /// Whether a task takes more of its stack than `getTasksBytes` at sizes that
  /// write `scale` times as many bytes as the smallest.
  bool exceeds(int64_t scale) const {
    return plan.getTaskBytes(scalesRows ? rows * scale : rows, mostPoints) >
           getTasksBytes(written * scale);
  }
  /// Whether the smallest sizes have so many multiply-adds that the memory of a
  /// task does not count.
  bool isMuchWork() const {
    double multiplyAdds = double(rows) * double(lanes) *
                          double(getLeast(roles.batches)) *
                          double(getLeast(roles.reduced));
    return multiplyAdds >= double(kUsualStackMultiplyAdds);
  }
  int64_t getWrittenBelow() const;
  double estimateStep(const ContractionTile &tile, double rowCount);
  double estimateTime(const ContractionTile &tile, double scale);
  void consider(const ContractionTile &tile);
  void considerLanes(int64_t tileLanes);
  void considerAll();

  static constexpr int64_t kMostPoints = int64_t(1) << 30;

  KernelOp kernel;
  const ContractionPlan &plan;
  const ContractionRoles &roles;
  bool packsPanel, keepsRows, scalesRows;
  SizeRanges ranges;
  int64_t width;       ///< accumulators of a vector register
  int64_t rows, lanes; ///< points at the smallest sizes
  int64_t mostPoints;  ///< reduced points at the largest sizes
  int64_t written = 0; ///< bytes that the smallest sizes write
  int64_t below = 0;   ///< bytes; calls that write less are of few points
  int64_t budget = 0;  ///< most bytes of a task's stack
  /// For rows of a tile, whether they are read in place.
  llvm::SmallDenseMap<int64_t, bool> inPlace;
  std::optional<ContractionTile> best;
  double bestTime = 0; ///< of `best`, or the limit where there is none yet
};
} // namespace

FewPointsChoice::FewPointsChoice(KernelOp kernel, const ContractionPlan &plan)
    : kernel(kernel), plan(plan), roles(plan.roles),
      packsPanel(!plan.isPackedAhead),
      keepsRows(
          roles.mayBeWrittenOverRows(kernel, plan.tile.lanes, packsPanel)),
      scalesRows(isSymbolic(roles.rows)),
      ranges(kernel->getParentOfType<func::FuncOp>()), width(plan.width),
      rows(getLeast(roles.rows)), lanes(getLeast(roles.lanes)),
      mostPoints(isSymbolic(roles.reduced) ? kMostPoints
                                           : getLeast(roles.reduced)) {
  constexpr double kMostWritten = 1e15;
  double bytes = 0;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    bytes += double(getElementBytes(write.getValue().getType()));
  bytes *= double(rows) * double(lanes) * double(getLeast(roles.batches));
  written = static_cast<int64_t>(std::clamp(bytes, 1.0, kMostWritten));
}

bool FewPointsChoice::readsRowsInPlace(int64_t tileRows) {
  if (keepsRows)
    return false;
  auto [known, isNew] = inPlace.try_emplace(tileRows, false);
  if (isNew)
    known->second = roles
                        .getInPlaceRowStride(kernel, tileRows, plan.pair == 2,
                                             /*usesTiles=*/false,
                                             /*widensRows=*/plan.pair == 1)
                        .has_value();
  return known->second;
}

/// Fewest bytes that a call has to write for a task with the plan's tile to
/// stay within `getTasksBytes`; 0 where it always does.
int64_t FewPointsChoice::getWrittenBelow() const {
  if (isMuchWork())
    return 0;
  bool scalesOthers = isSymbolic(roles.lanes) || isSymbolic(roles.batches);
  if (!scalesRows && !scalesOthers)
    return exceeds(1) ? written + 1 : 0;
  // Lanes or batches may be few in a call whose rows fill a block.
  int64_t most = plan.getTaskBytes(scalesRows ? kMostPoints : rows, mostPoints);
  if (scalesOthers)
    return most > getTasksBytes(written) ? 2 * most : 0;
  int64_t scale = std::max(llvm::divideCeil(2 * most + 2, written),
                           llvm::divideCeil(plan.tile.blockRows, rows));
  while (scale > 0 && !exceeds(scale))
    --scale;
  return scale == 0 ? 0 : written * scale + 1;
}

/// Time of one reduced point of the tiles of all rows, `rowCount` of them, and
/// `tile.lanes` lanes.
double FewPointsChoice::estimateStep(const ContractionTile &tile,
                                     double rowCount) {
  constexpr double kLeastAccumulators = 8, kLoads = 0.8, kWidening = 1;
  double vectors = double(llvm::divideCeil(tile.lanes, width));
  // Fewer rows than a tile's that are read in place are multiplied one by one.
  double tileRows =
      readsRowsInPlace(tile.rows) && rowCount < tile.rows ? 1 : tile.rows;
  double widened = 0;
  if (plan.pair == 1)
    widened = (mayWidenInMultiplyAdds(roles.rowOperand) ? tileRows : 0) +
              (mayWidenInMultiplyAdds(roles.panel) ? vectors : 0);
  double step = std::max({tileRows * vectors, kLeastAccumulators,
                          (tileRows + vectors) * kLoads}) +
                kWidening * widened;
  return std::ceil(rowCount / tileRows) * step;
}

/// Time of one reduced point of all tiles and of packing it, at sizes `scale`
/// times the smallest.
double FewPointsChoice::estimateTime(const ContractionTile &tile,
                                     double scale) {
  constexpr double kRowPacking = 0.15;
  double rowCount = double(rows) * (scalesRows ? scale : 1),
         laneCount = double(lanes) * (scalesRows ? 1 : scale);
  double packing = 0;
  if (packsPanel)
    packing += std::ceil(rowCount / tile.blockRows) * laneCount *
               estimateLanePacking(kernel, roles, width);
  if (!readsRowsInPlace(tile.rows))
    packing += std::ceil(laneCount / tile.blockLanes) * rowCount * kRowPacking;
  return estimateStep(tile, rowCount) * std::ceil(laneCount / tile.lanes) +
         packing;
}

/// Makes `tile` the best where its time is less than `bestTime` and its memory
/// within the budget. The time is added up over the smallest sizes and their
/// doubles as long as these are of few points, each relative to its scale.
void FewPointsChoice::consider(const ContractionTile &tile) {
  double time = 0;
  for (int64_t scale = 1; scale * written < below; scale *= 2) {
    time += estimateTime(tile, double(scale)) / double(scale);
    if (time >= bestTime)
      return;
  }
  auto few = planFewTile(kernel, plan, tile, keepsRows, keepsRows);
  if (!few || few->getTaskBytes(rows, mostPoints) > budget)
    return;
  best = tile;
  bestTime = time;
}

void FewPointsChoice::considerLanes(int64_t tileLanes) {
  constexpr int64_t kMostTiles = 64;
  const ContractionTile &tile = plan.tile;
  for (int64_t points : {tile.reduced, kLeastPoints})
    for (int64_t tileRows = tile.rows; tileRows >= 1; --tileRows) {
      int64_t most = packsPanel ? llvm::divideCeil(rows, tileRows)
                                : llvm::divideCeil(tile.blockRows, tileRows);
      for (int64_t tiles = std::min(most, kMostTiles); tiles >= 1; tiles /= 2)
        consider({tileRows, tileLanes, std::min(points, tile.reduced),
                  tiles * tileRows, packsPanel ? tileLanes : tile.blockLanes});
    }
}

/// Considers tiles of whole registers of lanes and, where calls pack the
/// panels, of parts of a register.
void FewPointsChoice::considerAll() {
  int64_t tileLanes = plan.tile.lanes;
  for (int64_t part = 4; packsPanel && plan.pair == 1 && part < width;
       part *= 2)
    considerLanes(part);
  for (int64_t some = packsPanel ? width : tileLanes; some <= tileLanes;
       some += width)
    considerLanes(some);
}

std::optional<FewPointsTile> FewPointsChoice::get() {
  constexpr double kMostSlowdown = 2.5;
  const ContractionTile &tile = plan.tile;
  below = getWrittenBelow();
  // The budget is doubled while no tile within it is fast enough.
  int64_t whole = plan.getTaskBytes(rows, mostPoints);
  budget = std::max<int64_t>(1, getTasksBytes(written));
  for (; below > written && !best && budget < whole; budget *= 2) {
    bestTime = 0;
    for (int64_t scale = 1; scale * written < below; scale *= 2)
      bestTime +=
          kMostSlowdown * estimateTime(tile, double(scale)) / double(scale);
    considerAll();
  }
  if (best)
    return FewPointsTile{below, *best};
  // Calls of fewer rows than a tile's read them in place by a part of the tile.
  constexpr int64_t kPart = 3;
  if (!scalesRows || !plan.inPlaceRowStride || rows >= tile.rows)
    return std::nullopt;
  int64_t part = std::max<int64_t>(1, tile.rows / kPart);
  return FewPointsTile{std::max<int64_t>(below, 1),
                       {part, tile.lanes, tile.reduced, part, tile.blockLanes}};
}

std::optional<FewPointsTile> FewPointsChoice::get(const FewRowsTile &few) {
  if (!scalesRows || rows > few.mostRows || isSymbolic(roles.lanes) ||
      isSymbolic(roles.batches) ||
      !planFewTile(kernel, plan, few.tile, keepsRows, keepsRows))
    return std::nullopt;
  int64_t fast = llvm::divideCeil(written, rows) * few.mostRows + 1;
  return FewPointsTile{std::max(getWrittenBelow(), fast), few.tile};
}

std::optional<FewPointsTile>
tc::chooseFewPointsTile(KernelOp kernel, const ContractionRoles &roles,
                        const MachineModel &machine,
                        const ContractionTile &tile, bool packsPanel) {
  if (roles.rows.empty() && packsPanel)
    return std::nullopt;
  auto plan =
      planTile(kernel, roles, machine, tile, /*isPackedAhead=*/!packsPanel);
  // What is read in place takes little memory.
  if (!plan || plan->inPlacePanelStride)
    return std::nullopt;
  FewPointsChoice choice(kernel, *plan);
  if (packsPanel)
    if (auto few = chooseFewRowsTile(kernel, roles, machine, tile))
      if (auto chosen = choice.get(*few))
        return chosen;
  return choice.get();
}
