//===- ContractionRoles.cpp - What a contraction's dims are for -----------===//

#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementDistance.h"

using namespace mlir;
using namespace tc;

std::optional<ContractionRoles> ContractionRoles::find(KernelOp kernel,
                                                       const KernelDims &dims,
                                                       int64_t vectorDim) {
  ContractionRoles roles;
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ReduceStageOp, ScanStageOp>(op) || isWholeStage(&op) ||
        (isa<ContractStageOp>(op) && roles.stage))
      return std::nullopt;
    if (auto stage = dyn_cast<ContractStageOp>(op))
      roles.stage = stage;
  }
  if (!roles.stage || vectorDim < 0 ||
      !isa<FloatType>(roles.stage.getResult().getType()))
    return std::nullopt;
  roles.vectorDim = vectorDim;
  const DimSet &result = dims.of(roles.stage.getResult()),
               &left = dims.of(roles.stage.getLhs()),
               &right = dims.of(roles.stage.getRhs());
  if (!result.test(vectorDim) || left.test(vectorDim) == right.test(vectorDim))
    return std::nullopt;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    if (dims.ofWrite(write) != result)
      return std::nullopt;
  bool panelIsRight = right.test(vectorDim);
  roles.panel = panelIsRight ? roles.stage.getRhs() : roles.stage.getLhs();
  roles.rowOperand = panelIsRight ? roles.stage.getLhs() : roles.stage.getRhs();
  const DimSet &panel = panelIsRight ? right : left,
               &row = panelIsRight ? left : right;
  for (unsigned dim : result.set_bits()) {
    if (static_cast<int64_t>(dim) == vectorDim)
      continue;
    bool inBoth = panel.test(dim) == row.test(dim);
    (inBoth            ? roles.batches
     : panel.test(dim) ? roles.lanes
                       : roles.rows)
        .push_back(dim);
  }
  roles.lanes.push_back(vectorDim);
  roles.reduced.assign(roles.stage.getOver().begin(),
                       roles.stage.getOver().end());
  llvm::sort(roles.reduced);
  return roles;
}

/// Whether `rows` rows that are `bytes` apart stay in a first-level cache of
/// the usual 64 sets of 8 lines while all are walked together.
static bool stayInCache(int64_t rows, int64_t bytes) {
  constexpr int64_t kSetBytes = 4096, kWays = 8;
  int64_t positions = kSetBytes / std::gcd(bytes, kSetBytes);
  return llvm::divideCeil(rows, positions) <= kWays;
}

/// Bytes that the kernel writes; sizes that are no constants count as 1.
static int64_t getWrittenBytes(KernelOp kernel, const ContractionRoles &roles) {
  int64_t written = 0;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    written += getElementBytes(write.getValue().getType());
  for (unsigned dim :
       llvm::concat<const unsigned>(roles.rows, roles.lanes, roles.batches))
    written *=
        std::max<int64_t>(1, kernel.getDimSize(dim).getConstant().value_or(1));
  return written;
}

static bool areWrittenSizesKnown(KernelOp kernel,
                                 const ContractionRoles &roles) {
  return llvm::all_of(
      llvm::concat<const unsigned>(roles.rows, roles.lanes, roles.batches),
      [&](unsigned dim) { return kernel.getDimSize(dim).isConstant(); });
}

bool ContractionRoles::mayBeWrittenOverRows(KernelOp kernel, int64_t tileLanes,
                                            bool stagesPanel) const {
  if (stagesPanel || lanes.size() != 1 || reduced.size() != 1)
    return false;
  auto size = kernel.getDimSize(lanes[0]).getConstant();
  return size && size == kernel.getDimSize(reduced[0]).getConstant() &&
         *size <= kMostLanesInPlace && *size > tileLanes;
}

bool ContractionRoles::hasConstantInnerSizes(KernelOp kernel) const {
  return llvm::all_of(ArrayRef(reduced).drop_front(reduced.empty() ? 0 : 1),
                      [&](unsigned dim) {
                        auto size = kernel.getDimSize(dim).getConstant();
                        return size && *size > 0;
                      });
}

bool ContractionRoles::writesLessThanRows(KernelOp kernel) const {
  return areWrittenSizesKnown(kernel, *this) &&
         getWrittenBytes(kernel, *this) < kLeastRowsBytes;
}

