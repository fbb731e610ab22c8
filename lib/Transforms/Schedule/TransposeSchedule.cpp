//===- TransposeSchedule.cpp - Tiles of transposed inputs -----------------===//

#include "TransposeSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/TiledTranspose.h"

using namespace mlir;
using namespace tc;

static constexpr int64_t kMostTile = 128, kLeastTile = 16, kUsualTile = 64;

namespace {
/// Tiles of 256 bytes of the results' rows, so that sectors and rows which two
/// tiles load are few, and as long rows of the inputs as shared memory holds.
/// They are smaller where each multiprocessor would have few, or where there
/// are no points for them.
class TransposeTiles {
public:
  TransposeTiles(KernelOp kernel, const MachineModel &machine, KernelDims &dims,
                 const TiledTranspose &roles, int64_t lanes)
      : kernel(kernel), machine(machine), dims(dims), roles(roles),
        lanes(lanes) {}
  bool choose();
  int64_t chooseThreads();
  int64_t countBytes() const;
  int64_t getTile() const { return tile; }
  int64_t getRows() const { return rows; }

private:
  double countTiles(unsigned dim, int64_t points);
  double countOthers();
  bool halve(int64_t least);
  bool hasAlignedRows();
  bool readsOthersOver(unsigned dim);

  KernelOp kernel;
  const MachineModel &machine;
  KernelDims &dims;
  const TiledTranspose &roles;
  int64_t lanes, tile = 0, rows = kMostTile;
  int64_t vectorsOfThread = 4; ///< most of them
};
} // namespace

/// Of shared memory, which a block's tiles take.
int64_t TransposeTiles::countBytes() const {
  int64_t bytes = 0;
  for (ReadOp read : roles.reads)
    bytes += getTransposeBytes(tile, rows, lanes,
                               getElementBytes(read.getResult().getType()));
  return bytes;
}

double TransposeTiles::countTiles(unsigned dim, int64_t points) {
  return std::ceil(estimateSize(kernel, kernel.getDimSize(dim)) /
                   double(points));
}

/// The points of the dimensions that tiles have one of.
double TransposeTiles::countOthers() {
  double count = 1;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (dim != roles.lanesDim && dim != roles.rowDim)
      count *= estimateSize(kernel, kernel.getDimSize(dim));
  return count;
}

bool TransposeTiles::halve(int64_t least) {
  int64_t &side = rows >= tile ? rows : tile;
  if (side / 2 < least)
    return false;
  side /= 2;
  return true;
}

/// Whether rows of vectors of 4 bytes an element, one input's and the results',
/// all begin with a whole vector.
bool TransposeTiles::hasAlignedRows() {
  constexpr int64_t kElementBytes = 4;
  auto isWhole = [&](unsigned dim) {
    auto size = kernel.getDimSize(dim).getConstant();
    return size && *size % lanes == 0;
  };
  if (roles.reads.size() != 1 || lanes == 1)
    return false;
  ReadOp read = roles.reads.front();
  return getElementBytes(read.getResult().getType()) == kElementBytes &&
         isWhole(roles.lanesDim) && isWhole(roles.rowDim);
}

bool TransposeTiles::choose() {
  constexpr int64_t kTileBytes = 256, kAccessBytes = 16,
                    kSharedBytes = 48 * 1024, kBlocksOfUnit = 4;
  tile = std::clamp(kTileBytes * lanes / kAccessBytes, kLeastTile, kMostTile);
  while (countTiles(roles.lanesDim, tile / 2) < 2 && tile > kLeastTile)
    tile /= 2;
  while (countTiles(roles.rowDim, rows / 2) < 2 && rows > kLeastTile)
    rows /= 2;
  while (countBytes() > kSharedBytes)
    if (!halve(kLeastTile))
      return false;
  while (countOthers() * countTiles(roles.lanesDim, tile) *
                 countTiles(roles.rowDim, rows) <
             double(machine.units * kBlocksOfUnit) &&
         halve(kUsualTile)) {
  }
  // Two vectors a thread are 1.5% faster on an H200 than four, 3% slower where
  // vectors begin anywhere.
  if (rows == kMostTile && hasAlignedRows()) {
    rows = kUsualTile;
    vectorsOfThread = 2;
  }
  return true;
}

/// Whether an operand that has no tiles varies over `dim`.
bool TransposeTiles::readsOthersOver(unsigned dim) {
  return llvm::any_of(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
    return !llvm::is_contained(roles.reads, read) &&
           dims.of(read.getResult()).test(dim);
  });
}

/// A thread has some vectors, or 8 where it loads other operands once for all
/// of them.
int64_t TransposeTiles::chooseThreads() {
  constexpr int64_t kCommonVectors = 8, kLeastThreads = 128, kMostThreads = 512;
  bool hasCommon =
      readsOthersOver(roles.lanesDim) && !readsOthersOver(roles.rowDim);
  int64_t vectors = tile * rows / lanes;
  int64_t threads =
      std::clamp(vectors / (hasCommon ? kCommonVectors : vectorsOfThread),
                 kLeastThreads, kMostThreads);
  return std::min(threads, vectors);
}

GPUTransposeScheduleAttr tc::getTransposeTiles(KernelOp kernel,
                                               const MachineModel &machine,
                                               KernelDims &dims,
                                               int64_t lanes) {
  int64_t dim = getWrittenDim(kernel);
  auto roles = TiledTranspose::findForBlocks(kernel, dims, dim);
  if (!roles)
    return {};
  TransposeTiles tiles(kernel, machine, dims, *roles, lanes);
  if (!tiles.choose())
    return {};
  // What four vectors take is loaded to registers, 2% faster on an H200 than
  // cp.async, which is faster where there is more.
  constexpr int64_t kHeldBytes = 96;
  int64_t threads = tiles.chooseThreads();
  bool asyncCopy = tiles.countBytes() / threads > kHeldBytes;
  return GPUTransposeScheduleAttr::get(kernel.getContext(), dim, lanes,
                                       tiles.getTile(), tiles.getRows(),
                                       threads, asyncCopy);
}
