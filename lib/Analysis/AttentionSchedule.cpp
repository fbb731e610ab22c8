//===- AttentionSchedule.cpp - Attention's schedule by the machine model --===//

#include "TC/Analysis/AttentionPlan.h"
#include "TC/Analysis/ContractionPlan.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/SizeRanges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tc;

namespace {
/// Query rows of a tile, and lanes of its scores and of its results.
struct Tile {
  int64_t rows, keyLanes, columnLanes;
};

class AttentionChoice {
public:
  AttentionChoice(KernelOp kernel, const TiledAttention &parts,
                  const MachineModel &machine);
  AttentionScheduleAttr get();

private:
  AttentionScheduleAttr getMatrices();
  AttentionScheduleAttr getPairs();
  AttentionScheduleAttr getVectors();
  bool areTileRegistersWorthIt();
  Tile chooseMatrices(bool isHigh);
  Tile chooseVectors(bool readsInPlace);
  int64_t chooseWholeTileRows(int64_t most);
  int64_t chooseColumnLanes(int64_t most, bool readsInPlace);
  int64_t chooseRowBlock(const Tile &tile, MultiplyAddKind kind);
  int64_t chooseFewBelow(const AttentionPlan &plan, int64_t rows);
  AttentionScheduleAttr make(const Tile &tile, MultiplyAddKind kind,
                             int64_t fewRows = 1, int64_t fewBelow = 0);
  bool isSmall(AttentionScheduleAttr schedule);

  static constexpr int64_t kWidestVector = 16, kLeastLanes = 16,
                           kMostLanes = 64;
  /// Fewest rows that AMX tile registers, which compute 16, compute faster than
  /// vector registers.
  static constexpr int64_t kLeastTileRows = 5;

  KernelOp kernel;
  const TiledAttention &parts;
  const MachineModel &machine;
  int64_t width;      ///< accumulators of a vector register
  double rows;        ///< query rows of one head, estimated
  bool isConstant;    ///< whether sizes of rows and heads are
  int64_t rowWritten; ///< bytes that the kernel writes for a query row
  /// Query rows of all heads, at the smallest sizes that the symbols allow.
  int64_t leastRows;
  AttentionScheduleAttr vectors; ///< what is chosen where pairs are not
};
} // namespace

AttentionChoice::AttentionChoice(KernelOp kernel, const TiledAttention &parts,
                                 const MachineModel &machine)
    : kernel(kernel), parts(parts), machine(machine),
      width(std::clamp<int64_t>(machine.vectorBits / 32, 2, kWidestVector)),
      rows(std::max(1.0, estimateSize(kernel, kernel.getDimSize(parts.row)))),
      isConstant(true), rowWritten(0), leastRows(1) {
  constexpr int64_t kMostRows = int64_t(1) << 30;
  SizeRanges ranges(kernel->getParentOfType<func::FuncOp>());
  SmallVector<unsigned> outer(parts.batches);
  outer.push_back(parts.row);
  for (unsigned dim : outer) {
    SizeExpr size = kernel.getDimSize(dim);
    isConstant &= size.isConstant();
    int64_t least = std::clamp<int64_t>(ranges.of(size).min, 1, kMostRows);
    leastRows = std::min(kMostRows, leastRows * least);
  }
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    rowWritten +=
        parts.columnCount * getElementBytes(write.getValue().getType());
}

/// Lanes for `points` points: a power of two from `least` to `most`.
static int64_t getLanes(int64_t points, int64_t least, int64_t most) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(points), least, most);
}

/// Rows of the smaller tiles that follow the last whole tile of `rows` rows.
static int64_t getPartOfTile(int64_t rows) {
  return std::max<int64_t>(1, rows / 3);
}

