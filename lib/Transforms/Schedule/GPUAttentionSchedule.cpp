//===- GPUAttentionSchedule.cpp - Attention on tensor cores ---------------===//

#include "GPUAttentionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/TensorCoreAttention.h"

using namespace mlir;
using namespace tc;

ScheduleAttrInterface tc::getGPUAttentionSchedule(KernelOp kernel,
                                                  const MachineModel &machine) {
  // 128 keys leave registers for 128 columns: a thread has half as many values
  // of scores and of results, and half of those of scores in words of weights.
  constexpr int64_t kRows = 128, kFewRows = 64, kKeys = 128, kFewKeys = 64,
                    kManyColumns = 128, kLeastStages = 2, kMostStages = 4,
                    kSharedBytes = 227 * 1024;
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
  auto rowCount = attention->rowCount.getConstant();
  const int64_t rows = rowCount && *rowCount <= kFewRows ? kFewRows : kRows,
                keys = attention->columns > kManyColumns ||
                               attention->depth > kManyColumns
                           ? kFewKeys
                           : kKeys;
  int64_t stages = kLeastStages;
  while (stages < kMostStages &&
         attention->getSharedBytes(rows, keys, stages + 1) <= kSharedBytes)
    ++stages;
  return GPUAttentionScheduleAttr::get(kernel.getContext(), parts->column, rows,
                                       keys, stages);
}
