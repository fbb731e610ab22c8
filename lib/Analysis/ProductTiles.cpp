//===- ProductTiles.cpp - Tiles of products on tensor cores ---------------===//

#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelDims.h"

using namespace mlir;
using namespace tc;

/// Whether each row of the matrix in memory begins where a sector of the
/// second-level cache does; true where the sizes do not say.
static bool hasWholeSectors(const TensorCoreProduct::Operand &operand) {
  constexpr int64_t kSectorBytes = 32;
  const int64_t sector =
      kSectorBytes / getElementBytes(operand.value.getType());
  auto pitch =
      operand.matrix ? operand.matrix->pitch.getConstant() : std::nullopt;
  return !pitch || *pitch % sector == 0;
}

/// Reads that have an element of their own for each result.
static double countReadsOfResults(KernelOp kernel,
                                  const ContractionRoles &roles) {
  KernelDims dims(kernel);
  return double(
      llvm::count_if(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
        const DimSet &varied = dims.of(read.getResult());
        return varied.test(roles.vectorDim) && varied.test(roles.rows.back());
      }));
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
  points.elementBytes = product.getElementBytes();
  points.needsPromotion = product.needsPromotion();
  points.hasIntegers = product.lanes.value.getType().isInteger();
  points.reduced = double(product.getStepElements()) *
                   estimateSize(kernel, product.countSteps());
  points.products = product.countProducts();
  points.areRowsAcross = product.rows.isAcross;
  points.areLanesAcross = product.lanes.isAcross;
  points.haveRowsWindow = product.rows.hasWindowBoxes();
  points.haveLanesWindow = product.lanes.hasWindowBoxes();
  points.mayLoad = product.mayLoad();
  points.hasSectorRows = hasWholeSectors(product.rows);
  points.hasSectorLanes =
      hasWholeSectors(product.lanes) &&
      (!product.secondLanes || hasWholeSectors(*product.secondLanes));
  points.storesTiles = product.results.has_value();
  points.hasPairs = product.hasPairs;
  points.readsOfResults = countReadsOfResults(kernel, product.roles);
  points.isGrouped = bool(product.roles.group);
  if (points.isGrouped)
    points.groups = std::min(
        points.rows, estimateSize(kernel, product.lanes.matrix->groupCount));
  // Threads would compute what they load of the larger operand more often, and
  // lanes of a window's places end in the middle of images.
  points.maySwap = points.areKnown && product.windowDims.empty() &&
                   !points.mayLoad && !points.isGrouped;
  return points;
}

ProductPoints ProductPoints::getSwapped() const {
  ProductPoints swapped = *this;
  std::swap(swapped.rows, swapped.lanes);
  std::swap(swapped.areRowsAcross, swapped.areLanesAcross);
  std::swap(swapped.haveRowsWindow, swapped.haveLanesWindow);
  std::swap(swapped.hasSectorRows, swapped.hasSectorLanes);
  swapped.storesTiles = false;
  swapped.hasPairs = true; // of rows, whose results are neighbours in memory
  return swapped;
}

bool tc::isWorthTiles(const ProductPoints &points) {
  // A tile is filled and emptied in the time of so many multiplications.
  constexpr double kFewMultiplications = 1 << 18;
  return points.batches * points.rows * points.lanes * points.reduced *
             double(points.products) >=
         kFewMultiplications;
}

bool tc::haveInstruction(int64_t lanes) {
  constexpr int64_t kUnit = 8, kFewUnits = 3;
  const int64_t units = lanes / kUnit;
  return units % 2 == 0 || units <= kFewUnits;
}

/// Rows of a warp group.
static constexpr int64_t kGroupRows = 64;

/// Bytes of a step along what is summed over, and of a result.
static constexpr double kStepBytes = 128, kResultBytes = 2;

/// Clusters of so many blocks, each of which needs a multiprocessor, that the
/// device has at a time. Those of a cluster are in one group of 16 or 18
/// multiprocessors: an H200 has 66 clusters of 2, 30 of 4 and 15 of 8.
static double countClusters(int64_t blocks, const MachineModel &machine) {
  constexpr double kInGroups = 10.0 / 11;
  double units = double(machine.units) * (blocks > 2 ? kInGroups : 1);
  return std::max(1.0, std::floor(units / double(blocks)));
}

/// Lanes of a stage: whole boxes where the operand is contiguous along them.
static int64_t getStageLanes(const ProductPoints &points,
                             const ProductTile &tile) {
  constexpr int64_t kBoxLanes = 64;
  return points.areLanesAcross
             ? int64_t(llvm::alignTo(tile.lanes, kBoxLanes * tile.cluster))
             : tile.lanes;
}

