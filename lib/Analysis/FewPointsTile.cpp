//===- FewPointsTile.cpp - Tiles of contractions of small sizes -----------===//

#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/ElementDistance.h"
#include "TC/Analysis/SizeRanges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// Stack and time of tiles at the smallest sizes that a kernel's symbols have.
/// Cycles are those of one multiply-add of a whole register.
class FewPointsChoice {
public:
  FewPointsChoice(KernelOp kernel, const ContractionRoles &roles,
                  const MachineModel &machine, const ContractionTile &tile,
                  bool stagesPanel);

  std::optional<FewPointsTile> get();

private:
  /// Points of `dims` at the smallest sizes that have any. `kMostPoints` and
  /// more, which are never few, count as that.
  int64_t getLeast(ArrayRef<unsigned> dims) const {
    constexpr int64_t kMostPoints = int64_t(1) << 30;
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
  bool readsRowsInPlace(int64_t tileRows, bool widens) const {
    return roles
        .getRowsApart(kernel, tileRows, /*multipliesPairs=*/false,
                      /*usesTiles=*/false, widens)
        .has_value();
  }
  bool packsAcross() const;
  /// Bytes that a tile takes of the stack. If `widens`, operands are widened
  /// where they are multiplied.
  int64_t getBytes(const ContractionTile &few, bool widens) const;
  double estimateTime(const ContractionTile &few, bool widens,
                      double scale) const;
  double estimateTime(const ContractionTile &few, bool widens) const;
  void consider(const ContractionTile &few);
  void considerLanes(int64_t tileLanes);
  void considerAll();

  KernelOp kernel;
  const ContractionRoles &roles;
  const MachineModel &machine;
  const ContractionTile &tile;
  bool stagesPanel;
  SizeRanges ranges;
  int64_t width, rows, lanes, reduced, innerPoints = 1, written = 0;
  int64_t below = 0;  ///< bytes written at sizes that are not few
  int64_t budget = 0; ///< bytes of the stack
  std::optional<ContractionTile> best;
  double bestTime = 0; ///< of `best`, or what is too much
};
} // namespace

FewPointsChoice::FewPointsChoice(KernelOp kernel, const ContractionRoles &roles,
                                 const MachineModel &machine,
                                 const ContractionTile &tile, bool stagesPanel)
    : kernel(kernel), roles(roles), machine(machine), tile(tile),
      stagesPanel(stagesPanel), ranges(kernel->getParentOfType<func::FuncOp>()),
      width(machine.vectorBits / 32), rows(getLeast(roles.rows)),
      lanes(getLeast(roles.lanes)), reduced(getLeast(roles.reduced)) {
  if (roles.reduced.size() > 1)
    innerPoints = getLeast(ArrayRef(roles.reduced).drop_front());
  constexpr double kMostWritten = 1e15;
  double bytes = 0;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    bytes += double(getElementBytes(write.getValue().getType()));
  bytes *= double(rows) * double(lanes) * double(getLeast(roles.batches));
  written = static_cast<int64_t>(std::clamp(bytes, 1.0, kMostWritten));
}

/// Whether panels are packed from vectors along the reduced points, of which
/// there are whole ones then.
bool FewPointsChoice::packsAcross() const {
  if (getLinearRead(kernel, roles.panel, roles.reduced))
    return true;
  auto read = roles.panel.getDefiningOp<ReadOp>();
  auto isOne = [&](unsigned dim) {
    auto apart = getElementDistance(
        cast<ShapedType>(read.getSource().getType()), read.getMap(), dim);
    return apart && apart->isConstant(1);
  };
  return read && roles.reduced.size() == 1 && isOne(roles.reduced.back()) &&
         !isOne(roles.vectorDim);
}

int64_t FewPointsChoice::getBytes(const ContractionTile &few,
                                  bool widens) const {
  auto elementBytes = [&](Value operand) {
    return widens && mayWidenInProducts(operand) ? 2 : 4;
  };
  int64_t points =
      std::min(std::max<int64_t>(1, few.reduced / innerPoints) * innerPoints,
               std::max<int64_t>(reduced, 1));
  bool isOneBlock = !isSymbolic(roles.reduced) && points >= reduced,
       inPlace = readsRowsInPlace(few.rows, widens) &&
                 !roles.mayBeWrittenOverRows(kernel, few.lanes, stagesPanel),
       finishesTiles = isOneBlock || (inPlace && !stagesPanel);
  int64_t registers = std::min(width, few.lanes),
          padded = llvm::alignTo(points, registers),
          blockRows =
              std::min<int64_t>(few.blockRows, llvm::alignTo(rows, few.rows));
  int64_t bytes = 4 * (finishesTiles ? few.rows : blockRows) *
                  (finishesTiles || inPlace ? few.lanes : few.blockLanes);
  if (!inPlace)
    bytes += blockRows * (padded + registers) * elementBytes(roles.rowOperand);
  if (stagesPanel) {
    bool overruns = roles.lanes.size() > 1 && machine.vectorBits < 512;
    bytes += (packsAcross() ? padded : points) *
             (few.lanes + (overruns ? registers : 0)) *
             elementBytes(roles.panel);
  }
  return bytes;
}

