//===- TiledAttention.cpp - What attention's dims are for -----------------===//

#include "TC/Analysis/TiledAttention.h"
#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementDistance.h"

using namespace mlir;
using namespace tc;

/// Most elements of the packed keys, of the packed values and of a tile's
/// scores, on the stack.
static constexpr int64_t kMaxScratch = 1 << 18, kMaxValueScratch = 1 << 19;
/// Multiply-adds that cost as much as an exponential.
static constexpr int64_t kExponential = 16;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Whether the tile's scratch can hold the value: floats, f64 aside, are f32
/// in registers.
static bool isHeldAsF32(Value value) {
  return isa<FloatType>(value.getType()) && !value.getType().isF64();
}

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  return value;
}

static std::optional<unsigned> onlyDim(const DimSet &dims) {
  return dims.count() == 1 ? std::optional<unsigned>(dims.find_first())
                           : std::nullopt;
}

/// Whether scores of keys after the row are minus infinity: a select between
/// the score and -inf by `row - key >= 0` on the way to the maximum.
static bool isCausal(TiledAttention parts, unsigned rank) {
  Value value = parts.largest.getValue();
  auto select = value.getDefiningOp<SelectOp>();
  auto within =
      select ? select.getCondition().getDefiningOp<WithinOp>() : nullptr;
  auto lowest = select ? select.getY().getDefiningOp<ScalarOp>() : nullptr;
  if (!within || !lowest || within.getSet().getNumConstraints() != 1 ||
      within.getSet().isEq(0))
    return false;
  auto number = dyn_cast<FloatAttr>(lowest.getValue());
  MLIRContext *context = select.getContext();
  AffineExpr diagonal = getAffineDimExpr(parts.row, context) -
                        getAffineDimExpr(parts.key, context);
  AffineExpr difference =
      simplifyAffineExpr(within.getSet().getConstraint(0) - diagonal, rank, 0);
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative() &&
         difference == getAffineConstantExpr(0, context);
}

/// The stages: two contractions and two folds, and no other.
static std::optional<TiledAttention> findStages(KernelOp kernel) {
  SmallVector<ContractStageOp> contractions;
  SmallVector<ReduceStageOp> folds;
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ScanStageOp>(op) || isWholeStage(&op))
      return std::nullopt;
    if (auto contract = dyn_cast<ContractStageOp>(op))
      contractions.push_back(contract);
    if (auto fold = dyn_cast<ReduceStageOp>(op))
      folds.push_back(fold);
  }
  if (contractions.size() != 2 || folds.size() != 2)
    return std::nullopt;
  TiledAttention parts;
  parts.scores = contractions[0];
  parts.output = contractions[1];
  parts.largest = folds[0];
  parts.sum = folds[1];
  if (parts.largest.getKind() != ReductionKind::Max ||
      parts.sum.getKind() != ReductionKind::Sum ||
      parts.output.getOver() != parts.sum.getOver() ||
      parts.largest.getOver() != parts.sum.getOver() ||
      parts.sum.getOver().size() != 1 ||
      withoutCasts(parts.output.getLhs()) !=
          withoutCasts(parts.sum.getValue()) ||
      !isHeldAsF32(parts.output.getLhs()) || !isHeldAsF32(parts.sum.getValue()))
    return std::nullopt;
  return parts;
}

static std::optional<TiledAttention> findRoles(KernelOp kernel,
                                               const KernelDims &dims) {
  std::optional<TiledAttention> found = findStages(kernel);
  if (!found)
    return std::nullopt;
  TiledAttention &parts = *found;
  parts.key = parts.sum.getOver().front();
  for (int64_t dim : parts.scores.getOver())
    parts.depth.push_back(dim);
  llvm::sort(parts.depth);
  parts.values = parts.output.getRhs();
  bool keysAreRight = dims.of(parts.scores.getRhs()).test(parts.key);
  parts.keys = keysAreRight ? parts.scores.getRhs() : parts.scores.getLhs();
  parts.queries = keysAreRight ? parts.scores.getLhs() : parts.scores.getRhs();
  // Of a single key, indices say nothing.
  if (!dims.of(parts.keys).test(parts.key) ||
      dims.of(parts.queries).test(parts.key))
    return std::nullopt;

  const DimSet &result = dims.of(parts.output.getResult()),
               &scored = dims.of(parts.scores.getResult());
  DimSet column = result, rows = scored;
  column.reset(scored);
  rows &= result;
  rows.reset(dims.of(parts.keys));
  rows.reset(dims.of(parts.values));
  if (!onlyDim(column) || !onlyDim(rows))
    return std::nullopt;
  parts.column = *onlyDim(column);
  parts.row = *onlyDim(rows);
  // A mask may vary over more than the scores do.
  if (dims.of(parts.output.getLhs()).test(parts.column))
    return std::nullopt;
  for (unsigned dim : result.set_bits())
    if (dim != parts.row && dim != parts.column)
      parts.batches.push_back(dim);
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    if (dims.ofWrite(write) != result)
      return std::nullopt;
  parts.causal = isCausal(parts, kernel.getNumDims());
  return found;
}

