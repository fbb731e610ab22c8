//===- GPUAttentionBackwardSchedule.cpp - Gradients of attention ----------===//

#include "GPUAttentionBackwardSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/TensorCoreAttentionBackward.h"

using namespace mlir;
using namespace tc;

/// Batch points whose queries, gradients and sums a part of the second-level
/// cache holds, that of an H100 being 50 MiB.
static int64_t chooseGroup(KernelOp kernel,
                           const TensorCoreAttentionBackward &gradients) {
  constexpr double kCachedBytes = 32 << 20, kNarrow = 2, kWide = 4;
  const auto depth = double(gradients.depth),
             columns = double(gradients.columns);
  const double bytes = estimateSize(kernel, gradients.queryCount) *
                       estimateSize(kernel, gradients.groupCount) *
                       (kNarrow * (depth + columns) + kWide * depth);
  return std::max<int64_t>(int64_t(kCachedBytes / std::max(bytes, 1.0)), 1);
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
      chooseGroup(kernel, *gradients), machine.units);
}
