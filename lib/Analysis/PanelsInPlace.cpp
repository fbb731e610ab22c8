//===- PanelsInPlace.cpp - Tiles that pack no panels ----------------------===//

#include "TC/Analysis/PanelsInPlace.h"
#include "TC/Analysis/ContractionPlan.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelIterations.h"
#include <cmath>

using namespace mlir;
using namespace tc;

// The unit of time is that of one multiply-add of a whole vector register.

/// Registers of accumulators that hide the latency of multiply-adds, and the
/// time of a load.
static constexpr double kLeastAccumulators = 10, kLoad = 0.8;

/// Time of the multiply-adds of one step of a tile in registers.
static double estimateStep(double rows, double vectors) {
  constexpr double kOperand = 0.1;
  return std::max(
             {rows * vectors, kLeastAccumulators, (rows + vectors) * kLoad}) +
         kOperand * (rows + vectors);
}

/// Most rows of calls that may read the panel operand in place: more of them
/// are worth a panel.
static constexpr int64_t kMostRows = 32;

static double ceilDiv(double size, double by) { return std::ceil(size / by); }

namespace {
/// Chooses tiles that read the panel operand in place by their time.
class InPlaceChoice {
public:
  InPlaceChoice(KernelOp kernel, const ContractionRoles &roles,
                const MachineModel &machine)
      : kernel(kernel), roles(roles), machine(machine),
        rows(points(roles.rows)), lanes(points(roles.lanes)),
        reduced(points(roles.reduced)), batches(points(roles.batches)),
        width(getVectorWidth(roles, machine)),
        registers(machine.vectorRegisters),
        pair(machine.hasBF16Dot && width == 16 && multipliesBF16(roles.stage)
                 ? 2
                 : 1) {}

  std::optional<ContractionTile> get(const ContractionTile &packed);
  std::optional<ContractionTile> getSums(double forRows);
  double estimatePacked(const ContractionTile &tile, double rowCount);
  double estimateSums(const ContractionTile &tile, double rowCount);

private:
  double points(ArrayRef<unsigned> dims) {
    double count = 1;
    for (unsigned dim : dims)
      count *= estimateSize(kernel, kernel.getDimSize(dim));
    return std::max(count, 1.0);
  }
  double estimateLanes(const ContractionTile &tile);
  /// Whether elements are widened to be multiplied.
  bool isNarrow(Value operand) const {
    return pair == 1 && getElementBytes(operand.getType()) < 4;
  }
  bool isPossible(const ContractionTile &tile, double rowCount);
  /// Units that the work of `rowCount` rows is enough for.
  double countTasks(double rowCount) {
    double work = rowCount * lanes * batches * reduced;
    return std::min<double>(machine.units,
                            std::ceil(work / kUsualTaskMultiplyAdds));
  }
  std::optional<ContractionTile> getLanes();
  void setBlocks(ContractionTile &tile, double rowCount);

  KernelOp kernel;
  const ContractionRoles &roles;
  const MachineModel &machine;
  double rows, lanes, reduced, batches;
  int64_t width, registers, pair;
};
} // namespace

/// Time of one reduced point of all tiles, for each of which calls pack the
/// panel. A lane of a panel is stored and loaded once more than one that is
/// read in place, in blocks that are short where the kernel writes little.
double InPlaceChoice::estimatePacked(const ContractionTile &tile,
                                     double rowCount) {
  // AMX multiplies eight times as fast, and pairs in vectors at half the rate.
  constexpr double kMemory = 0.4, kConversion = 0.5, kTileRate = 8;
  double step = estimateStep(double(tile.rows),
                             std::ceil(double(tile.lanes) / double(width))),
         packing = estimateLanePacking(kernel, roles, width) + kMemory +
                   (isNarrow(roles.panel) ? kConversion : 0);
  if (machine.hasBF16Tiles && pair == 2 && fitsTileRegisters(tile))
    step /= kTileRate;
  else
    step *= double(pair);
  return ceilDiv(rowCount, double(tile.rows)) *
             ceilDiv(lanes, double(tile.lanes)) * step +
         ceilDiv(rowCount, double(tile.blockRows)) * lanes * packing;
}

