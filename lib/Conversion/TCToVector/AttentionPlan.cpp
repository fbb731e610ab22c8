//===- AttentionPlan.cpp - How attention is emitted -----------------------===//

#include "AttentionPlan.h"
#include "TC/Analysis/ContractionRoles.h"

using namespace mlir;
using namespace tc;

namespace {
class AttentionPlanner {
public:
  AttentionPlanner(KernelFrame &frame, const TiledAttention &parts,
                   AttentionScheduleAttr schedule)
      : frame(frame), schedule(schedule),
        width(frame.builder.options.hasAvx512 ? 16 : 8),
        f32(frame.builder.getF32Type()) {
    plan.parts = parts;
    plan.schedule = schedule;
  }

  AttentionPlan get() {
    chooseElements();
    chooseLanes();
    planQueries();
    planKeys();
    planWeights();
    planValues();
    plan.sharesScratch = plan.parts.columnCount <= schedule.getColumnLanes() &&
                         schedule.getColumnLanes() <= plan.scoreStride;
    return plan;
  }

private:
  void chooseElements();
  void chooseLanes();
  void planQueries();
  void planKeys();
  void planWeights();
  void planValues();
  PackedOperand getPacked(Value operand, const TileLayout &layout);
  int64_t countPoints(const PackedOperand &panel, int64_t points) {
    return *getPackedPoints(
                frame, panel,
                SizeExpr::constant(frame.kernel.getContext(), points))
                .getConstant();
  }
  /// Points that a step of a tile multiplies.
  int64_t getStep(const TileLayout &layout) const {
    return plan.usesAMX ? kTilePoints : layout.pair;
  }

  KernelFrame &frame;
  AttentionScheduleAttr schedule;
  AttentionPlan plan;
  int64_t width;
  Type f32;
};
} // namespace

/// Which products are of pairs of bf16.
void AttentionPlanner::chooseElements() {
  TiledAttention &parts = plan.parts;
  const auto &options = frame.builder.options;
  plan.usesAMX = options.hasBF16Dot && options.hasBF16Tiles &&
                 width == kTileRows && parts.fitsTileRegisters(schedule);
  auto choose = [&](TileLayout &layout, ContractStageOp stage, int64_t lanes) {
    bool arePairs =
        options.hasBF16Dot && width == kTileRows && multipliesBF16(stage);
    layout.rows = schedule.getRows();
    layout.lanes = lanes;
    layout.width = width;
    layout.pair = arePairs ? 2 : 1;
    layout.usesAMX = plan.usesAMX;
    layout.accumulator = f32;
  };
  choose(plan.scores, parts.scores, schedule.getKeyLanes());
  choose(plan.output, parts.output, schedule.getColumnLanes());
}

/// The weights of whole steps are stored, zeros behind the last key. Rows of
/// scores in tile registers, which take a line of each at once, do not lie in
/// the same sets of a cache.
void AttentionPlanner::chooseLanes() {
  plan.softmaxLanes = plan.parts.getSoftmaxLanes(schedule);
  plan.epilogueLanes =
      std::min(schedule.getSoftmaxLanes(), schedule.getColumnLanes());
  plan.scoreStride =
      plan.parts.getRowLength(schedule) + (plan.usesAMX ? kTileRows : 0);
  plan.scores.accumulatorStride = plan.scoreStride;
  plan.output.accumulatorStride = schedule.getColumnLanes();
}

PackedOperand AttentionPlanner::getPacked(Value operand,
                                          const TileLayout &layout) {
  PackedOperand packed;
  packed.operand = operand;
  packed.element = layout.pair == 2 ? Type(frame.builder.getI16Type()) : f32;
  packed.width = width;
  packed.pair = layout.pair;
  packed.storesMasked = width == kTileRows;
  packed.unit = getStep(layout);
  return packed;
}

void AttentionPlanner::planQueries() {
  int64_t step = plan.scores.pair * width;
  plan.queries = getPacked(plan.parts.queries, plan.scores);
  plan.queries.dims = {plan.parts.row};
  plan.queries.reduced = plan.parts.depth;
  plan.queries.isWholeVectors = plan.parts.depthCount % step == 0;
  // A vector may begin at the last point.
  plan.queries.stride = llvm::alignTo(plan.parts.depthCount, step) + step;
  plan.scores.row = {plan.queries.element, plan.parts.queries.getType(),
                     plan.queries.stride};
}

void AttentionPlanner::planKeys() {
  plan.keys = getPacked(plan.parts.keys, plan.scores);
  plan.keys.dims = {plan.parts.key};
  plan.keys.reduced = plan.parts.depth;
  plan.keys.isWholeVectors = plan.queries.isWholeVectors;
  plan.keys.stride = plan.keys.lanes = schedule.getKeyLanes();
  plan.keyPoints = countPoints(plan.keys, plan.parts.depthCount);
  plan.scores.panel = {plan.keys.element, plan.parts.keys.getType(),
                       plan.keys.stride};
}

/// Weights lie where their scores do.
void AttentionPlanner::planWeights() {
  bool arePairs = plan.output.pair == 2;
  plan.output.row = {arePairs ? Type(frame.builder.getI16Type()) : f32,
                     arePairs ? Type(frame.builder.getBF16Type()) : f32,
                     (arePairs ? 2 : 1) * plan.scoreStride};
}

void AttentionPlanner::planValues() {
  TiledAttention &parts = plan.parts;
  auto stride = parts.getValueStride(frame.kernel);
  plan.packsValues = plan.output.pair == 2 || !stride ||
                     parts.columnCount % schedule.getColumnLanes() != 0;
  plan.values = getPacked(parts.values, plan.output);
  plan.values.dims = {parts.column};
  plan.values.reduced = {parts.key};
  plan.values.stride = plan.values.lanes = schedule.getColumnLanes();
  plan.valuePoints = countPoints(plan.values, parts.keyCount);
  if (plan.packsValues)
    plan.output.panel = {plan.values.element, parts.values.getType(),
                         plan.values.stride};
  else
    plan.output.panel = {getStorageType(parts.values.getType()),
                         parts.values.getType(), *stride};
}

std::optional<AttentionPlan> tc::planAttention(KernelFrame &frame,
                                               const TiledAttention &parts,
                                               AttentionScheduleAttr schedule) {
  AttentionPlan plan = AttentionPlanner(frame, parts, schedule).get();
  if (!plan.usesAMX && !parts.fitsVectorRegisters(schedule))
    return std::nullopt;
  return plan;
}

int64_t AttentionPlan::keyElements() const {
  return llvm::alignTo(parts.keyCount, schedule.getKeyLanes()) * keyPoints;
}

int64_t AttentionPlan::valueElements() const {
  return packsValues
             ? llvm::alignTo(parts.columnCount, schedule.getColumnLanes()) *
                   valuePoints
             : 0;
}

int64_t AttentionPlan::scratchBytes() const {
  int64_t results = sharesScratch ? 0 : 4 * schedule.getColumnLanes();
  int64_t row = 4 * (scoreStride + 2) + results +
                queries.stride * getElementBytes(queries.element);
  return keyElements() * getElementBytes(keys.element) +
         valueElements() * getElementBytes(values.element) +
         schedule.getRows() * row;
}