namespace {
/// The nanoseconds of a product in one kind of tile. Rates are those of an
/// H200: fitted to 3000 times of 110 products in tiles of all kinds, which they
/// give with an error of 8% (root of the mean square).
class TileTime {
public:
  TileTime(const ProductPoints &points, const ProductTile &tile,
           const MachineModel &machine)
      : points(points), tile(tile), machine(machine),
        lanes(points.lanes * double(points.products)),
        tileRows(std::ceil(points.rows / double(tile.rows * tile.cluster)) +
                 points.groups - 1),
        tileLanes(std::ceil(lanes / double(tile.lanes))),
        steps(std::ceil(points.reduced * double(points.elementBytes) /
                        kStepBytes / double(tile.splits))) {}
  double countTiles() const { return points.batches * tileRows * tileLanes; }
  /// Whether the steps of a tile are so many times the number of its parts.
  bool hasEqualParts() const { return int64_t(steps) % tile.parts == 0; }
  double estimate() const;

private:
  /// Of a step: bytes of the points of a tile's rows or lanes.
  static double getBytes(double count, bool hasSectors) {
    constexpr double kHalfSectors = 2; // each of which is loaded as a whole
    return kStepBytes * count * (hasSectors ? 1 : kHalfSectors);
  }
  double getStep() const;
  /// Lanes that are copied to a stage, or loaded by threads, which fill it.
  double countStageLanes() const {
    const bool fills = points.mayLoad || points.haveLanesWindow;
    return double(fills ? getStageLanes(points, tile) : tile.lanes);
  }
  double getCopies() const;
  double getMemory() const;
  double getStores() const;
  double getBlocks(double waves) const;
  double getSharing() const;
  /// Lanes of a tile that a block copies, of `count`: two that share them copy
  /// a half each, and meet for it.
  double getCopiedLanes(double count) const {
    constexpr double kMeeting = 17;
    return tile.cluster > 1 ? count / double(tile.cluster) + kMeeting : count;
  }

  const ProductPoints &points;
  const ProductTile &tile;
  const MachineModel &machine;
  double lanes;
  /// Of a batch; rows of the tiles of a cluster together.
  double tileRows, tileLanes;
  double steps; ///< of a tile, or of a block of those that split it
};
} // namespace

/// A step of a block: the longest of its multiplications, of the reads of
/// shared memory for them, which each 64 rows make of their own, of its copies
/// or the loads of its threads, and of the time of one copy when each stage has
/// one under way.
double TileTime::getStep() const {
  constexpr double kPoint = 0.0189, kCopiedBytes = 137, kLoadedBytes = 40,
                   kRead = 0.71, kLatency = 1070, kAlone = 1.5,
                   kAloneInGroups = 1.25;
  double multiplications = double(tile.rows * tile.lanes) * kPoint;
  // Of two warp groups one multiplies while the other adds up sums, or stores
  // what it has for one of several matrices.
  if (points.needsPromotion && tile.rows <= kGroupRows)
    multiplications *= kAlone;
  if (points.isGrouped && tile.rows <= kGroupRows)
    multiplications *= kAloneInGroups;
  double bytes =
      getBytes(double(tile.rows), points.hasSectorRows) +
      getBytes(getCopiedLanes(countStageLanes()), points.hasSectorLanes);
  return std::max(
      {multiplications,
       double(tile.rows / kGroupRows * (kGroupRows + tile.lanes)) * kRead,
       bytes / (points.mayLoad ? kLoadedBytes : kCopiedBytes),
       kLatency / double(tile.stages)});
}

/// What the second-level cache needs for all copies. Rows and lanes behind the
/// last ones, which become zeros, cost several times as much as others.
double TileTime::getCopies() const {
  constexpr double kBytes = 32100, kBytesBehind = 3670;
  double rowsBehind = double(tile.rows) -
                      std::min(double(tile.rows),
                               points.rows / tileRows / double(tile.cluster)),
         lanesBehind = double(tile.lanes) -
                       std::min(double(tile.lanes), lanes / tileLanes);
  double bytes =
      getBytes(double(tile.rows) - rowsBehind, points.hasSectorRows) +
      getBytes(getCopiedLanes(countStageLanes() - lanesBehind),
               points.hasSectorLanes);
  double behind = getBytes(rowsBehind + lanesBehind, /*hasSectors=*/true);
  return countTiles() * double(tile.cluster * tile.splits) * steps *
         (bytes / kBytes + behind / kBytesBehind);
}

/// What main memory needs, where every element is read and written once.
double TileTime::getMemory() const {
  constexpr double kBytes = 5150;
  return points.batches *
         (double(points.elementBytes) * (points.rows + points.groups * lanes) *
              points.reduced +
          kResultBytes * points.rows * lanes) /
         kBytes;
}