/// The same for tiles that sum vectors along the points. Each sum is added up
/// by shuffles; a tile is a function's call.
double InPlaceChoice::estimateSums(const ContractionTile &tile,
                                   double rowCount) {
  constexpr double kAddingUp = 4, kCall = 30, kWidening = 0.75;
  auto tileRows = double(tile.rows), tileLanes = double(tile.lanes);
  double step = estimateStep(tileRows, tileLanes) * double(pair);
  step += kWidening * ((isNarrow(roles.rowOperand) ? tileRows : 0) +
                       (isNarrow(roles.panel) ? tileLanes : 0));
  double once =
      kCall + tileRows * double(llvm::PowerOf2Ceil(tile.lanes)) * kAddingUp;
  return ceilDiv(rowCount, tileRows) * ceilDiv(lanes, tileLanes) *
         (step / double(width) + once / reduced);
}

/// The same for tiles that read lanes in place: whole cache lines of each
/// point, from memory behind the core's first cache. Each further tile of rows
/// reads them again, from lines of different pages.
double InPlaceChoice::estimateLanes(const ContractionTile &tile) {
  constexpr double kAgain = 0.1, kLine = 4, kLineBytes = 64;
  double rowTiles = ceilDiv(rows, double(tile.rows)),
         vectors = std::ceil(double(tile.lanes) / double(width));
  double bytes = double(tile.lanes * getElementBytes(roles.panel.getType()));
  return ceilDiv(lanes, double(tile.lanes)) *
         (rowTiles * estimateStep(double(tile.rows), vectors) *
              (1 + kAgain * (rowTiles - 1)) +
          kLine * ceilDiv(bytes, kLineBytes));
}

/// All rows are in one block. The lanes are in so many that every unit that the
/// work is enough for has one, and that the accumulators of all tasks take at
/// most half the memory of what is written.
void InPlaceChoice::setBlocks(ContractionTile &tile, double rowCount) {
  constexpr double kMostLanes = 256;
  double tasks = countTasks(rowCount),
         blocks = std::max(std::ceil(2 * tasks / batches),
                           ceilDiv(lanes, kMostLanes));
  // As many blocks for each task.
  if (batches == 1)
    blocks = ceilDiv(blocks, tasks) * tasks;
  int64_t unit = tile.sumsVectors() ? width : tile.lanes;
  tile.blockLanes = int64_t(llvm::alignTo(
      llvm::alignTo(static_cast<int64_t>(ceilDiv(lanes, blocks)), unit),
      tile.lanes));
  // Results that may overwrite the rows are all in one block.
  if (lanes == reduced && lanes <= double(kMostLanesInPlace))
    tile.blockLanes =
        int64_t(llvm::alignTo(static_cast<int64_t>(lanes), tile.lanes));
  tile.blockRows = llvm::alignTo(
      static_cast<int64_t>(std::min(rowCount, double(kMostRows))), tile.rows);
}

/// Whether there is code of the tile, and rows that it packs leave as many
/// tasks as the work is enough for: together they take at most half the memory
/// of what is written.
bool InPlaceChoice::isPossible(const ContractionTile &tile, double rowCount) {
  auto plan = planTile(kernel, roles, machine, tile, /*isPackedAhead=*/false);
  if (!plan || plan->inPlaceRowStride)
    return plan.has_value();
  auto bytes = double(plan->getTaskBytes(static_cast<int64_t>(rowCount),
                                         static_cast<int64_t>(reduced)));
  int64_t result = 0;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    result += getElementBytes(write.getValue().getType());
  return 2 * bytes * countTasks(rowCount) <=
         rowCount * lanes * batches * double(result);
}