int64_t TiledAttention::countRowMultiplyAdds() const {
  return keyCount * (depthCount + columnCount + kExponential);
}

std::optional<int64_t> TiledAttention::getValueStride(KernelOp kernel) const {
  ReadOp read = getLinearRead(kernel, values, column);
  if (!read)
    return std::nullopt;
  auto stride = getElementDistance(cast<ShapedType>(read.getSource().getType()),
                                   read.getMap(), key);
  auto elements = stride ? stride->getConstant() : std::nullopt;
  if (!elements || *elements < 0)
    return std::nullopt;
  return *elements;
}

/// Whether threads' stacks have room for the operands that are packed.
static bool isSmallEnough(KernelOp kernel, const TiledAttention &parts) {
  constexpr int64_t kMostLanes = 64, kFewestRows = 6, kFewestLanes = 16;
  int64_t keys = llvm::alignTo(parts.keyCount, kMostLanes);
  bool arePacked =
      parts.columnCount % kFewestLanes != 0 || !parts.getValueStride(kernel);
  return keys * std::max(parts.depthCount, kFewestRows) <= kMaxScratch &&
         (!arePacked ||
          keys * int64_t(llvm::alignTo(parts.columnCount, kFewestLanes)) <=
              kMaxValueScratch);
}

std::optional<TiledAttention> TiledAttention::find(KernelOp kernel,
                                                   const KernelDims &dims) {
  std::optional<TiledAttention> parts = findRoles(kernel, dims);
  if (!parts)
    return std::nullopt;
  auto keys = kernel.getDimSize(parts->key).getConstant(),
       columns = kernel.getDimSize(parts->column).getConstant();
  if (!isHeldAsF32(parts->scores.getResult()) || !keys || !columns)
    return std::nullopt;
  parts->keyCount = *keys;
  parts->columnCount = *columns;
  parts->depthCount = 1;
  for (unsigned dim : parts->depth)
    parts->depthCount *=
        kernel.getDimSize(dim).getConstant().value_or(kMaxScratch + 1);
  if (!isSmallEnough(kernel, *parts))
    return std::nullopt;
  return parts;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
class AttentionTileChoice {
public:
  AttentionTileChoice(KernelOp kernel, const TiledAttention &parts,
                      const MachineModel &machine)
      : kernel(kernel), parts(parts), machine(machine),
        width(std::max<int64_t>(1, machine.vectorBits / 32)),
        rows(std::max(1.0, estimateSize(kernel, kernel.getDimSize(parts.row)))),
        arePairs(machine.hasBF16Dot && width == kTileRows &&
                 multipliesBF16(parts.scores) && multipliesBF16(parts.output)) {
  }

  AttentionTile get() {
    bool usesAMX = isForTileRegisters();
    AttentionTile tile = usesAMX ? chooseTileRegisters() : chooseVectors();
    tile.blockRows = chooseBlockRows(tile, usesAMX);
    return tile;
  }

private:
  bool isForTileRegisters();
  AttentionTile chooseTileRegisters();
  AttentionTile chooseVectors();
  int64_t chooseColumnVectors(int64_t most);
  int64_t chooseBlockRows(const AttentionTile &tile, bool usesAMX);

  /// A tile of which fewer rows count is slower than vectors.
  static constexpr int64_t kLeastTileRows = 5;

  KernelOp kernel;
  const TiledAttention &parts;
  const MachineModel &machine;
  int64_t width; ///< accumulators of a vector register
  double rows;   ///< of queries, of one head
  bool arePairs;
};
} // namespace