std::optional<int64_t> ContractionRoles::getRowsApart(KernelOp kernel,
                                                      int64_t tileRows,
                                                      bool multipliesPairs,
                                                      bool usesTiles,
                                                      bool widensRows) const {
  ReadOp read = getLinearRead(kernel, rowOperand, reduced);
  Type element = rowOperand.getType();
  bool isConverted = !multipliesPairs && !element.isF32() && !element.isF64() &&
                     !(widensRows && mayWidenInProducts(rowOperand));
  if (!read || isConverted)
    return std::nullopt;
  SizeExpr count = SizeExpr::constant(kernel.getContext(), 1), apart = nullptr;
  for (unsigned dim : llvm::reverse(rows)) {
    SizeExpr size = kernel.getDimSize(dim);
    count = count.mul(size);
    if (apart || size.isConstant(1))
      continue;
    auto distance = getElementDistance(
        cast<ShapedType>(read.getSource().getType()), read.getMap(), dim);
    if (!distance)
      return std::nullopt;
    apart = *distance;
  }
  if (!apart)
    return 0;
  auto elements = apart.getConstant();
  // Registers of AMX have all their rows, and take a line of each at once.
  if (!elements || *elements < 0 ||
      *elements > std::numeric_limits<int32_t>::max() / tileRows ||
      (!usesTiles &&
       !stayInCache(tileRows, *elements * getElementBytes(element))) ||
      !areApart(kernel, read, rows, apart) ||
      (usesTiles && count.getConstant().value_or(0) < tileRows))
    return std::nullopt;
  return *elements;
}

bool tc::mayWidenInProducts(Value operand) {
  return isa<FloatType>(operand.getType()) &&
         getElementBytes(operand.getType()) < 4 &&
         operand.getDefiningOp<ReadOp>();
}

bool tc::fitsTileRegisters(const ContractionTile &tile) {
  int64_t rows = tile.rows / kTileRows, lanes = tile.lanes / kTileRows;
  return tile.rows % kTileRows == 0 && tile.lanes % kTileRows == 0 &&
         rows * lanes + rows + 1 <= kTileRegisters;
}