/// Of one reduced point, at sizes `scale` times the smallest.
double FewPointsChoice::estimateTime(const ContractionTile &few, bool widens,
                                     double scale) const {
  constexpr double kLeastAccumulators = 8, kLoads = 0.8, kWidening = 1,
                   kRowStaging = 0.15;
  bool scalesRows = isSymbolic(roles.rows),
       inPlace = readsRowsInPlace(few.rows, widens);
  double rowCount = double(rows) * (scalesRows ? scale : 1),
         laneCount = double(lanes) * (scalesRows ? 1 : scale),
         vectors = double(llvm::divideCeil(few.lanes, width)),
         panels = std::ceil(laneCount / few.lanes);
  // Fewer rows than a tile's are read in place one by one.
  double tileRows = inPlace && rowCount < few.rows ? 1 : few.rows;
  double step = std::max({tileRows * vectors, kLeastAccumulators,
                          (tileRows + vectors) * kLoads}) +
                (widens ? kWidening * (tileRows + vectors) : 0);
  double staging = 0;
  if (stagesPanel)
    staging += std::ceil(rowCount / few.blockRows) * laneCount *
               estimateLaneStaging(kernel, roles, width);
  if (!inPlace)
    staging += std::ceil(laneCount / few.blockLanes) * rowCount * kRowStaging;
  return std::ceil(rowCount / tileRows) * panels * step + staging;
}

/// Of all sizes that are few, a doubled size counting as much as the size.
double FewPointsChoice::estimateTime(const ContractionTile &few,
                                     bool widens) const {
  double time = 0;
  for (int64_t scale = 1; scale * written < below; scale *= 2)
    time += estimateTime(few, widens, double(scale)) / double(scale);
  return time;
}

void FewPointsChoice::consider(const ContractionTile &few) {
  double time = estimateTime(few, /*widens=*/true);
  if (time >= bestTime || getBytes(few, /*widens=*/true) > budget)
    return;
  best = few;
  bestTime = time;
}

void FewPointsChoice::considerLanes(int64_t tileLanes) {
  constexpr int64_t kMostTiles = 64;
  for (int64_t points : {tile.reduced, kLeastPoints})
    for (int64_t tileRows = tile.rows; tileRows >= 1; --tileRows) {
      int64_t most = stagesPanel ? llvm::divideCeil(rows, tileRows)
                                 : llvm::divideCeil(tile.blockRows, tileRows);
      for (int64_t tiles = std::min(most, kMostTiles); tiles >= 1; --tiles)
        consider({tileRows, tileLanes, std::min(points, tile.reduced),
                  tiles * tileRows, stagesPanel ? tileLanes : tile.blockLanes});
    }
}

/// Tiles of whole registers of lanes and, of panels that calls stage, of those
/// of smaller registers.
void FewPointsChoice::considerAll() {
  for (int64_t part = 4; stagesPanel && part < width; part *= 2)
    considerLanes(part);
  for (int64_t tileLanes = stagesPanel ? width : tile.lanes;
       tileLanes <= tile.lanes; tileLanes += width)
    considerLanes(tileLanes);
}

std::optional<FewPointsTile> FewPointsChoice::get() {
  bool readsRows = mayWidenInProducts(roles.rowOperand) &&
                   !readsRowsInPlace(tile.rows, /*widens=*/false) &&
                   readsRowsInPlace(tile.rows, /*widens=*/true);
  if (!isSymbolic(roles.rows) && !isSymbolic(roles.lanes) &&
      !isSymbolic(roles.batches)) {
    if (readsRows && roles.writesLessThanRows(kernel))
      return FewPointsTile{kLeastRowsBytes, tile};
    return std::nullopt;
  }
  // What is staged is to be less: no rows, or a panel of narrower elements.
  if ((!readsRows ||
       roles.mayBeWrittenOverRows(kernel, tile.lanes, stagesPanel)) &&
      !(stagesPanel && mayWidenInProducts(roles.panel)))
    return std::nullopt;
  // As many stacks as the smallest sizes are worth, and a little more beside
  // them than they are.
  ContractionTile oneTile = tile;
  oneTile.blockRows = tile.rows;
  double products = double(rows) * lanes * reduced * getLeast(roles.batches);
  int64_t pieces = std::clamp<int64_t>(
      static_cast<int64_t>(products / kManyProducts), 1, machine.units);
  int64_t whole = getBytes(oneTile, /*widens=*/false) * pieces;
  below = whole * 5 / 4;
  if (written >= below)
    return std::nullopt;
  // No more than what is written, and a quarter less where that buys no panel;
  // but twice as much where such tiles are too slow, which those of half a
  // register's lanes are not.
  constexpr double kMostSlowdown = 2.5;
  int64_t least = (stagesPanel ? written : written * 3 / 4) / pieces;
  for (budget = std::max<int64_t>(1, least); !best && budget < whole;
       budget *= 2) {
    bestTime = kMostSlowdown * estimateTime(tile, /*widens=*/false);
    considerAll();
  }
  if (!best)
    return std::nullopt;
  return FewPointsTile{below, *best};
}

std::optional<FewPointsTile>
tc::chooseFewPointsTile(KernelOp kernel, const ContractionRoles &roles,
                        const MachineModel &machine,
                        const ContractionTile &tile, bool stagesPanel) {
  Type result = ContractStageOp(roles.stage).getResult().getType();
  bool multipliesPairs = machine.hasBF16Dot && multipliesBF16(roles.stage);
  if (multipliesPairs || getElementBytes(result) > 4 ||
      (roles.rows.empty() && stagesPanel))
    return std::nullopt;
  return FewPointsChoice(kernel, roles, machine, tile, stagesPanel).get();
}
