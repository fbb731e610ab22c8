//===- ContractionTile.cpp - The tile of a contraction on a CPU -----------===//

#include "TC/Analysis/ContractionPlan.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"

using namespace mlir;
using namespace tc;

namespace {
/// Chooses a tile by estimates of its time. The unit of time is that of one
/// multiply-add of a whole vector register.
class TileChoice {
public:
  TileChoice(KernelOp kernel, const ContractionRoles &roles,
             const MachineModel &machine, bool packsPanel)
      : kernel(kernel), roles(roles), machine(machine), packsPanel(packsPanel),
        rows(points(roles.rows)), lanes(points(roles.lanes)),
        reduced(points(roles.reduced)), batches(points(roles.batches)) {
    Type result = ContractStageOp(roles.stage).getResult().getType();
    accumulatorBytes = std::max<int64_t>(4, getElementBytes(result));
    width = getVectorWidth(roles, machine);
    isPairs = machine.hasBF16Dot && multipliesBF16(roles.stage);
    packedBytes = isPairs ? 2 : accumulatorBytes;
    manyRegisters = machine.vectorRegisters >= 32;
    lanePacking = estimateLanePacking(kernel, roles, width);
    rowPacking = estimateRowPacking();
    readsRowsAsTheyAre = !isPairs && roles.writesLessThanRows(kernel);
    if (roles.reduced.size() > 1)
      innerPoints = points(ArrayRef(roles.reduced).drop_front());
    overrun = roles.lanes.size() > 1 && machine.vectorBits < 512 ? width : 0;
    packingBytes = getPackingBytes();
    usesTiles = isPairs && machine.hasBF16Tiles && width == kTileRows &&
                rows >= kLeastTileRows && dividesIntoTiles(roles.reduced) &&
                areTilesWorthTheirAccumulators();
    panelBytes =
        packsPanel ? packingBytes / 2 : std::numeric_limits<int64_t>::max();
  }