bool tc::multipliesBF16(ContractStageOp stage) {
  return stage.getLhs().getType().isBF16() &&
         stage.getRhs().getType().isBF16() &&
         getElementBytes(stage.getResult().getType()) <= 4;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// Estimates, in cycles of one multiply-add of a whole register each.
class TileChoice {
public:
  TileChoice(KernelOp kernel, const ContractionRoles &roles,
             const MachineModel &machine, bool stagesPanel)
      : kernel(kernel), roles(roles), machine(machine),
        stagesPanel(stagesPanel), rows(points(roles.rows)),
        lanes(points(roles.lanes)), reduced(points(roles.reduced)),
        batches(points(roles.batches)) {
    Type result = ContractStageOp(roles.stage).getResult().getType();
    sumBytes = std::max<int64_t>(4, getElementBytes(result));
    width = machine.vectorBits / 8 / sumBytes;
    isPairs = machine.hasBF16Dot && multipliesBF16(roles.stage);
    stagedBytes = isPairs ? 2 : sumBytes;
    manyRegisters = machine.vectorRegisters >= 32;
    laneStaging = estimateLaneStaging(kernel, roles, width);
    readsRowsAsTheyAre = !isPairs && roles.writesLessThanRows(kernel);
    if (roles.reduced.size() > 1)
      innerPoints = points(ArrayRef(roles.reduced).drop_front());
    overrun = roles.lanes.size() > 1 && machine.vectorBits < 512 ? width : 0;
    stagingBytes = getStagingBytes();
    usesTiles = isPairs && machine.hasBF16Tiles && width == kTileRows &&
                rows >= kLeastTileRows && dividesIntoTiles(roles.reduced) &&
                areTilesWorthTheirSums();
    panelBytes =
        stagesPanel ? stagingBytes / 2 : std::numeric_limits<int64_t>::max();
  }

  ContractionTile get() const {
    ContractionTile tile = chooseRegisters();
    chooseReduced(tile);
    chooseBlocks(tile);
    return tile;
  }

private:
  int64_t points(ArrayRef<unsigned> dims) {
    double count = 1;
    for (unsigned dim : dims)
      count *= estimateSize(kernel, kernel.getDimSize(dim));
    return static_cast<int64_t>(std::max(count, 1.0));
  }

  /// Whether the points of `dims` are known to be so many whole tiles that
  /// blocks of the first dimension can be.
  bool dividesIntoTiles(ArrayRef<unsigned> dims) {
    for (unsigned dim : dims)
      if (kernel.getDimSize(dim).getConstant().value_or(0) == 0)
        return false;
    return !dims.empty() && *kernel.getDimSize(dims.front()).getConstant() %
                                    getTileUnit(points(dims.drop_front())) ==
                                0;
  }

  /// Rows that each call stages, of all units together, take no more than what
  /// the kernel writes, and panels no more than half of it, where that is
  /// possible: staging is to be small beside the tensors, also those of the
  /// smallest symbolic sizes.
  int64_t getStagingBytes() {
    areSizesKnown = areWrittenSizesKnown(kernel, roles);
    return getWrittenBytes(kernel, roles) / getUnits();
  }
  /// Units that have a piece of the products, of at least the usual size each.
  int64_t getUnits() const {
    double products = double(rows) * lanes * batches * reduced,
           pieces = std::ceil(products * 2 / kUsualTaskMultiplyAdds);
    return static_cast<int64_t>(std::min<double>(machine.units, pieces));
  }
  /// Whether what a tile takes is small beside what the kernel writes: its
  /// sums, its rows where they are staged, and then the panel too if calls
  /// stage it; or its sums are as few as hide the latency of long sums. Where
  /// sizes are symbolic, calls see to that.
  bool isTileSmall(int64_t tileRows, int64_t tileLanes) const {
    int64_t sums = tileRows * tileLanes * sumBytes;
    if (!areSizesKnown ||
        (reduced >= kLongSum && sums <= kLeastAccumulators * width * sumBytes))
      return true;
    // The rows of a staged panel are to be in one tile.
    bool areStaged = stagesRows(tileRows) || stagesRowsInPlace(tileLanes);
    if (stagesPanel && !areStaged)
      return true;
    int64_t rowBytes = areStaged ? tileRows * getRowBytes(getLeastPoints()) : 0,
            panel = stagesPanel ? getLeastPanelBytes(tileLanes) : 0,
            most = stagingBytes * 3 / 4;
    return sums <= stagingBytes / 2 &&
           sums + rowBytes + (panel < most ? panel : 0) <= most;
  }
  /// Tiles of sums lie in memory between blocks and until they are written,
  /// which is paid for by long sums, and is to be small beside what is written.
  /// Calls of symbolic sizes with fewer rows than a tile's do without tiles.
  bool areTilesWorthTheirSums() const {
    ContractionTile tile = chooseTileRegisters();
    int64_t fewestRows = 1;
    for (unsigned dim : roles.rows)
      fewestRows *= KernelOp(kernel).getDimSize(dim).getConstant().value_or(1);
    if (!areSizesKnown && fewestRows < kTileRows)
      return reduced >= kLeastTiledSum;
    return (areSizesKnown && reduced >= kMuchTiledSum) ||
           (reduced >= kLeastTiledSum &&
            tile.rows * tile.lanes * sumBytes <= stagingBytes);
  }
  bool stagesRows(int64_t tileRows) const {
    return !roles.getRowsApart(kernel, tileRows, isPairs, usesTiles,
                               readsRowsAsTheyAre);
  }
  bool stagesRowsInPlace(int64_t tileLanes) const {
    return roles.mayBeWrittenOverRows(kernel, tileLanes, stagesPanel) &&
           !usesTiles;
  }
  /// Whether staged rows have wider elements than the rows that are read.
  bool widensRows() const {
    return stagedBytes > getElementBytes(roles.rowOperand.getType());
  }
  /// Bytes of a panel for each reduced point.
  int64_t getPointBytes(int64_t tileLanes) const {
    return (tileLanes + overrun) * stagedBytes;
  }
  /// Bytes of a staged row of `points` points, with the room between rows.
  int64_t getRowBytes(int64_t points) const {
    int64_t unit = isPairs ? 2 * width : width;
    return int64_t(llvm::alignTo(points, unit) + unit) * stagedBytes;
  }
  /// Points of the shortest block. Two of the least blocks are one.
  int64_t getLeastPoints() const {
    return reduced <= 2 * kLeastPoints
               ? reduced
               : std::min(reduced, std::max(kLeastPoints, innerPoints));
  }
  /// Whether the shortest block's panel is within the limit.
  bool fitsLimit(int64_t tileLanes) const {
    return int64_t(llvm::alignTo(getLeastPoints(), kLeastPoints)) *
               getPointBytes(tileLanes) <=
           panelBytes;
  }
  int64_t getLeastPanelBytes(int64_t tileLanes) const {
    return int64_t(llvm::alignTo(getLeastPoints(), isPairs ? 2 : 1)) *
           getPointBytes(tileLanes);
  }
  ContractionTile chooseRegisters() const;
  ContractionTile chooseTileRegisters() const;
  void chooseReduced(ContractionTile &tile) const;
  void chooseBlocks(ContractionTile &tile) const;

  KernelOp kernel;
  const ContractionRoles &roles;
  const MachineModel &machine;
  bool stagesPanel;
  /// Most bytes of staged rows: a part of a thread's stack.
  static constexpr int64_t kMaxStagedBytes = 960 * 1024;
  /// Fewest reduced points of a block of AMX, which stores its sums after each.
  static constexpr int64_t kLeastTilePoints = 256;
  /// Accumulators that hide the latency of multiply-adds.
  static constexpr int64_t kLeastAccumulators = 8;
  /// Reduced points whose multiply-adds take longer than what surrounds them.
  static constexpr int64_t kLongSum = 256;
  /// A tile of which fewer rows count is slower than vectors.
  static constexpr int64_t kLeastTileRows = 5;
  /// Shorter sums take less time than storing and loading their tiles.
  static constexpr int64_t kLeastTiledSum = 128;
  /// Sums so long that tiles are worth their memory however few they are.
  static constexpr int64_t kMuchTiledSum = 512;
  int64_t rows, lanes, reduced, batches, width, stagedBytes, sumBytes;
  int64_t innerPoints = 1;          ///< of the reduced dimensions but the first
  int64_t overrun;                  ///< lanes of room behind a panel's
  int64_t stagingBytes, panelBytes; ///< most of a unit's rows, of its panel
  double laneStaging;               ///< of one lane at one reduced point
  bool manyRegisters, usesTiles, isPairs, readsRowsAsTheyAre;
  bool areSizesKnown; ///< of what is written
};
} // namespace

