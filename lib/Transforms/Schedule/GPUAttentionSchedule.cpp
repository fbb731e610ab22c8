//===- GPUAttentionSchedule.cpp - Attention on tensor cores ---------------===//

#include "GPUAttentionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/TensorCoreAttention.h"

using namespace mlir;
using namespace tc;

namespace {
class ScheduleChoice {
public:
  ScheduleChoice(KernelOp kernel, const TensorCoreAttention &attention,
                 const MachineModel &machine);
  GPUAttentionScheduleAttr get();

private:
  double countTiles(int64_t rows) const {
    return batches * std::ceil(rowCount / double(rows));
  }
  void setTile();
  void setSplits();
  GPUAttentionScheduleAttr make(bool asyncStore) const;

  KernelOp kernel;
  const TensorCoreAttention &attention;
  double units, batches = 1, rowCount, keyCount;
  int64_t rows, keys, blocks = 0, splits = 1;
};
} // namespace

ScheduleChoice::ScheduleChoice(KernelOp kernel,
                               const TensorCoreAttention &attention,
                               const MachineModel &machine)
    : kernel(kernel), attention(attention), units(double(machine.units)),
      rowCount(estimateSize(kernel, attention.rowCount)),
      keyCount(estimateSize(kernel, attention.keyCount)) {
  for (unsigned dim : attention.parts.batches)
    batches *= estimateSize(kernel, kernel.getDimSize(dim));
}

/// Half as many rows of a tile, and keys of a block, where few tiles would
/// leave multiprocessors without one; two blocks of threads share a
/// multiprocessor then. 192 rows of at most 64 columns, which leave the
/// registers of three warp groups room for scores that nothing is done with:
/// 1.13 times as fast as 128 on an H200 (4x16x4096x64). 128 keys leave
/// registers for 128 columns: a thread has half as many values of scores and of
/// results, and half of those of scores in words of weights.
void ScheduleChoice::setTile() {
  constexpr int64_t kRows = 128, kFewRows = 64, kManyRows = 192, kKeys = 128,
                    kFewKeys = 64, kFewColumns = 64, kManyColumns = 128;
  const int64_t columns = std::max(attention.columns, attention.depth);
  if (countTiles(kRows) <= units) {
    rows = kFewRows;
    keys = kFewKeys;
    return;
  }
  bool isNarrow = columns <= kFewColumns && attention.isPlain() &&
                  countTiles(kManyRows) >= units;
  rows = isNarrow ? kManyRows : kRows;
  keys = columns > kManyColumns ? kFewKeys : kKeys;
}

/// Blocks that share the keys of a tile, so that all multiprocessors have some,
/// of at least two blocks of keys each.
void ScheduleChoice::setSplits() {
  constexpr int64_t kMostSplits = 8, kColumnUnit = 8, kLeastBlocks = 2;
  const double tiles = countTiles(rows),
               keyBlocks = std::ceil(keyCount / double(keys));
  while (splits < kMostSplits && tiles * double(2 * splits) <= units &&
         keyBlocks >= double(2 * splits * kLeastBlocks) &&
         attention.columns % (2 * splits * kColumnUnit) == 0)
    splits *= 2;
}

GPUAttentionScheduleAttr ScheduleChoice::make(bool asyncStore) const {
  constexpr int64_t kStages = 2;
  return GPUAttentionScheduleAttr::get(
      attention.rowCount.getContext(), int64_t(attention.parts.column), rows,
      keys, kStages, blocks, asyncStore, splits);
}

/// Blocks stay for several tiles where there are more than multiprocessors.
GPUAttentionScheduleAttr ScheduleChoice::get() {
  constexpr int64_t kStoredColumns = 32;
  setTile();
  setSplits();
  if (countTiles(rows) > 2 * units)
    blocks = int64_t(units);
  return make(splits == 1 && attention.results &&
              attention.columns % kStoredColumns == 0);
}

ScheduleAttrInterface tc::getGPUAttentionSchedule(KernelOp kernel,
                                                  const MachineModel &machine) {
  if (!machine.hasWarpGroupProducts ||
      kernel.getKernelClass() != KernelClass::Attention)
    return {};
  auto parts = TiledAttention::findRoles(kernel, KernelDims(kernel));
  if (!parts)
    return {};
  auto attention = TensorCoreAttention::find(kernel, parts->column);
  if (!attention) {
    llvm::consumeError(attention.takeError());
    return {};
  }
  return ScheduleChoice(kernel, *attention, machine).get();
}
