//===- GPUAttentionSchedule.cpp - Attention on tensor cores ---------------===//

#include "GPUAttentionSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/TensorCoreAttention.h"

using namespace mlir;
using namespace tc;

namespace {
struct AttentionTile {
  int64_t rows, keys;
};
} // namespace

/// Half as many rows of a tile, and keys of a block, where few tiles would
/// leave multiprocessors without one; two blocks of threads share a
/// multiprocessor then. 192 rows of at most 64 columns, which leave the
/// registers of three warp groups room: 1.13 times as fast as 128 on an H200
/// (4x16x4096x64). 128 keys leave registers for 128 columns: a thread has half
/// as many values of scores and of results, and half of those of scores in
/// words of weights.
static AttentionTile chooseTile(KernelOp kernel,
                                const TensorCoreAttention &attention,
                                const MachineModel &machine) {
  constexpr int64_t kRows = 128, kFewRows = 64, kManyRows = 192, kKeys = 128,
                    kFewKeys = 64, kFewColumns = 64, kManyColumns = 128;
  double batches = 1;
  for (unsigned dim : attention.parts.batches)
    batches *= estimateSize(kernel, kernel.getDimSize(dim));
  auto countTiles = [&](int64_t rows) {
    return batches *
           std::ceil(estimateSize(kernel, attention.rowCount) / double(rows));
  };
  const auto units = double(machine.units);
  const int64_t columns = std::max(attention.columns, attention.depth);
  if (countTiles(kRows) <= units)
    return {kFewRows, kFewKeys};
  if (columns <= kFewColumns && countTiles(kManyRows) >= units)
    return {kManyRows, kKeys};
  return {kRows, columns > kManyColumns ? kFewKeys : kKeys};
}

ScheduleAttrInterface tc::getGPUAttentionSchedule(KernelOp kernel,
                                                  const MachineModel &machine) {
  constexpr int64_t kStages = 2;
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
  AttentionTile tile = chooseTile(kernel, *attention, machine);
  return GPUAttentionScheduleAttr::get(kernel.getContext(), parts->column,
                                       tile.rows, tile.keys, kStages);
}