/// A vector for each run of lanes that lie side by side; what lies in the
/// padding is masked. Lanes that lie across are turned in registers.
double tc::estimateLaneStaging(KernelOp kernel, const ContractionRoles &roles,
                               int64_t width) {
  double vector = 5, run = 1;
  bool isAcross = false;
  if (auto read = roles.panel.getDefiningOp<ReadOp>()) {
    vector = read.getWithin() ? 20 : 5;
    AffineMap map = read.getMap();
    isAcross = map.getNumResults() > 0 &&
               !map.getResults().back().isFunctionOfDim(roles.vectorDim);
  }
  if (isAcross)
    return 0.45;
  run = estimateSize(kernel, kernel.getDimSize(roles.lanes.back()));
  return vector / std::clamp(std::floor(run), 1.0, double(width));
}

/// Two by two tiles of sums need the fewest loads; one by up to four where one
/// holds all rows.
ContractionTile TileChoice::chooseTileRegisters() const {
  int64_t tileLanes = llvm::divideCeil(lanes, kTileRows);
  int64_t high = rows > kTileRows ? 2 : 1,
          wide = std::min<int64_t>(tileLanes, high == 2 ? 2 : 4);
  return {high * kTileRows, wide * kTileRows, 0, 0, 0};
}

/// Accumulators, one panel row and one broadcast fill the registers at most.
ContractionTile TileChoice::chooseRegisters() const {
  if (usesTiles)
    return chooseTileRegisters();
  int64_t registers = manyRegisters ? 32 : 16,
          maxVectors = manyRegisters ? 4 : 2;
  ContractionTile best{1, width, 0, 0, 0};
  double least = 0;
  for (int64_t vectors = 1; vectors <= maxVectors; ++vectors) {
    if (vectors > 1 && !fitsLimit(vectors * width))
      break;
    for (int64_t count = 1; count * vectors + vectors + 1 <= registers &&
                            count * vectors <= (manyRegisters ? 28 : 12);
         ++count) {
      // As many rows as a tile has would be computed in tiles.
      if (isPairs && machine.hasBF16Tiles && count % kTileRows == 0)
        continue;
      if (least > 0 && !isTileSmall(count, vectors * width))
        break;
      // A load feeds one of two units.
      double step =
          std::max({double(count * vectors), double(kLeastAccumulators),
                    double(count + vectors) * 0.8});
      double cost = static_cast<double>(llvm::divideCeil(rows, count)) *
                    llvm::divideCeil(lanes, vectors * width) *
                    (step + 0.1 * (count + vectors));
      if (least == 0 || cost < least) {
        least = cost;
        best = {count, vectors * width, 0, 0, 0};
      }
    }
  }
  return best;
}