std::optional<ContractionTile> InPlaceChoice::getSums(double forRows) {
  constexpr int64_t kMostTileRows = 8, kMostLanes = 4;
  std::optional<ContractionTile> best;
  double least = 0;
  for (int64_t tileLanes = std::min(kMostLanes, width); tileLanes >= 1;
       --tileLanes)
    for (int64_t tileRows = 1;
         tileRows <= kMostTileRows && double(tileRows) <= forRows &&
         (tileRows + 1) * tileLanes + 1 <= registers;
         ++tileRows) {
      ContractionTile tile{tileRows, tileLanes, 1, 1, 1, PanelKind::Points};
      tile.reduced = static_cast<int64_t>(std::min(reduced, 1048576.0));
      setBlocks(tile, forRows);
      double time = estimateSums(tile, forRows);
      if ((best && time >= least) || !isPossible(tile, forRows))
        continue;
      best = tile;
      least = time;
    }
  return best;
}

std::optional<ContractionTile> InPlaceChoice::getLanes() {
  constexpr int64_t kMostTileRows = 12, kMostVectors = 4, kMostPoints = 256;
  std::optional<ContractionTile> best;
  double least = 0;
  for (int64_t vectors = 1; vectors <= kMostVectors; ++vectors)
    for (int64_t tileRows = 1;
         tileRows <= kMostTileRows && double(tileRows) <= rows &&
         (tileRows + 1) * vectors + 1 <= registers;
         ++tileRows) {
      ContractionTile tile{tileRows, vectors * width, 1, 1,
                           1,        PanelKind::Lanes};
      int64_t blocks = std::ceil(reduced / kMostPoints);
      tile.reduced = static_cast<int64_t>(ceilDiv(reduced, double(blocks)));
      setBlocks(tile, rows);
      double time = estimateLanes(tile);
      if ((best && time >= least) || !isPossible(tile, rows))
        continue;
      best = tile;
      least = time;
    }
  return best;
}

std::optional<ContractionTile>
InPlaceChoice::get(const ContractionTile &packed) {
  // Packing that is worth little less costs no memory of what is written.
  constexpr double kLeastGain = 0.95;
  std::optional<ContractionTile> best;
  double least = kLeastGain * estimatePacked(packed, rows);
  if (auto sums = getSums(rows); sums && estimateSums(*sums, rows) < least) {
    best = sums;
    least = estimateSums(*sums, rows);
  }
  // Points that are further apart are on a page of memory each, and there are
  // fewer addresses of these at hand than a tile goes through.
  constexpr double kPageBytes = 4096;
  if (lanes * double(getElementBytes(roles.panel.getType())) > kPageBytes)
    return best;
  if (auto inLanes = getLanes(); inLanes && estimateLanes(*inLanes) < least)
    best = inLanes;
  return best;
}

std::optional<ContractionTile>
tc::choosePanelInPlace(KernelOp kernel, const ContractionRoles &roles,
                       const MachineModel &machine,
                       const ContractionTile &packed) {
  auto rows = countPoints(kernel, roles.rows);
  if (roles.rows.empty() || !rows || *rows > kMostRows)
    return std::nullopt;
  return InPlaceChoice(kernel, roles, machine).get(packed);
}

std::optional<FewRowsTile>
tc::chooseFewRowsTile(KernelOp kernel, const ContractionRoles &roles,
                      const MachineModel &machine,
                      const ContractionTile &packed) {
  constexpr double kUsualRows = 8;
  InPlaceChoice choice(kernel, roles, machine);
  auto tile = choice.getSums(kUsualRows);
  if (!tile)
    return std::nullopt;
  int64_t most = 0;
  for (int64_t rows = 1; rows <= kMostRows; ++rows)
    if (choice.estimateSums(*tile, double(rows)) <
        choice.estimatePacked(packed, double(rows)))
      most = rows;
  if (most == 0)
    return std::nullopt;
  return FewRowsTile{most, *tile};
}
