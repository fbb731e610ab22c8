//===- GPUAttentionBackwardSchedule.cpp - Gradients of attention ----------===//

#include "GPUAttentionBackwardSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/TensorCoreAttentionBackward.h"

using namespace mlir;
using namespace tc;

/// Batch points whose tiles run at about the same time: those whose queries,
/// gradients and sums a part of the second-level cache holds, that of an H100
/// being 50 MiB. Tiles of equal length need no more points than fill all
/// multiprocessors; few tiles of different lengths are of one group, where the
/// longest begin first. Where all begin at once, those that take turns are
/// better near each other.
static int64_t chooseGroup(KernelOp kernel,
                           const TensorCoreAttentionBackward &gradients,
                           const MachineModel &machine) {
  constexpr double kCachedBytes = 32 << 20, kNarrow = 2, kWide = 4,
                   kFewTiles = 4, kPointsAtOnce = 8;
  const auto depth = double(gradients.depth),
             columns = double(gradients.columns), units = double(machine.units);
  double batches = 1;
  for (unsigned dim : ArrayRef(gradients.batches).drop_back())
    batches *= estimateSize(kernel, kernel.getDimSize(dim));
  const double bytes = estimateSize(kernel, gradients.queryCount) *
                       estimateSize(kernel, gradients.groupCount) *
                       (kNarrow * (depth + columns) + kWide * depth),
               cached = kCachedBytes / std::max(bytes, 1.0),
               tiles = std::ceil(estimateSize(kernel, gradients.keyCount) /
                                 double(gradients.kKeys));
  double group = cached;
  if (gradients.bounds.areAll())
    group = std::min(cached, std::ceil(units / std::max(tiles, 1.0)));
  else if (tiles * batches <= units)
    group = std::min(batches, kPointsAtOnce);
  else if (tiles * batches <= kFewTiles * units)
    group = batches;
  return std::max<int64_t>(int64_t(group), 1);
}

ScheduleAttrInterface
tc::getGPUAttentionBackwardSchedule(KernelOp kernel,
                                    const MachineModel &machine) {
  constexpr int64_t kMostStages = 3, kLeastStages = 2;
  if (!machine.hasWarpGroupProducts ||
      kernel.getBodyBlock().getOps<AttentionBackwardStageOp>().empty())
    return {};
  auto gradients = TensorCoreAttentionBackward::find(kernel);
  if (!gradients) {
    llvm::consumeError(gradients.takeError());
    return {};
  }
  int64_t stages = kMostStages;
  while (stages > kLeastStages &&
         gradients->getMemory(stages).end > machine.blockSharedBytes)
    --stages;
  if (gradients->getMemory(stages).end > machine.blockSharedBytes)
    return {};
  return GPUAttentionBackwardScheduleAttr::get(
      kernel.getContext(), gradients->getQueries(), stages,
      chooseGroup(kernel, *gradients, machine), machine.units);
}
