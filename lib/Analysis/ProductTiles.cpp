//===- ProductTiles.cpp - Tiles of products on tensor cores ---------------===//

#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/CostModel.h"

using namespace mlir;
using namespace tc;

/// Whether each row of the matrix in memory begins where a sector of the
/// second-level cache does; true where the sizes do not say.
static bool hasWholeSectors(const TensorCoreProduct::Operand &operand) {
  constexpr int64_t kSectorElements = 16;
  auto pitch =
      operand.matrix ? operand.matrix->pitch.getConstant() : std::nullopt;
  return !pitch || *pitch % kSectorElements == 0;
}

ProductPoints tc::getProductPoints(KernelOp kernel,
                                   const TensorCoreProduct &product) {
  ProductPoints points;
  points.areKnown =
      product.rowCount.isConstant() && product.laneCount.isConstant();
  for (unsigned batch : product.roles.batches) {
    points.batches *= estimateSize(kernel, kernel.getDimSize(batch));
    points.areKnown &= kernel.getDimSize(batch).isConstant();
  }
  points.rows = estimateSize(kernel, product.rowCount);
  points.lanes = estimateSize(kernel, product.laneCount);
  constexpr int64_t kStepElements = 64;
  points.reduced = double(kStepElements) *
                   estimateSize(kernel, product.countSteps(kStepElements));
  points.products = product.countProducts();
  points.areLanesAcross = product.lanes.isAcross;
  points.mayLoad = product.mayLoad();
  points.hasSectorRows = hasWholeSectors(product.rows);
  points.hasSectorLanes =
      hasWholeSectors(product.lanes) &&
      (!product.secondLanes || hasWholeSectors(*product.secondLanes));
  return points;
}

bool tc::isWorthTiles(const ProductPoints &points) {
  // A tile is filled and emptied in the time of so many multiplications.
  constexpr double kFewMultiplications = 1 << 18;
  return points.batches * points.rows * points.lanes * points.reduced *
             double(points.products) >=
         kFewMultiplications;
}

static double countTiles(const ProductPoints &points, const ProductTile &tile) {
  return points.batches *
         std::ceil(points.rows / double(tile.rows * tile.cluster)) *
         std::ceil(points.lanes * double(points.products) / double(tile.lanes));
}

/// In the time that a lane of 128 rows takes for a point of what is summed
/// over. Of two tiles of different width that are as fast, a narrow one loads
/// the other operand more often: that costs as much as so many lanes. Half of
/// the rows load twice as often, and need half of the tensor cores' time. Rows
/// that begin within a sector are loaded in halves of it, which costs several
/// times as much. Two blocks that share the loads of the lanes' operand meet
/// for them, at the cost of half of the loads of whole sectors. Blocks that
/// share a tile add up their sums in the time of some 2 microseconds of
/// products.
static double estimateTileTime(const ProductPoints &points,
                               const ProductTile &tile,
                               const MachineModel &machine) {
  constexpr double kLoad = 32, kHalfSectors = 4, kMeeting = 16, kRows = 128,
                   kExchange = 80000;
  double blocks = double(tile.cluster * tile.splits);
  double waves = std::ceil(countTiles(points, tile) /
                           std::floor(double(machine.units) / blocks));
  double rowLoads = points.hasSectorRows ? kLoad : kLoad * kHalfSectors;
  double laneLoads = points.hasSectorLanes ? kLoad : kLoad * kHalfSectors;
  if (tile.cluster > 1)
    laneLoads = laneLoads / double(tile.cluster) + kMeeting;
  double step = (double(tile.lanes) + rowLoads) *
                (double(tile.rows) + laneLoads) / (kRows + kLoad);
  double exchange = tile.splits > 1 ? kExchange : 0;
  return waves * (step * points.reduced / double(tile.splits) + exchange);
}

/// The tiles that a block can have, wide ones first: of those that cost the
/// same, they load less.
static SmallVector<ProductTile> getTiles(const ProductPoints &points,
                                         const MachineModel &machine) {
  constexpr int64_t kMostLanes = 256, kLeastLanes = 64, kMostRows = 128,
                    kLeastRows = 64, kMostCluster = 2, kBoxLanes = 64,
                    kMostSplits = 2, kMostSums = 128 * 128, kLeastPart = 256,
                    kSplitLanes = 64, kMostLanesOfLoads = 192;
  SmallVector<ProductTile> tiles;
  auto addTiles = [&](int64_t cluster, int64_t splits, int64_t step) {
    for (int64_t rows = kMostRows; rows >= kLeastRows; rows -= kLeastRows)
      for (int64_t lanes = kMostLanes; lanes >= kLeastLanes; lanes -= step)
        tiles.push_back({rows, lanes, cluster, splits});
  };
  // Two products have a tile of a block's own.
  const bool mayShare = points.products == 1;
  for (int64_t cluster = 1;
       cluster <= (mayShare ? std::min(kMostCluster, machine.units) : 1);
       ++cluster)
    addTiles(cluster, /*splits=*/1,
             points.areLanesAcross ? kBoxLanes * cluster * points.products
                                   : kStoredLanes * points.products);
  // Tiles of which there are so few that most multiprocessors have none. Blocks
  // that share a tile have one, which is slow where there are many. Clusters of
  // 4 and 8 blocks are 1.2 to 1.7 times as slow on an H200 as those of 2 with
  // smaller tiles: not all of them find multiprocessors at the same time.
  for (int64_t splits = 2; mayShare && points.areKnown &&
                           splits <= std::min(kMostSplits, machine.units);
       splits *= 2)
    if (points.reduced >= double(splits * kLeastPart))
      addTiles(/*cluster=*/1, splits, kSplitLanes);
  // Threads that load leave those that multiply fewer registers.
  if (points.mayLoad)
    llvm::erase_if(tiles, [&](const ProductTile &tile) {
      return tile.lanes > kMostLanesOfLoads;
    });
  llvm::erase_if(tiles, [&](const ProductTile &tile) {
    return tile.splits > 1 && (tile.rows * tile.lanes > kMostSums ||
                               countTiles(points, tile) * double(tile.splits) >
                                   double(machine.units));
  });
  return tiles;
}

ProductTile tc::chooseProductTile(const ProductPoints &points,
                                  const MachineModel &machine) {
  SmallVector<ProductTile> tiles = getTiles(points, machine);
  return *llvm::min_element(
      tiles, [&](const ProductTile &one, const ProductTile &other) {
        return estimateTileTime(points, one, machine) <
               estimateTileTime(points, other, machine);
      });
}

double tc::estimateProductTime(const ProductPoints &points,
                               const MachineModel &machine) {
  // What the tensor cores of an H200 do of estimateTileTime's unit in a
  // nanosecond.
  constexpr double kRate = 27.5;
  return estimateTileTime(points, chooseProductTile(points, machine), machine) /
         kRate;
}