/// From the last multiplication of a tile to the first one of the next. Threads
/// that store a few bytes each take longer than the copy engine, and as long
/// again for what they read so.
double TileTime::getStores() const {
  constexpr double kTile = 365, kPoint = 0.156, kSinglePoint = 0.338;
  if (tile.storesTiles)
    return kTile;
  double accesses = 1 + (tile.isSwapped ? points.readsOfResults : 0);
  return kTile + accesses * double(tile.rows * tile.lanes / tile.splits) *
                     (points.hasPairs ? kPoint : kSinglePoint);
}

/// The steps of a multiprocessor. Clusters that split tiles do not all begin at
/// once where there are nearly as many as the device has at a time; the loads
/// of threads take longer than that.
double TileTime::getBlocks(double waves) const {
  constexpr double kMeetings = 1.028, kCrowded = 1.5, kMostOfClusters = 0.7;
  double blocks = waves * steps / double(tile.parts) * getStep();
  if (tile.cluster > 1)
    blocks *= kMeetings;
  if (tile.splits > 1 && !points.mayLoad &&
      countTiles() > kMostOfClusters * countClusters(tile.splits, machine))
    blocks *= kCrowded;
  return blocks;
}

/// What blocks that share a tile take to bring their sums together: those of a
/// cluster each add up a part of the lanes, others go through memory one after
/// the other.
double TileTime::getSharing() const {
  constexpr double kExchange = 687, kSum = 0.169, kPosts = 600, kPart = 850,
                   kPartSum = 0.045;
  const auto points = double(tile.rows * tile.lanes);
  if (tile.splits > 1)
    return kExchange +
           kSum * points * double(tile.splits - 1) / double(tile.splits);
  if (tile.parts > 1)
    return kPosts + double(tile.parts - 1) * (kPart + kPartSum * points);
  return 0;
}

/// Multiplications, copies and main memory hide each other in part. Blocks that
/// share a tile read memory in more places.
double TileTime::estimate() const {
  constexpr double kClusters = 2000, kLastPoint = 0.0285, kPlaces = 1.15;
  double waves = std::ceil(countTiles() /
                           countClusters(tile.cluster * tile.splits, machine));
  double time = std::hypot(getBlocks(waves), getCopies(),
                           getMemory() * (tile.parts > 1 ? kPlaces : 1)) +
                waves * getStores() + getSharing();
  // Nothing hides the stores of the last tile.
  if (tile.storesTiles)
    time += kLastPoint * double(tile.rows * tile.lanes);
  if (tile.cluster > 1)
    time += kClusters;
  return time;
}

namespace {
/// Walks the tiles that a block can have for the one with the least time.
class TileChoice {
public:
  explicit TileChoice(const MachineModel &machine) : machine(machine) {}
  void addAll(const ProductPoints &points, bool isSwapped);
  ProductTile best{};
  double time = std::numeric_limits<double>::infinity();

private:
  void add(const ProductPoints &points, ProductTile tile);
  bool maySplit(const ProductPoints &points, const ProductTile &tile,
                const TileTime &own) const;
  const MachineModel &machine;
};
} // namespace

/// Whether a thread of a warp group has registers for its sums, for those that
/// it adds them to, and for the results that wait to be stored.
static bool fitsRegisters(const ProductPoints &points,
                          const ProductTile &tile) {
  constexpr int64_t kMostRegisters = 200, kSums = 2, kResults = 4; // of lanes
  return tile.lanes / kSums * (points.needsPromotion ? 2 : 1) +
             (tile.storesTiles ? tile.lanes / kResults : 0) <=
         kMostRegisters;
}

/// Whether each block that splits or shares a tile has enough to add up. Those
/// that split tiles are all at work at once; those that share them are at most
/// as many as the multiprocessors, and have equal parts, as one with parts of
/// two tiles takes longer than idle multiprocessors would save.
bool TileChoice::maySplit(const ProductPoints &points, const ProductTile &tile,
                          const TileTime &own) const {
  constexpr int64_t kLeastPart = 256;
  if (points.reduced < double(tile.splits * tile.parts * kLeastPart))
    return false;
  return tile.splits > 1
             ? own.countTiles() <= countClusters(tile.splits, machine)
             : own.hasEqualParts() && own.countTiles() * double(tile.parts) <=
                                          double(machine.units);
}