/// Tile registers fill up with zeros what the depth and the keys have less than
/// 32 points, of which half at least are to count.
bool AttentionTileChoice::isForTileRegisters() {
  constexpr int64_t kLeastPoints = kTilePoints / 2;
  return arePairs && machine.hasBF16Tiles && rows >= kLeastTileRows &&
         parts.depth.size() == 1 && parts.depthCount >= kLeastPoints &&
         parts.keyCount >= kLeastPoints &&
         llvm::alignTo(parts.keyCount, 64) * kTileRows <= kMaxScratch;
}

/// Two by two registers of accumulators need the fewest loads; one by up to
/// four where one holds all rows.
AttentionTile AttentionTileChoice::chooseTileRegisters() {
  bool isHigh =
      rows > kTileRows &&
      int64_t(llvm::alignTo(parts.keyCount, 32)) * 2 * kTileRows <= kMaxScratch;
  int64_t most = isHigh ? 32 : 64;
  auto getLanes = [&](int64_t points, int64_t least) {
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(points), least, most);
  };
  return {isHigh ? 2 * kTileRows : kTileRows, getLanes(parts.keyCount, 32),
          getLanes(parts.columnCount, kTileRows), 0};
}

/// Registers of a row of results: so many that values can be read as they lie,
/// where they can be at all, or else as many for each panel.
int64_t AttentionTileChoice::chooseColumnVectors(int64_t most) {
  int64_t vectors = llvm::divideCeil(parts.columnCount, width);
  if (!multipliesBF16(parts.output) || !arePairs)
    if (parts.columnCount % width == 0 && parts.getValueStride(kernel))
      for (int64_t count = most; count > 1; --count)
        if (vectors % count == 0)
          return count;
  int64_t panels = llvm::divideCeil(vectors, most);
  return std::max<int64_t>(1, llvm::divideCeil(vectors, panels));
}

/// Rows that fill the registers, and no more than there are.
AttentionTile AttentionTileChoice::chooseVectors() {
  bool areMany = machine.vectorRegisters >= 32;
  int64_t accumulators = areMany ? 24 : 12, mostVectors = areMany ? 4 : 2;
  int64_t keyVectors = std::min<int64_t>(
              mostVectors,
              llvm::PowerOf2Ceil(llvm::divideCeil(parts.keyCount, width))),
          columnVectors = chooseColumnVectors(mostVectors);
  keyVectors = std::max<int64_t>(1, keyVectors);
  int64_t most = accumulators / std::max(keyVectors, columnVectors);
  auto count = kernel.getDimSize(parts.row).getConstant();
  return {std::clamp<int64_t>(count.value_or(most), 1, most),
          keyVectors * width, columnVectors * width, 0};
}

/// Blocks that keep every unit busy, with the least packing. Times are those of
/// a multiply-add of vectors.
int64_t AttentionTileChoice::chooseBlockRows(const AttentionTile &tile,
                                             bool usesAMX) {
  constexpr double kPackElement = 0.45, kTilesFaster = 8;
  constexpr int64_t kMostBlocks = 64;
  double heads = 1;
  for (unsigned dim : parts.batches)
    heads *= std::max(1.0, estimateSize(kernel, kernel.getDimSize(dim)));
  double elements =
      double(parts.keyCount) * double(parts.depthCount + parts.columnCount);
  double packing = elements * kPackElement;
  double row = (elements / (usesAMX ? kTilesFaster : 1) +
                double(parts.keyCount * kExponential)) /
               double(width);
  auto tiles = static_cast<int64_t>(std::ceil(rows / double(tile.rows)));
  int64_t best = tiles;
  double least = 0;
  for (int64_t blocks = 1; blocks <= std::min(tiles, kMostBlocks); ++blocks) {
    int64_t blockTiles = llvm::divideCeil(tiles, blocks);
    double tasks = heads * double(llvm::divideCeil(tiles, blockTiles));
    double total = std::ceil(tasks / double(machine.units)) *
                   (packing + double(blockTiles * tile.rows) * row);
    if (least == 0 || total < least * 0.995) {
      least = total;
      best = blockTiles;
    }
  }
  return best * tile.rows;
}

AttentionTile tc::chooseAttentionTile(KernelOp kernel,
                                      const TiledAttention &attention,
                                      const MachineModel &machine) {
  return AttentionTileChoice(kernel, attention, machine).get();
}
