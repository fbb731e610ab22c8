//===- GPUAttentionSchedule.cpp - Attention on tensor cores ---------------===//

#include "GPUAttentionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/TensorCoreAttention.h"

using namespace mlir;
using namespace tc;

namespace {
/// The steps of all tiles of a batch point, and of the longest one.
struct StepCount {
  double all, most;
};

class ScheduleChoice {
public:
  ScheduleChoice(KernelOp kernel, const TensorCoreAttention &attention,
                 const MachineModel &machine);
  GPUAttentionScheduleAttr get();

private:
  double countTiles(const AttentionTile &tile) const {
    return batches * std::ceil(rowCount / double(tile.rows));
  }
  double countKeys(double firstRow, double lastRow);
  StepCount countSteps(const AttentionTile &tile);
  double estimateTime(const AttentionTile &tile, const StepCount &steps,
                      int64_t splits);
  bool maySplit(const AttentionTile &tile, int64_t splits);
  bool fits(const AttentionTile &tile);
  bool fitsMemory(GPUAttentionScheduleAttr schedule);
  GPUAttentionScheduleAttr make(const AttentionTile &tile, int64_t splits);

  KernelOp kernel;
  const TensorCoreAttention &attention;
  const MachineModel &machine;
  double units, batches = 1, rowCount, keyCount;
  bool isByWarps;
};
} // namespace

ScheduleChoice::ScheduleChoice(KernelOp kernel,
                               const TensorCoreAttention &attention,
                               const MachineModel &machine)
    : kernel(kernel), attention(attention), machine(machine),
      units(double(machine.units)),
      rowCount(estimateSize(kernel, attention.rowCount)),
      keyCount(estimateSize(kernel, attention.keyCount)),
      isByWarps(!machine.hasWarpGroupProducts) {
  for (unsigned dim : attention.parts.batches)
    batches *= estimateSize(kernel, attention.countBatchPoints(kernel, dim));
}

/// Keys from the first one that counts for a row of [firstRow, lastRow] to the
/// last one, at the first point of all other dimensions.
double ScheduleChoice::countKeys(double firstRow, double lastRow) {
  MLIRContext *context = attention.rowCount.getContext();
  double low = 0, high = keyCount;
  for (const KeyBound &bound : attention.bounds) {
    auto at = [&](double row) -> std::optional<double> {
      SmallVector<AffineExpr> values(attention.parts.row + 1,
                                     getAffineConstantExpr(0, context));
      values[attention.parts.row] =
          getAffineConstantExpr(int64_t(row), context);
      values.resize(std::max<size_t>(values.size(), kernel.getNumDims()),
                    getAffineConstantExpr(0, context));
      auto limit = dyn_cast<AffineConstantExpr>(
          bound.limit.replaceDimsAndSymbols(values, {}));
      return limit ? std::optional(double(limit.getValue())) : std::nullopt;
    };
    auto first = at(firstRow), last = at(lastRow);
    if (!first || !last)
      continue;
    if (bound.isUpper)
      high = std::min(high, std::max(*first, *last) + 1);
    else
      low = std::max(low, std::min(*first, *last));
  }
  return std::max(high - low, 1.0);
}

StepCount ScheduleChoice::countSteps(const AttentionTile &tile) {
  // Of more tiles, some that are equally far apart stand for all.
  constexpr double kSamples = 64;
  const auto rows = double(tile.rows);
  const double tiles = std::ceil(rowCount / rows),
               distance = std::max(tiles / kSamples, 1.0);
  StepCount steps = {0, 0};
  for (double number = 0; number < tiles; number += distance) {
    const double first = std::floor(number) * rows;
    double keys =
        attention.shared
            ? countKeys(0, double(*attention.queryCount.getConstant() - 1))
            : countKeys(first, std::min(first + rows, rowCount) - 1);
    double own = std::ceil(keys / double(tile.keys));
    steps.all += own * std::min(distance, tiles - number);
    steps.most = std::max(steps.most, own);
  }
  return steps;
}

/// Microseconds that all tiles take, or the longest one alone; at the end of
/// many tiles, multiprocessors wait for the last ones. Blocks that share the
/// keys of a tile meet.
double ScheduleChoice::estimateTime(const AttentionTile &tile,
                                    const StepCount &steps, int64_t splits) {
  constexpr double kTail = 0.5, kMeeting = 0.9;
  double longest = std::ceil(steps.most / double(splits)) * tile.step;
  if (splits > 1)
    longest += kMeeting * double(splits);
  double all =
      batches * steps.all * double(tile.rows * tile.keys) / (units * tile.rate);
  if (countTiles(tile) > units * double(tile.resident))
    all += kTail * longest;
  return std::max(longest, all);
}