AttentionScheduleAttr AttentionChoice::make(const Tile &tile,
                                            MultiplyAddKind kind,
                                            int64_t fewRows, int64_t fewBelow) {
  // More lanes leave too few registers for the temporaries of exponentials.
  constexpr int64_t kSoftmaxLanes = 32;
  int64_t least = kind == MultiplyAddKind::AMX ? kTilePoints : kLeastLanes;
  return AttentionScheduleAttr::get(
      kernel.getContext(), kind, tile.rows, tile.keyLanes, tile.columnLanes,
      getLanes(parts.keyCount, least, kSoftmaxLanes),
      chooseRowBlock(tile, kind), fewRows, fewBelow, kUsualTaskMultiplyAdds,
      kUsualStackMultiplyAdds);
}

/// Whether a task of `schedule`, which multiplies pairs of bf16, takes no more
/// bytes of its stack than `getTasksBytes` of what the smallest sizes write, or
/// than a task of f32 takes.
bool AttentionChoice::isSmall(AttentionScheduleAttr schedule) {
  auto plan = planAttention(kernel, parts, schedule, machine);
  if (!plan)
    return false;
  int64_t bytes = plan->getTaskBytes(schedule.getRows());
  if (bytes <= getTasksBytes(leastRows * rowWritten))
    return true;
  auto other =
      vectors ? planAttention(kernel, parts, vectors, machine) : std::nullopt;
  return other && bytes <= other->getTaskBytes(vectors.getFewBelow() == 0
                                                   ? vectors.getRows()
                                                   : vectors.getFewRows());
}

AttentionScheduleAttr AttentionChoice::get() {
  vectors = getVectors();
  if (auto schedule = getMatrices())
    return schedule;
  if (auto schedule = getPairs())
    return schedule;
  return vectors;
}

//===----------------------------------------------------------------------===//
// Pairs of bf16
//===----------------------------------------------------------------------===//

/// Tile registers multiply 32 points at a time. The depth and the keys, filled
/// up with zeros to so many, have at least half of them.
bool AttentionChoice::areTileRegistersWorthIt() {
  constexpr int64_t kLeastPoints = kTilePoints / 2;
  return mayMultiplyBy(parts, MultiplyAddKind::AMX, machine) &&
         rows >= kLeastTileRows && parts.depthCount >= kLeastPoints &&
         parts.keyCount >= kLeastPoints;
}

/// Two by two tile registers of accumulators need the fewest loads for each
/// multiply-add; one by up to four do where one register holds all rows.
Tile AttentionChoice::chooseMatrices(bool isHigh) {
  int64_t most = isHigh ? 2 * kTileRows : kMostLanes;
  return {isHigh ? 2 * kTileRows : kTileRows,
          getLanes(parts.keyCount, kLeastLanes, most),
          getLanes(parts.columnCount, kLeastLanes, most)};
}

AttentionScheduleAttr AttentionChoice::getMatrices() {
  if (!areTileRegistersWorthIt())
    return {};
  for (bool isHigh : {true, false}) {
    if (isHigh && rows <= kTileRows)
      continue;
    auto schedule = make(chooseMatrices(isHigh), MultiplyAddKind::AMX);
    if (isSmall(schedule))
      return schedule;
  }
  return {};
}

