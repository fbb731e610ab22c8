//===- GPUContractionSchedule.cpp - Products on tensor cores --------------===//

#include "GPUContractionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/TensorCoreProduct.h"

using namespace mlir;
using namespace tc;

namespace {
/// The sizes of a product, as far as they are known.
struct Points {
  double batches = 1, rows, lanes, reduced;
};

struct Tile {
  int64_t rows, lanes;
};
} // namespace

/// Of two tiles of different width that are as fast, a narrow one loads the
/// other operand more often: that costs as much as so many lanes. Half of the
/// rows load twice as often, and need half of the tensor cores' time.
static double estimateCost(const Points &points, const Tile &tile,
                           const MachineModel &machine) {
  constexpr double kLoadLanes = 32, kLoadRows = 32, kRows = 128;
  double tiles = points.batches * std::ceil(points.rows / double(tile.rows)) *
                 std::ceil(points.lanes / double(tile.lanes));
  double waves = std::ceil(tiles / double(machine.units));
  return waves * (double(tile.lanes) + kLoadLanes) *
         (double(tile.rows) + kLoadRows) / (kRows + kLoadRows);
}

/// Wide tiles come first: of those that cost the same, they load less.
static Tile chooseTile(const Points &points, bool areLanesAcross,
                       const MachineModel &machine) {
  constexpr int64_t kMostLanes = 256, kLeastLanes = 64, kMostRows = 128,
                    kLeastRows = 64;
  const int64_t step = areLanesAcross ? 64 : 32;
  Tile best{kMostRows, kMostLanes};
  double least = estimateCost(points, best, machine);
  for (int64_t rows = kMostRows; rows >= kLeastRows; rows -= kLeastRows)
    for (int64_t lanes = kMostLanes; lanes >= kLeastLanes; lanes -= step) {
      Tile tile{rows, lanes};
      double cost = estimateCost(points, tile, machine);
      if (cost < least) {
        least = cost;
        best = tile;
      }
    }
  return best;
}

ScheduleAttrInterface
tc::getGPUContractionSchedule(KernelOp kernel, const MachineModel &machine) {
  // A tile is filled and emptied in the time of so many multiplications.
  constexpr double kFewMultiplications = 1 << 18;
  constexpr int64_t kMostStages = 8, kGroup = 16, kStoredLanes = 32;
  if (!machine.hasWarpGroupProducts || !hasContraction(kernel))
    return {};
  int64_t dim = getWrittenDim(kernel);
  auto product = TensorCoreProduct::find(kernel, dim);
  if (!product) {
    llvm::consumeError(product.takeError());
    return {};
  }
  Points points;
  for (unsigned batch : product->roles.batches)
    points.batches *= estimateSize(kernel, kernel.getDimSize(batch));
  points.rows = estimateSize(kernel, product->rowCount);
  points.lanes = estimateSize(kernel, product->laneCount);
  points.reduced = estimateSize(kernel, product->reducedCount);
  if (points.batches * points.rows * points.lanes * points.reduced <
      kFewMultiplications)
    return {};
  Tile tile = chooseTile(points, product->lanes.isAcross, machine);
  bool asyncStore = product->results && tile.lanes % kStoredLanes == 0;
  int64_t stages =
      std::min(kMostStages, GPUContractionScheduleAttr::getMostStages(
                                tile.rows, tile.lanes, asyncStore));
  return GPUContractionScheduleAttr::get(kernel.getContext(), dim, tile.rows,
                                         tile.lanes, stages, machine.units,
                                         kGroup, asyncStore, /*cluster=*/1);
}
