//===- AttentionPlan.cpp - How attention is computed ----------------------===//

#include "TC/Analysis/AttentionPlan.h"
#include "TC/Analysis/ContractionPlan.h"

using namespace mlir;
using namespace tc;

/// Most elements of a tile's scores, and of the packed values, on a thread's
/// stack.
static constexpr int64_t kMostScores = 1 << 18, kMostValues = 1 << 19;
/// Most f32 elements of a vector register.
static constexpr int64_t kWidestVector = 16;

int64_t AttentionPlan::getStep() const {
  return usesAMX() ? kTilePoints : pair();
}

int64_t AttentionPlan::countKeyElements() const {
  return llvm::alignTo(parts.keyCount, schedule.getKeyLanes()) * keyPoints;
}

int64_t AttentionPlan::countValueElements() const {
  return llvm::alignTo(parts.columnCount, schedule.getColumnLanes()) *
         valuePoints;
}

int64_t AttentionPlan::getPackedBytes() const {
  return (countKeyElements() + countValueElements()) * 4 / pair();
}

/// Each row of a tile has its scores, its largest score and the sum of its
/// weights, its results where these do not overwrite the scores, and its packed
/// queries.
int64_t AttentionPlan::getRowBytes() const {
  return 4 * (scoreStride + 2 +
              (sharesScratch ? 0 : schedule.getColumnLanes())) +
         queryStride * 4 / pair();
}

bool tc::mayMultiplyBy(const TiledAttention &parts, MultiplyAddKind kind,
                       const MachineModel &machine) {
  if (kind == MultiplyAddKind::Vector)
    return true;
  return parts.depth.size() == 1 && multipliesBF16(parts.scores) &&
         multipliesBF16(parts.output) && machine.hasBF16Dot &&
         machine.vectorBits == 32 * kWidestVector &&
         (kind != MultiplyAddKind::AMX || machine.hasBF16Tiles);
}

/// Points of a panel that is packed from `points` points. Where vectors along
/// the points are transposed (`isAcross`), whole vectors are stored. Otherwise
/// zeros fill the last step of tile registers, or the last pair.
static int64_t countPackedPoints(int64_t points, bool isAcross, int64_t width,
                                 const AttentionPlan &plan) {
  if (isAcross)
    return llvm::alignTo(std::max<int64_t>(points, 1), plan.pair() * width);
  if (plan.usesAMX())
    return llvm::alignTo(points, plan.getStep());
  return points + plan.pair() - 1;
}

/// Keys of f32 are transposed from vectors whose width divides the depth, so
/// that a panel has as many points as the depth.
static void planKeys(KernelOp kernel, AttentionPlan &plan) {
  constexpr int64_t kLeastWidth = 4;
  const TiledAttention &parts = plan.parts;
  plan.packsKeysAcross =
      readsAlongReduced(kernel, parts.keys, parts.key, parts.depth);
  plan.keyWidth = plan.width;
  if (plan.pair() == 1) {
    while (plan.keyWidth > 1 && parts.depthCount % plan.keyWidth != 0)
      plan.keyWidth /= 2;
    plan.packsKeysAcross &= plan.keyWidth >= kLeastWidth;
  }
  plan.keyPoints = countPackedPoints(parts.depthCount, plan.packsKeysAcross,
                                     plan.keyWidth, plan);
}

static void planValues(KernelOp kernel, AttentionPlan &plan) {
  const TiledAttention &parts = plan.parts;
  plan.valuePoints = 0;
  plan.packsValuesAcross = false;
  if (plan.pair() == 1)
    return;
  plan.packsValuesAcross =
      readsAlongReduced(kernel, parts.values, parts.column, parts.key);
  plan.valuePoints = countPackedPoints(parts.keyCount, plan.packsValuesAcross,
                                       plan.width, plan);
}

/// Strides of the rows. Tile registers load a cache line of each of 16 rows at
/// once: 16 more elements of stride keep these lines in different sets of the
/// cache. Packed queries end in one more vector, as one may begin at the last
/// point.
static void planRows(AttentionPlan &plan) {
  AttentionScheduleAttr schedule = plan.schedule;
  int64_t step = plan.pair() * plan.width;
  plan.queryStride =
      plan.pair() == 1 ? 0 : llvm::alignTo(plan.parts.depthCount, step) + step;
  plan.scoreStride =
      llvm::alignTo(plan.parts.keyCount, std::max(schedule.getKeyLanes(),
                                                  schedule.getSoftmaxLanes())) +
      (plan.usesAMX() ? kTileRows : 0);
  plan.sharesScratch = plan.parts.columnCount <= schedule.getColumnLanes();
  if (plan.sharesScratch)
    plan.scoreStride = std::max(plan.scoreStride, schedule.getColumnLanes());
}

std::optional<AttentionPlan> tc::planAttention(KernelOp kernel,
                                               const TiledAttention &parts,
                                               AttentionScheduleAttr schedule,
                                               const MachineModel &machine) {
  if (!mayMultiplyBy(parts, schedule.getMultiplyAdds(), machine))
    return std::nullopt;
  AttentionPlan plan;
  plan.parts = parts;
  plan.schedule = schedule;
  plan.width = std::clamp<int64_t>(machine.vectorBits / 32, 4, kWidestVector);
  planKeys(kernel, plan);
  planValues(kernel, plan);
  planRows(plan);
  if (plan.scoreStride * schedule.getRows() > kMostScores ||
      plan.countValueElements() > kMostValues)
    return std::nullopt;
  return plan;
}
