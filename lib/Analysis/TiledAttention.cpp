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

/// Whether the operands of both contractions are such that tile registers can
/// multiply them.
static bool multiplyBF16(TiledAttention parts) {
  return parts.depth.size() == 1 && multipliesBF16(parts.scores) &&
         multipliesBF16(parts.output);
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

bool TiledAttention::fitsTileRegisters(AttentionScheduleAttr schedule) const {
  auto holds = [&](int64_t lanes) {
    int64_t high = schedule.getRows() / kTileRows, wide = lanes / kTileRows;
    return lanes % kTileRows == 0 && high * wide + high + 1 <= kTileRegisters;
  };
  return multiplyBF16(*this) && schedule.getRows() % kTileRows == 0 &&
         schedule.getSoftmaxLanes() % kTilePoints == 0 &&
         holds(schedule.getKeyLanes()) && holds(schedule.getColumnLanes());
}

bool TiledAttention::fitsVectorRegisters(AttentionScheduleAttr schedule) const {
  constexpr int64_t kRegisters = 32, kLanes = 16;
  return schedule.getRows() *
             std::max(schedule.getKeyLanes(), schedule.getColumnLanes()) <=
         kRegisters * kLanes;
}

int64_t TiledAttention::getSoftmaxLanes(AttentionScheduleAttr schedule) const {
  constexpr int64_t kLeastLanes = 16;
  int64_t least = fitsTileRegisters(schedule) ? kTilePoints : kLeastLanes;
  return std::min<int64_t>(schedule.getSoftmaxLanes(),
                           llvm::PowerOf2Ceil(std::max(keyCount, least)));
}

int64_t TiledAttention::getRowLength(AttentionScheduleAttr schedule) const {
  return llvm::alignTo(
      keyCount, std::max(schedule.getKeyLanes(), getSoftmaxLanes(schedule)));
}

int64_t TiledAttention::countScores(AttentionScheduleAttr schedule) const {
  return getRowLength(schedule) * schedule.getRows();
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

namespace {
/// Rows and lanes of the tiles.
struct Tile {
  int64_t rows, keyLanes, columnLanes;
};

class AttentionChoice {
public:
  AttentionChoice(KernelOp kernel, const TiledAttention &parts,
                  const MachineModel &machine)
      : kernel(kernel), parts(parts), machine(machine),
        width(std::clamp<int64_t>(machine.vectorBits / 32, 2, kWidestVector)),
        rows(
            std::max(1.0, estimateSize(kernel, kernel.getDimSize(parts.row)))) {
    usesTileRegisters = areTileRegistersWorthIt();
    tile = usesTileRegisters ? chooseTileRegisters() : chooseVectors();
  }

  AttentionScheduleAttr get() {
    return AttentionScheduleAttr::get(kernel.getContext(), tile.rows,
                                      tile.keyLanes, tile.columnLanes,
                                      kSoftmaxLanes, chooseRowBlock());
  }

private:
  bool areTileRegistersWorthIt();
  Tile chooseTileRegisters();
  Tile chooseVectors();
  int64_t chooseColumnLanes(int64_t most);
  int64_t chooseRowBlock();

  static constexpr int64_t kWidestVector = 16, kLeastLanes = 16,
                           kMostLanes = 64;
  /// Temporaries of what is computed with exponentials need registers.
  static constexpr int64_t kSoftmaxLanes = 32;
  /// A tile of which fewer rows count is slower than vectors.
  static constexpr int64_t kLeastTileRows = 5;

  KernelOp kernel;
  const TiledAttention &parts;
  const MachineModel &machine;
  int64_t width; ///< accumulators of a vector register
  double rows;   ///< of queries, of one head
  bool usesTileRegisters;
  Tile tile;
};
} // namespace

/// A power of two of lanes for `points`.
static int64_t getLanes(int64_t points, int64_t least, int64_t most) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(points), least, most);
}

/// Tile registers fill up with zeros what the depth and the keys have less than
/// 32 points, of which half at least are to count.
bool AttentionChoice::areTileRegistersWorthIt() {
  constexpr int64_t kLeastPoints = kTilePoints / 2;
  return machine.hasBF16Dot && machine.hasBF16Tiles && width == kWidestVector &&
         multiplyBF16(parts) && rows >= kLeastTileRows &&
         parts.depthCount >= kLeastPoints && parts.keyCount >= kLeastPoints &&
         int64_t(llvm::alignTo(parts.keyCount, kMostLanes)) * kTileRows <=
             TiledAttention::kMostScores;
}

/// Two by two registers of accumulators need the fewest loads; one by up to
/// four where one holds all rows.
Tile AttentionChoice::chooseTileRegisters() {
  bool isHigh =
      rows > kTileRows &&
      int64_t(llvm::alignTo(parts.keyCount, kSoftmaxLanes)) * 2 * kTileRows <=
          TiledAttention::kMostScores;
  int64_t most = isHigh ? 2 * kTileRows : kMostLanes;
  return {isHigh ? 2 * kTileRows : kTileRows,
          getLanes(parts.keyCount, kLeastLanes, most),
          getLanes(parts.columnCount, kLeastLanes, most)};
}

/// As many as divide the columns where vectors of values can be read as they
/// lie.
int64_t AttentionChoice::chooseColumnLanes(int64_t most) {
  bool arePairs = machine.hasBF16Dot && width == kWidestVector &&
                  multipliesBF16(parts.output);
  if (!arePairs && parts.getValueStride(kernel))
    for (int64_t lanes = most; lanes >= kLeastLanes; lanes /= 2)
      if (parts.columnCount % lanes == 0)
        return lanes;
  return getLanes(parts.columnCount, kLeastLanes, most);
}

/// Rows that fill the registers, and no more than there are.
Tile AttentionChoice::chooseVectors() {
  bool areMany = machine.vectorRegisters >= 32;
  int64_t accumulators = areMany ? 24 : 12,
          mostLanes = std::max((areMany ? 4 : 2) * width, kLeastLanes);
  int64_t keyLanes = getLanes(parts.keyCount, kLeastLanes, mostLanes),
          columnLanes = chooseColumnLanes(mostLanes);
  int64_t most = std::max<int64_t>(1, accumulators * width /
                                          std::max(keyLanes, columnLanes));
  auto count = kernel.getDimSize(parts.row).getConstant();
  return {std::clamp<int64_t>(count.value_or(most), 1, most), keyLanes,
          columnLanes};
}

/// Blocks that keep every unit busy, with the least packing; 0 for all rows of
/// a head. Times are those of a multiply-add of vectors.
int64_t AttentionChoice::chooseRowBlock() {
  constexpr double kPackElement = 0.45, kTileRegistersFaster = 8;
  constexpr int64_t kMostBlocks = 64;
  double heads = 1;
  for (unsigned dim : parts.batches)
    heads *= std::max(1.0, estimateSize(kernel, kernel.getDimSize(dim)));
  double elements =
      double(parts.keyCount) * double(parts.depthCount + parts.columnCount);
  double packing = elements * kPackElement;
  double row = (elements / (usesTileRegisters ? kTileRegistersFaster : 1) +
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
  return best == tiles ? 0 : best * tile.rows;
}

AttentionScheduleAttr
tc::chooseAttentionSchedule(KernelOp kernel, const TiledAttention &attention,
                            const MachineModel &machine) {
  auto schedule = AttentionChoice(kernel, attention, machine).get();
  return attention.countScores(schedule) <= TiledAttention::kMostScores
             ? schedule
             : AttentionScheduleAttr();
}