void TileChoice::add(const ProductPoints &points, ProductTile tile) {
  constexpr int64_t kMostStages = 14, kLeastStages = 3;
  tile.storesTiles = points.storesTiles && tile.splits == 1 &&
                     tile.lanes % (kStoredLanes * points.products) == 0;
  tile.stages = std::min(kMostStages, GPUContractionScheduleAttr::getMostStages(
                                          machine.blockSharedBytes, tile.rows,
                                          getStageLanes(points, tile),
                                          tile.storesTiles, tile.splits));
  if (tile.stages < kLeastStages || !fitsRegisters(points, tile) ||
      (points.hasIntegers && !haveInstruction(tile.lanes)))
    return;
  TileTime own(points, tile, machine);
  if (tile.splits * tile.parts > 1 && !maySplit(points, tile, own))
    return;
  double estimated = own.estimate();
  if (estimated >= time)
    return;
  time = estimated;
  // Of tiles that all have a multiprocessor at once, those that share rows are
  // next to each other in smaller groups.
  constexpr int64_t kGroup = 16, kGroupOfOneWave = 4;
  tile.group = own.countTiles() * double(tile.cluster) <= double(machine.units)
                   ? kGroupOfOneWave
                   : kGroup;
  if (tile.parts > 1)
    tile.tailBlocks = int64_t(own.countTiles()) * tile.parts;
  best = tile;
}

/// Wide tiles first: of those that cost the same, they load less.
void TileChoice::addAll(const ProductPoints &points, bool isSwapped) {
  constexpr int64_t kMostLanes = 256, kMostLanesOfLoads = 192,
                    kRows[] = {128, 64}, kMostSplits = 8, kMostParts = 8,
                    kLaneUnit = 8, kBoxLanes = 64;
  // Threads that load leave those that multiply fewer registers.
  const int64_t most = points.mayLoad ? kMostLanesOfLoads : kMostLanes;
  // So do they fill whole boxes, as do two products. Where rows are contiguous
  // across them as well, other parts than halves of boxes take up to 1.4 times
  // as long as they should.
  const bool fillsBoxes =
      points.mayLoad || points.products > 1 || points.haveLanesWindow;
  const int64_t boxUnit = !points.areLanesAcross ? kLaneUnit
                          : fillsBoxes           ? kBoxLanes
                          : points.areRowsAcross ? kBoxLanes / 2
                                                 : kLaneUnit;
  // Two products, and rows with matrices of their own, have a tile of a block's
  // own.
  const bool mayShare =
      points.products == 1 && machine.units > 1 && !points.isGrouped;
  auto addLanes = [&](ProductTile tile, int64_t unit) {
    for (tile.lanes = llvm::alignDown(most, unit); tile.lanes >= unit;
         tile.lanes -= unit)
      // One unit has all of them: more have none.
      if (double(tile.lanes - unit) < points.lanes * double(points.products))
        add(points, tile);
  };
  for (int64_t rows : kRows) {
    ProductTile tile{rows, 0};
    tile.isSwapped = isSwapped;
    const int64_t storedUnit = points.storesTiles ? kStoredLanes : kLaneUnit;
    addLanes(tile, std::max(storedUnit, boxUnit) * points.products);
    if (!mayShare)
      continue;
    tile.cluster = 2;
    if (points.rows > double(rows))
      addLanes(tile, std::max({storedUnit, kLaneUnit * tile.cluster,
                               boxUnit * tile.cluster}));
    tile.cluster = 1;
    for (tile.splits = 2; points.areKnown && tile.splits <= kMostSplits;
         tile.splits *= 2)
      addLanes(tile, std::max(boxUnit, kLaneUnit * tile.splits));
    tile.splits = 1;
    for (tile.parts = 2; points.areKnown && tile.parts <= kMostParts;
         tile.parts *= 2)
      addLanes(tile, std::max(storedUnit, boxUnit));
  }
}

static TileChoice chooseTile(const ProductPoints &points,
                             const MachineModel &machine) {
  TileChoice choice(machine);
  choice.addAll(points, /*isSwapped=*/false);
  if (points.maySwap && points.products == 1)
    choice.addAll(points.getSwapped(), /*isSwapped=*/true);
  return choice;
}

ProductTile tc::chooseProductTile(const ProductPoints &points,
                                  const MachineModel &machine) {
  return chooseTile(points, machine).best;
}

double tc::estimateProductTime(const ProductPoints &points,
                               const MachineModel &machine) {
  return chooseTile(points, machine).time;
}

double tc::estimateThreadsTime(const ProductPoints &points) {
  // Bytes that an H200 reads in a nanosecond of which a half comes from the
  // second-level cache.
  constexpr double kBytes = 3600;
  // Products of f32 of a few rows that it adds up: 16 rows of 4096 by 4096 take
  // 110 us, and 62 in tiles.
  constexpr double kProducts = 2440;
  const double products = points.batches * points.lanes * points.reduced,
               matrices = points.isGrouped ? points.rows : 1,
               read =
                   double(points.elementBytes) * products * matrices / kBytes;
  return points.areOfThreads()
             ? std::max(read, products * points.rows / kProducts)
             : read;
}