/// Whether all blocks run at once where so many share the keys of each tile:
/// some multiprocessors are left over by clusters of four or more.
bool ScheduleChoice::maySplit(const AttentionTile &tile, int64_t splits) {
  constexpr int64_t kColumnUnit = 8, kPair = 2;
  constexpr double kFilled = 0.75;
  if (isByWarps && splits > 1)
    return false;
  const double most =
      units * double(tile.resident) * (splits > kPair ? kFilled : 1.0);
  return splits == 1 ||
         (countTiles(tile) * double(splits) <= most &&
          attention.countMultipliedColumns() % (splits * kColumnUnit) == 0);
}

/// Whether the registers of its threads hold what is read for the scores of a
/// step, besides scores, weights and results.
bool ScheduleChoice::fits(const AttentionTile &tile) {
  constexpr int64_t kWordBytes = 4, kMostValues = 200, kMostWarpValues = 130,
                    kMostRows = 128;
  if (std::max(attention.columns, attention.depth) > tile.columns)
    return false;
  if (attention.isPlain())
    return true;
  int64_t bytes = 0;
  for (ReadOp read : attention.getScoreReads(kernel))
    bytes += getElementBytes(read.getType());
  const int64_t values = tile.keys / 2 + tile.keys / 4 + attention.columns / 2 +
                         tile.keys / 2 * bytes / kWordBytes;
  return tile.rows <= kMostRows &&
         values <= (isByWarps ? kMostWarpValues : kMostValues);
}

/// Blocks stay for several tiles where not all have one at the same time, and
/// begin one while they end another where shared memory has room for the
/// queries of both. Threads of three warp groups have fewer registers for that,
/// which takes longer than it saves where tiles have all keys (550 us instead
/// of 531 for 4x16x4096x64 on an H200).
GPUAttentionScheduleAttr ScheduleChoice::make(const AttentionTile &tile,
                                              int64_t splits) {
  constexpr int64_t kStages = 2, kStoredColumns = 32, kFewRows = 16,
                    kOverlappedTiles = 2, kRows = 128;
  const int64_t blocks = machine.units * tile.resident;
  bool stays = countTiles(tile) > double(blocks) && !isByWarps,
       stores = splits == 1 && attention.results && rowCount >= kFewRows &&
                attention.columns % kStoredColumns == 0 && !isByWarps;
  auto get = [&](int64_t queryStages) {
    return GPUAttentionScheduleAttr::get(
        attention.rowCount.getContext(), int64_t(attention.parts.column),
        tile.rows, tile.keys, kStages, stays ? blocks : 0, stores, splits,
        tile.resident, isByWarps, queryStages);
  };
  const bool mayOverlap =
      stays && (tile.rows <= kRows || !attention.bounds.empty());
  if (mayOverlap && fitsMemory(get(kOverlappedTiles)))
    return get(kOverlappedTiles);
  return get(1);
}

/// Whether the shared memory of a multiprocessor holds that of its blocks, and
/// the KiB that it keeps for each.
bool ScheduleChoice::fitsMemory(GPUAttentionScheduleAttr schedule) {
  constexpr int64_t kKept = 1024;
  return (attention.getMemory(schedule).end + kKept) * schedule.getResident() <=
         machine.blockSharedBytes + kKept;
}

GPUAttentionScheduleAttr ScheduleChoice::get() {
  constexpr int64_t kMostSplits = 8;
  GPUAttentionScheduleAttr best;
  double bestTime = 0;
  for (const AttentionTile &tile : machine.attentionTiles) {
    if (!fits(tile))
      continue;
    StepCount steps = countSteps(tile);
    for (int64_t splits = 1; splits <= kMostSplits; splits *= 2) {
      if (!maySplit(tile, splits))
        continue;
      GPUAttentionScheduleAttr schedule = make(tile, splits);
      double time = estimateTime(tile, steps, splits);
      if (!fitsMemory(schedule) || (best && time >= bestTime))
        continue;
      best = schedule;
      bestTime = time;
    }
  }
  return best;
}

ScheduleAttrInterface tc::getGPUAttentionSchedule(KernelOp kernel,
                                                  const MachineModel &machine) {
  // Of fewer rows, warps would multiply more that is not there.
  constexpr double kLeastWarpRows = 16;
  const bool hasWarpGroups = machine.hasWarpGroupProducts;
  if (!machine.hasWarpProducts ||
      kernel.getKernelClass() != KernelClass::Attention)
    return {};
  auto parts = TiledAttention::findRoles(kernel, KernelDims(kernel));
  if (!parts)
    return {};
  auto attention =
      TensorCoreAttention::find(kernel, parts->column, hasWarpGroups);
  if (!attention) {
    llvm::consumeError(attention.takeError());
    return {};
  }
  if (!hasWarpGroups &&
      estimateSize(kernel, attention->rowCount) < kLeastWarpRows)
    return {};
  return ScheduleChoice(kernel, *attention, machine).get();
}