AttentionScheduleAttr AttentionChoice::getPairs() {
  if (!mayMultiplyBy(parts, MultiplyAddKind::VectorBF16, machine))
    return {};
  Tile tile = chooseVectors(/*readsInPlace=*/false);
  auto schedule =
      make(tile, MultiplyAddKind::VectorBF16, getPartOfTile(tile.rows));
  return isSmall(schedule) ? schedule : AttentionScheduleAttr();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Lanes of the results. Where values are read in place, lanes that divide the
/// columns need no mask: they are chosen from `most` down to half of it.
int64_t AttentionChoice::chooseColumnLanes(int64_t most, bool readsInPlace) {
  if (readsInPlace)
    for (int64_t lanes = most; lanes >= std::max(kLeastLanes, most / 2);
         lanes /= 2)
      if (parts.columnCount % lanes == 0)
        return lanes;
  return getLanes(parts.columnCount, kLeastLanes, most);
}

/// As many rows as fill the vector registers with accumulators, and no more
/// than there are.
Tile AttentionChoice::chooseVectors(bool readsInPlace) {
  bool areMany = machine.vectorRegisters >= 32;
  int64_t accumulators = areMany ? 24 : 12,
          mostLanes = std::max((areMany ? 4 : 2) * width, kLeastLanes);
  int64_t keyLanes = getLanes(parts.keyCount, kLeastLanes, mostLanes),
          columnLanes = chooseColumnLanes(mostLanes, readsInPlace);
  int64_t most = std::max<int64_t>(1, accumulators * width /
                                          std::max(keyLanes, columnLanes));
  auto count = kernel.getDimSize(parts.row).getConstant();
  return {std::clamp<int64_t>(count.value_or(most), 1, most), keyLanes,
          columnLanes};
}

/// Bytes that a call has to write for tiles of `rows` rows: so many that a task
/// takes at most half as many of its stack, or so many that the multiply-adds
/// of the call are worth any stack, whichever is less.
int64_t AttentionChoice::chooseFewBelow(const AttentionPlan &plan,
                                        int64_t rows) {
  int64_t bytes = 2 * plan.getTaskBytes(rows);
  double work = double(kUsualStackMultiplyAdds) /
                double(parts.countRowMultiplyAdds()) * double(rowWritten);
  return work < double(bytes) ? int64_t(std::ceil(work)) : bytes;
}

/// Rows of a tile that is to have at most `most`. Where few tiles compute a
/// head, so many that they divide its rows: no smaller tile follows the last
/// whole one, which would be more code, and rows at a lower rate.
int64_t AttentionChoice::chooseWholeTileRows(int64_t most) {
  constexpr int64_t kFewTiles = 32;
  auto count = kernel.getDimSize(parts.row).getConstant();
  if (count && *count <= kFewTiles * most)
    for (int64_t rows = most; rows > most / 2; --rows)
      if (*count % rows == 0)
        return rows;
  return most;
}

AttentionScheduleAttr AttentionChoice::getVectors() {
  constexpr auto kind = MultiplyAddKind::Vector;
  Tile tile = chooseVectors(/*readsInPlace=*/true);
  int64_t part = getPartOfTile(tile.rows);
  auto plan = planAttention(kernel, parts, make(tile, kind), machine);
  if (!plan)
    return {};
  int64_t fewBelow = chooseFewBelow(*plan, tile.rows);
  if (leastRows * rowWritten >= fewBelow || part == tile.rows) {
    tile.rows = chooseWholeTileRows(tile.rows);
    return make(tile, kind, getPartOfTile(tile.rows));
  }
  if (!isConstant)
    return make(tile, kind, part, fewBelow);
  tile.rows = part;
  return make(tile, kind, getPartOfTile(part));
}

/// Query rows of a block, 0 for all rows of a head: the least estimated time of
/// the launch on all units, each block of which packs the keys. The unit of
/// time is that of one multiply-add of a whole register.
int64_t AttentionChoice::chooseRowBlock(const Tile &tile,
                                        MultiplyAddKind kind) {
  constexpr double kPackElement = 0.45, kTileRegistersFaster = 8;
  constexpr int64_t kMostBlocks = 64;
  double heads = 1;
  for (unsigned dim : parts.batches)
    heads *= std::max(1.0, estimateSize(kernel, kernel.getDimSize(dim)));
  double elements =
      double(parts.keyCount) * double(parts.depthCount + parts.columnCount);
  double packed = kind == MultiplyAddKind::Vector
                      ? double(parts.keyCount) * double(parts.depthCount)
                      : elements;
  double packing = packed * kPackElement;
  double row =
      (elements / (kind == MultiplyAddKind::AMX ? kTileRegistersFaster : 1) +
       double(parts.countExponentials())) /
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

AttentionScheduleAttr tc::chooseAttentionSchedule(KernelOp kernel,
                                                  const TiledAttention &parts,
                                                  const MachineModel &machine) {
  return AttentionChoice(kernel, parts, machine).get();
}
