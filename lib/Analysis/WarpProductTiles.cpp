//===- WarpProductTiles.cpp - Tiles of products of warps ------------------===//

#include "TC/Analysis/WarpProductTiles.h"

using namespace mlir;
using namespace tc;

namespace {
/// The nanoseconds of a product in one kind of tile, whose blocks have a
/// multiprocessor each.
class WarpTileTime {
public:
  WarpTileTime(const ProductPoints &points, const ProductTile &tile,
               const MachineModel &machine)
      : points(points), tile(tile), machine(machine), rows(double(tile.rows)),
        lanes(double(tile.lanes)) {}
  double estimate() const;

private:
  /// Bytes along what is summed over of a step.
  static constexpr double kStepBytes = 128;
  struct Work {
    double products, readBytes;
  };
  Work getWork(double groupRows, double groups) const;
  double getStep() const;
  double getMemory() const;

  const ProductPoints &points;
  const ProductTile &tile;
  const MachineModel &machine;
  double rows, lanes;
};
} // namespace

/// Multiplications of a step, and reads of shared memory for them.
WarpTileTime::Work WarpTileTime::getWork(double groupRows,
                                         double groups) const {
  constexpr double kWarps = 4, kProductElements = 64;
  if (!points.areOfThreads())
    return {rows * lanes * kProductElements / machine.warpProductRate,
            groups * kWarps * (groupRows / kWarps + lanes) * kStepBytes};
  // A thread has every eighth row of a warp, and every fourth lane. Its loads
  // of 16 bytes have 64 to 128 different ones in a warp.
  constexpr double kThreadRows = 32, kThreadLanes = 4, kElements = 32,
                   kLoads = 8, kLoadBytes = 256;
  return {rows * lanes * kElements / machine.threadProductRate,
          groups * kWarps * (groupRows / kThreadRows + lanes / kThreadLanes) *
              kLoads * kLoadBytes};
}

/// A step of a block: the longest of its multiplications, of the reads of
/// shared memory for them, of its copies or the loads of its threads, and of
/// the time of one copy when each stage but one has one under way.
double WarpTileTime::getStep() const {
  constexpr double kCopiedBytes = 90, kLoadedBytes = 30, kLatency = 900,
                   kMostGroupRows = 128;
  // The warps of two groups hide each other's loads, those of one do so less.
  constexpr double kTogether = 1.15, kAlone = 1.35;
  const double groupRows = std::min(rows, kMostGroupRows),
               groups = rows / groupRows;
  const Work work = getWork(groupRows, groups);
  double multiplications = work.products * (groups > 1 ? kTogether : kAlone);
  double copied = (rows + lanes) * kStepBytes;
  return std::max({multiplications,
                   (work.readBytes + copied) / machine.sharedBandwidth,
                   copied / (points.mayLoad ? kLoadedBytes : kCopiedBytes),
                   kLatency / double(tile.stages - 1)});
}

/// What main memory needs, where every element is read and written once.
double WarpTileTime::getMemory() const {
  constexpr double kResultBytes = 2;
  return points.batches *
         (double(points.elementBytes) *
              (points.rows + points.groups * points.lanes) * points.reduced +
          kResultBytes * points.rows * points.lanes) /
         machine.bandwidth;
}

double WarpTileTime::estimate() const {
  // From the last multiplication of a tile to the first of the next: threads
  // store a few bytes each.
  constexpr double kTile = 500, kPoint = 0.2, kSinglePoint = 0.4;
  double tiles = points.batches *
                 (std::ceil(points.rows / rows) + points.groups - 1) *
                 std::ceil(points.lanes / lanes),
         steps = std::ceil(points.reduced * double(points.elementBytes) /
                           kStepBytes),
         stores = kTile + (1 + (tile.isSwapped ? points.readsOfResults : 0)) *
                              rows * lanes *
                              (points.hasPairs ? kPoint : kSinglePoint);
  double waves = std::ceil(tiles / double(machine.units));
  return std::hypot(waves * (steps * getStep() + stores), getMemory());
}