  ContractionTile get() const {
    ContractionTile tile = chooseRegisters();
    chooseReduced(tile);
    choosePanel(tile);
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

  /// Time of packing a row at one reduced point, in multiply-adds of a whole
  /// register. Points of rows that are transposed are in other cache lines
  /// each. Of a row of several reduced dimensions, a run of all but the first
  /// is copied at a time, by vectors where it is contiguous.
  double estimateRowPacking() {
    constexpr double kTransposing = 1, kCopying = 0.15, kSingle = 2, kRun = 4,
                     kVector = 1.5;
    if (readsAlongRows(kernel, roles))
      return kTransposing;
    auto read = roles.rowOperand.getDefiningOp<ReadOp>();
    if (!read || read.getWithin() || !read.getIndices().empty() ||
        roles.reduced.empty() ||
        getLinearRead(kernel, roles.rowOperand, roles.reduced))
      return kCopying;
    ArrayRef<unsigned> run = ArrayRef(roles.reduced).drop_front();
    double length = points(run);
    return kRun / length + (getLinearRead(kernel, roles.rowOperand, run)
                                ? kVector * std::ceil(length / width) / length
                                : kSingle);
  }

  /// Whether the sizes of `dims` are constants, and the first is a multiple of
  /// the points that fill whole rows of AMX tile registers.
  bool dividesIntoTiles(ArrayRef<unsigned> dims) {
    for (unsigned dim : dims)
      if (kernel.getDimSize(dim).getConstant().value_or(0) == 0)
        return false;
    return !dims.empty() && *kernel.getDimSize(dims.front()).getConstant() %
                                    getTileUnit(points(dims.drop_front())) ==
                                0;
  }

  /// Most bytes of one unit's packed rows. The packed rows of all units take at
  /// most as many bytes as the kernel writes at the smallest sizes, and the
  /// panels at most half as many, where a tile allows that.
  int64_t getPackingBytes() {
    areSizesKnown = roles.areWrittenSizesKnown(kernel);
    return roles.getWrittenBytes(kernel) / getUnits();
  }
  /// Units that have a task of at least half of kUsualTaskMultiplyAdds.
  int64_t getUnits() const {
    double multiplyAdds = double(rows) * lanes * batches * reduced,
           tasks = std::ceil(multiplyAdds * 2 / kUsualTaskMultiplyAdds);
    return static_cast<int64_t>(std::min<double>(machine.units, tasks));
  }
  /// Whether a tile takes little memory next to what the kernel writes: its
  /// accumulators, its rows where they are packed, and then the panel too where
  /// calls pack it. Tiles of long reductions whose accumulators just hide the
  /// latency of multiply-adds are small too, and so are all tiles of symbolic
  /// sizes, for which calls choose between two tiles.
  bool isTileSmall(int64_t tileRows, int64_t tileLanes) const {
    int64_t bytes = tileRows * tileLanes * accumulatorBytes;
    if (!areSizesKnown ||
        (reduced >= kLongReduction &&
         bytes <= kLeastAccumulators * width * accumulatorBytes))
      return true;
    // All rows that are read in place and share a packed panel are in one tile.
    bool arePacked = packsRows(tileRows) || packsOverwrittenRows(tileLanes);
    if (packsPanel && !arePacked)
      return true;
    int64_t rowBytes = arePacked ? tileRows * getRowBytes(getLeastPoints()) : 0,
            panel = packsPanel ? getLeastPanelBytes(tileLanes) : 0,
            most = packingBytes * 3 / 4;
    return bytes <= packingBytes / 2 &&
           bytes + rowBytes + (panel < most ? panel : 0) <= most;
  }
  /// AMX stores a tile's accumulators in memory between blocks and until they
  /// are written. Long reductions make up for the time; the memory has to be
  /// small next to what is written. Calls of symbolic sizes with fewer rows
  /// than a tile use `few_tile`, without AMX.
  bool areTilesWorthTheirAccumulators() const {
    ContractionTile tile = chooseTileRegisters();
    int64_t fewestRows = 1;
    for (unsigned dim : roles.rows)
      fewestRows *= KernelOp(kernel).getDimSize(dim).getConstant().value_or(1);
    if (!areSizesKnown && fewestRows < kTileRows)
      return reduced >= kLeastTiledReduction;
    return (areSizesKnown && reduced >= kLongTiledReduction) ||
           (reduced >= kLeastTiledReduction &&
            tile.rows * tile.lanes * accumulatorBytes <= packingBytes);
  }
  bool packsRows(int64_t tileRows) const {
    return !roles.getInPlaceRowStride(kernel, tileRows, isPairs, usesTiles,
                                      readsRowsAsTheyAre);
  }
  bool packsOverwrittenRows(int64_t tileLanes) const {
    return roles.mayBeWrittenOverRows(kernel, tileLanes, packsPanel) &&
           !usesTiles;
  }
  /// Whether packed rows have wider elements than the rows that are read.
  bool widensRows() const {
    return packedBytes > getElementBytes(roles.rowOperand.getType());
  }
  /// Bytes of a panel for one reduced point.
  int64_t getPointBytes(int64_t tileLanes) const {
    return (tileLanes + overrun) * packedBytes;
  }
  /// Bytes of the stride of packed rows of `points` points.
  int64_t getRowBytes(int64_t points) const {
    int64_t unit = isPairs ? 2 * width : width;
    return int64_t(llvm::alignTo(points, unit) + unit) * packedBytes;
  }
  /// Points of the shortest block; up to 2 * kLeastPoints are one block.
  int64_t getLeastPoints() const {
    return reduced <= 2 * kLeastPoints
               ? reduced
               : std::min(reduced, std::max(kLeastPoints, innerPoints));
  }
  /// Whether a panel of the shortest block takes at most panelBytes.
  bool fitsLimit(int64_t tileLanes) const {
    return int64_t(llvm::alignTo(getLeastPoints(), kLeastPoints)) *
               getPointBytes(tileLanes) <=
           panelBytes;
  }
  /// Whether calls pack panels, for vectors, and no rows.
  bool packsOnlyPanels(int64_t tileRows) const {
    return packsPanel && !usesTiles && !packsRows(tileRows);
  }
  /// Most bytes of a unit's panel for tiles of `tileRows` rows. Panels that
  /// rows in place are multiplied by may take a part of the memory of these
  /// rows, which are read in runs of the panel's points: short runs of rows
  /// that are pages apart take longer to load than to multiply.
  int64_t getPanelRoom(int64_t tileRows) const {
    auto isConstant = [&](unsigned dim) {
      return KernelOp(kernel).getDimSize(dim).isConstant();
    };
    if (!packsOnlyPanels(tileRows) || !llvm::all_of(roles.rows, isConstant) ||
        !llvm::all_of(roles.reduced, isConstant))
      return panelBytes;
    int64_t bytes =
        rows * reduced * getElementBytes(roles.rowOperand.getType());
    return std::max(panelBytes, bytes / kPanelsOfRows / getUnits());
  }
  int64_t getLeastPanelBytes(int64_t tileLanes) const {
    return int64_t(llvm::alignTo(getLeastPoints(), isPairs ? 2 : 1)) *
           getPointBytes(tileLanes);
  }
  ContractionTile chooseRegisters() const;
  ContractionTile chooseTileRegisters() const;
  void chooseReduced(ContractionTile &tile) const;
  void choosePanel(ContractionTile &tile) const;
  void chooseBlocks(ContractionTile &tile) const;

  KernelOp kernel;
  const ContractionRoles &roles;
  const MachineModel &machine;
  bool packsPanel;
  /// Most bytes of packed rows: a part of a thread's stack.
  static constexpr int64_t kMaxPackedBytes = 960 * 1024;
  /// Fewest points of a block of AMX, which stores its accumulators after each.
  static constexpr int64_t kLeastTilePoints = 256;
  /// Registers of accumulators that hide the latency of multiply-adds: two
  /// units of four cycles, and two more, as loads and the ends of loops delay
  /// some.
  static constexpr int64_t kLeastAccumulators = 10;
  /// Memory of rows that are read in place, in panels of all units.
  static constexpr int64_t kPanelsOfRows = 16;
  /// Points whose multiply-adds take longer than the rest of a tile's code.
  static constexpr int64_t kLongReduction = 256;
  /// Fewest rows that AMX, which computes 16, computes faster than vectors.
  static constexpr int64_t kLeastTileRows = 5;
  /// Points whose multiply-adds take longer than AMX's loads and stores.
  static constexpr int64_t kLeastTiledReduction = 128;
  /// Points from which on AMX is worth its memory, however little is written.
  static constexpr int64_t kLongTiledReduction = 512;
  int64_t rows, lanes, reduced, batches, width, packedBytes, accumulatorBytes;
  int64_t innerPoints = 1;          ///< of the reduced dimensions but the first
  int64_t overrun;                  ///< unused lanes after those of a panel
  int64_t packingBytes, panelBytes; ///< most of a unit's rows, of its panel
  double lanePacking, rowPacking;   ///< time of one at one reduced point
  bool manyRegisters, usesTiles, isPairs, readsRowsAsTheyAre;
  bool areSizesKnown; ///< whether the sizes of the results are constant
};
} // namespace

/// Two by two tile registers of accumulators need the fewest loads for each
/// multiply-add; one by up to four do where one register holds all rows.
ContractionTile TileChoice::chooseTileRegisters() const {
  int64_t tileLanes = llvm::divideCeil(lanes, kTileRows);
  int64_t high = rows > kTileRows ? 2 : 1,
          wide = std::min<int64_t>(tileLanes, high == 2 ? 2 : 4);
  return {high * kTileRows, wide * kTileRows, 0, 0, 0};
}

/// The vector registers hold the accumulators, the lanes of one point of a
/// panel and one broadcast element of a row.
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
      // Such a tile would be one of AMX tile registers.
      if (isPairs && machine.hasBF16Tiles && count % kTileRows == 0)
        continue;
      if (least > 0 && !isTileSmall(count, vectors * width))
        break;
      // A load takes 0.8 of the time of a multiply-add.
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

/// The panel takes at most a quarter of the cache, in blocks of equal size. The
/// accumulators of a block are added to those of the blocks before it, so that
/// short blocks also keep the rounding errors of long reductions small.
void TileChoice::chooseReduced(ContractionTile &tile) const {
  int64_t pointBytes = getPointBytes(tile.lanes);
  int64_t most = std::clamp<int64_t>(machine.onChipBytes / 4 / pointBytes, 64,
                                     usesTiles ? 1024 : 192);
  // Shorter blocks are packed in less memory, but keep accumulators in memory
  // until the next block: those of a panel, or, where rows are packed, those of
  // all panels. `bytes` is of a packed point, `waiting` of these accumulators.
  auto limit = [&](int64_t room, int64_t bytes, int64_t waiting) {
    if (reduced <= most && reduced * bytes <= kLeastPoints * bytes + waiting)
      return;
    int64_t least = usesTiles ? kLeastTilePoints : kLeastPoints;
    most = std::min(most, std::max(room / bytes, least));
  };
  limit(getPanelRoom(tile.rows), pointBytes, 4 * rows * tile.lanes);
  if (packsRows(tile.rows))
    limit(packingBytes, tile.rows * packedBytes, 4 * tile.rows * lanes);
  int64_t blocks = llvm::divideCeil(reduced, most);
  tile.reduced = llvm::alignTo(llvm::divideCeil(reduced, blocks), kLeastPoints);
}

/// A panel has as many blocks as memory and the cache allow, in panels of equal
/// size, where rows are read in place.
void TileChoice::choosePanel(ContractionTile &tile) const {
  if (!packsOnlyPanels(tile.rows))
    return;
  int64_t blocks = llvm::divideCeil(reduced, tile.reduced),
          room = std::min(getPanelRoom(tile.rows), machine.onChipBytes / 4),
          most = room / (tile.reduced * getPointBytes(tile.lanes)),
          panels = llvm::divideCeil(blocks, std::max<int64_t>(most, 1));
  tile.panelBlocks = llvm::divideCeil(blocks, panels);
}

/// The block with the least estimated time of the launch on all units, each
/// block of which packs its rows and panels.
void TileChoice::chooseBlocks(ContractionTile &tile) const {
  int64_t rowTiles = llvm::divideCeil(rows, tile.rows),
          panels = llvm::divideCeil(lanes, tile.lanes);
  int64_t rowBytes = (std::min(tile.reduced, reduced) + width) * packedBytes;
  bool keepsLanes = packsOverwrittenRows(tile.lanes),
       arePacked = keepsLanes || packsRows(tile.rows),
       isSplit = tile.reduced * tile.panelBlocks < reduced;
  // Of accumulators that wait while rows are in place.
  double waitingRoom = double(getPanelRoom(tile.rows)) / 2;
  // The packed rows that several panels multiply have to stay in the cache, and
  // so do the accumulators that the next block of reduced points adds to: those
  // of all panels where rows are packed, those of one panel otherwise.
  auto fits = [&](int64_t blockRows, int64_t blockLanes, double tasks) {
    bool isReused = blockLanes > tile.lanes;
    int64_t accumulatorLanes = arePacked ? blockLanes : tile.lanes;
    if (isSplit && blockRows * accumulatorLanes * 4 > machine.onChipBytes / 4)
      return false;
    if (blockRows * rowBytes >
        (isReused ? machine.onChipBytes * 3 / 8 : kMaxPackedBytes))
      return false;
    // One tile of rows fits, except with several panels whose accumulators wait
    // while a panel is packed. Other blocks take little memory next to what the
    // kernel writes: packed rows, a panel that calls pack and, with such a
    // panel or widened rows, waiting accumulators.
    bool accumulatorsWait =
        arePacked && isSplit && (packsPanel || widensRows());
    if (blockRows == tile.rows && !(accumulatorsWait && isReused && packsPanel))
      return true;
    double units = std::min<double>(getUnits(), tasks),
           room = double(packingBytes) * getUnits() / units;
    int64_t panel = packsPanel
                        ? std::min(tile.reduced * tile.panelBlocks, reduced) *
                              getPointBytes(tile.lanes)
                        : 0;
    return arePacked ? blockRows * (rowBytes +
                                    (accumulatorsWait ? blockLanes * 4 : 0)) +
                               panel <=
                           room
                     : !isSplit || !packsPanel ||
                           double(blockRows * accumulatorLanes * 4) <=
                               std::max(room, waitingRoom);
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
      double multiplyAdds = static_cast<double>(blockRows) * blockLanes / width;
      double perPoint = (usesTiles ? multiplyAdds / 8 : multiplyAdds) +
                        rowPacking * blockRows +
                        lanePacking * std::min(blockLanes, lanes);
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
                                          bool packsPanel) {
  return TileChoice(kernel, roles, machine, packsPanel).get();
}