/// A quarter of the cache for the panel, in blocks of equal size. Sums of
/// blocks are added to each other, so short blocks also keep the rounding
/// errors of long sums small.
void TileChoice::chooseReduced(ContractionTile &tile) const {
  int64_t pointBytes = getPointBytes(tile.lanes);
  int64_t most = std::clamp<int64_t>(machine.onChipBytes / 4 / pointBytes, 64,
                                     usesTiles ? 1024 : 192);
  // Shorter blocks are staged in less memory, but then sums wait for the next
  // block: those of a panel, or of rows that are staged for all panels.
  auto limit = [&](int64_t room, int64_t bytes, int64_t sums) {
    if (reduced <= most && reduced * bytes <= kLeastPoints * bytes + sums)
      return;
    int64_t least = usesTiles ? kLeastTilePoints : kLeastPoints;
    most = std::min(most, std::max(room / bytes, least));
  };
  limit(panelBytes, pointBytes, 4 * rows * tile.lanes);
  if (stagesRows(tile.rows))
    limit(stagingBytes, tile.rows * stagedBytes, 4 * tile.rows * lanes);
  int64_t blocks = llvm::divideCeil(reduced, most);
  tile.reduced = llvm::alignTo(llvm::divideCeil(reduced, blocks), kLeastPoints);
}

/// Blocks that keep every unit busy, with the least staging.
void TileChoice::chooseBlocks(ContractionTile &tile) const {
  int64_t rowTiles = llvm::divideCeil(rows, tile.rows),
          panels = llvm::divideCeil(lanes, tile.lanes);
  int64_t rowBytes = (std::min(tile.reduced, reduced) + width) * stagedBytes;
  bool keepsLanes = stagesRowsInPlace(tile.lanes),
       areStaged = keepsLanes || stagesRows(tile.rows),
       isSplit = tile.reduced < reduced;
  // Rows that several panels use stay in the cache, and so do the sums that
  // later blocks of reduced points add to: of all panels if rows are staged,
  // of one panel if that is.
  auto fits = [&](int64_t blockRows, int64_t blockLanes, double tasks) {
    bool isReused = blockLanes > tile.lanes;
    int64_t sumLanes = areStaged ? blockLanes : tile.lanes;
    if (isSplit && blockRows * sumLanes * 4 > machine.onChipBytes / 4)
      return false;
    if (blockRows * rowBytes >
        (isReused ? machine.onChipBytes * 3 / 8 : kMaxStagedBytes))
      return false;
    // One tile is the least, and one panel where the sums of several wait and
    // the rest that is packed is large next to what the kernel reads: a panel,
    // or rows of wider elements. Their sums count, of one panel too.
    bool sumsWait = areStaged && isSplit && (stagesPanel || widensRows());
    if (blockRows == tile.rows && !(sumsWait && isReused && stagesPanel))
      return true;
    double units = std::min<double>(getUnits(), tasks),
           room = double(stagingBytes) * getUnits() / units;
    int64_t panel = stagesPanel ? std::min(tile.reduced, reduced) *
                                      getPointBytes(tile.lanes)
                                : 0;
    return areStaged
               ? blockRows * (rowBytes + (sumsWait ? blockLanes * 4 : 0)) +
                         panel <=
                     room
               : !isSplit || !stagesPanel || blockRows * sumLanes * 4 <= room;
  };
  tile.blockRows = tile.rows;
  tile.blockLanes = keepsLanes ? panels * tile.lanes : tile.lanes;
  double least = 0;
  for (int64_t splitRows = 1; splitRows <= std::min<int64_t>(rowTiles, 64);
       ++splitRows) {
    int64_t blockTiles = llvm::divideCeil(rowTiles, splitRows);
    for (int64_t blockPanels = 1; blockPanels <= std::min<int64_t>(panels, 32);
         ++blockPanels) {
      int64_t blockRows = blockTiles * tile.rows,
              blockLanes = blockPanels * tile.lanes;
      if (keepsLanes && blockPanels != panels)
        continue;
      double tasks = static_cast<double>(batches) *
                     llvm::divideCeil(rowTiles, blockTiles) *
                     llvm::divideCeil(panels, blockPanels);
      if (!fits(blockRows, blockLanes, tasks))
        continue;
      double products = static_cast<double>(blockRows) * blockLanes / width;
      double perPoint = (usesTiles ? products / 8 : products) +
                        0.15 * blockRows +
                        laneStaging * std::min(blockLanes, lanes);
      double cost = perPoint * reduced + 40.0 * blockTiles * blockPanels + 400;
      double total = std::ceil(tasks / machine.units) * cost;
      if (least == 0 || total < least * 0.995) {
        least = total;
        tile.blockRows = blockRows;
        tile.blockLanes = blockLanes;
      }
    }
  }
}

ContractionTile tc::chooseContractionTile(KernelOp kernel,
                                          const ContractionRoles &roles,
                                          const MachineModel &machine,
                                          bool stagesPanel) {
  return TileChoice(kernel, roles, machine, stagesPanel).get();
}