namespace {
/// Walks the tiles that a block can have for the one with the least time.
class WarpTileChoice {
public:
  explicit WarpTileChoice(const MachineModel &machine) : machine(machine) {}
  void addAll(const ProductPoints &points, bool isSwapped);
  ProductTile best{};
  double time = std::numeric_limits<double>::infinity();

private:
  void add(const ProductPoints &points, ProductTile tile);
  const MachineModel &machine;
};
} // namespace

void WarpTileChoice::add(const ProductPoints &points, ProductTile tile) {
  constexpr int64_t kMostStages = 6, kLeastStages = 2, kGroup = 8;
  const int64_t stageLanes =
      points.areLanesAcross
          ? int64_t(llvm::alignTo(tile.lanes, points.getBoxLanes()))
          : tile.lanes;
  tile.stages =
      std::min(kMostStages, GPUContractionScheduleAttr::getMostStages(
                                machine.blockSharedBytes, tile.rows, stageLanes,
                                /*asyncStore=*/false, /*splits=*/1));
  if (tile.stages < kLeastStages)
    return;
  double estimated = WarpTileTime(points, tile, machine).estimate();
  if (estimated >= time)
    return;
  time = estimated;
  tile.group = kGroup;
  best = tile;
}

int64_t tc::getWarpPromotion(const ProductPoints &points, int64_t rows) {
  // A sum of k products of f32 in parts of n has an error in proportion to the
  // root of k (n + k / n): parts of 64 have 0.2 to 1.0 of cuBLAS's on an H200,
  // but 1.6 to 2.0 of cuDNN's for gradients of weights, which are sums of a few
  // hundred: those have parts of 32. Two warp groups lose 8% of their time with
  // parts of 64, and take longer ones: what fills a device with such tiles has
  // long sums in cuBLAS too.
  constexpr int64_t kSteps = 2, kStepsOfTwoGroups = 4, kRowsOfTwoGroups = 256;
  constexpr double kElements = 32, kFew = 1024;
  if (!points.areOfThreads() ||
      (points.areKnown && points.reduced <= kElements))
    return 0;
  if (rows >= kRowsOfTwoGroups)
    return kStepsOfTwoGroups;
  return points.areKnown && points.reduced <= kFew ? 1 : kSteps;
}

/// Wide tiles first: of those that cost the same, they load less.
void WarpTileChoice::addAll(const ProductPoints &points, bool isSwapped) {
  // A thread has twice as many sums where those of a few steps are promoted.
  constexpr int64_t kRows[] = {256, 128, 64}, kLaneUnit = 16, kFewLanes = 8,
                    kMostLanes = 128, kPromotedLanes = 64, kGroupRows = 64;
  // Threads that load fill whole boxes.
  const int64_t unit = points.areLanesAcross && points.mayLoad
                           ? points.getBoxLanes()
                           : kLaneUnit;
  for (int64_t rows : kRows) {
    ProductTile tile{rows, 0};
    tile.isSwapped = isSwapped;
    const bool hasFewerLanes =
        rows > kGroupRows && getWarpPromotion(points, rows) > 0;
    for (tile.lanes = hasFewerLanes ? kPromotedLanes : kMostLanes;
         tile.lanes >= unit; tile.lanes -= unit)
      // One unit has all of them: more have none.
      if (double(tile.lanes - unit) < points.lanes)
        add(points, tile);
    if (unit == kLaneUnit && points.lanes <= double(kFewLanes)) {
      tile.lanes = kFewLanes;
      add(points, tile);
    }
  }
}

static WarpTileChoice chooseTile(const ProductPoints &points,
                                 const MachineModel &machine) {
  WarpTileChoice choice(machine);
  choice.addAll(points, /*isSwapped=*/false);
  if (points.maySwap)
    choice.addAll(points.getSwapped(), /*isSwapped=*/true);
  return choice;
}

ProductTile tc::chooseWarpProductTile(const ProductPoints &points,
                                      const MachineModel &machine) {
  return chooseTile(points, machine).best;
}

double tc::estimateWarpProductTime(const ProductPoints &points,
                                   const MachineModel &machine) {
  return chooseTile(points, machine).time;
}
