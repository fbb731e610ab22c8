//===- AttentionPlan.cpp - How attention is emitted -----------------------===//

#include "AttentionPlan.h"
#include "TC/Analysis/ContractionRoles.h"

using namespace mlir;
using namespace tc;

/// Whether the schedule's tile is one of tile registers, for both products.
static bool holdsTileRegisters(const AttentionTile &tile) {
  auto holds = [&](int64_t lanes) {
    int64_t high = tile.rows / kTileRows, wide = lanes / kTileRows;
    return tile.rows % kTileRows == 0 && lanes % kTileRows == 0 &&
           high * wide + high + 1 <= kTileRegisters;
  };
  return holds(tile.keyLanes) && holds(tile.columnLanes);
}

namespace {
class AttentionPlanner {
public:
  AttentionPlanner(KernelFrame &frame, const TiledAttention &parts,
                   const AttentionTile &tile)
      : frame(frame), width(frame.kernel.getSchedule()->getVectorWidth()),
        f32(frame.builder.getF32Type()) {
    plan.parts = parts;
    plan.tile = tile;
  }

  AttentionPlan get() {
    chooseElements();
    chooseLanes();
    planQueries();
    planKeys();
    planWeights();
    planValues();
    plan.sharesScratch = plan.parts.columnCount <= plan.tile.columnLanes &&
                         plan.tile.columnLanes <= plan.scoreStride;
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
  AttentionPlan plan;
  int64_t width;
  Type f32;
};
} // namespace

/// Which products are of pairs of bf16, and of tile registers.
void AttentionPlanner::chooseElements() {
  TiledAttention &parts = plan.parts;
  const auto &options = frame.builder.options;
  auto choose = [&](TileLayout &layout, ContractStageOp stage, int64_t lanes) {
    bool arePairs =
        options.hasBF16Dot && width == kTileRows && multipliesBF16(stage);
    layout.rows = plan.tile.rows;
    layout.lanes = lanes;
    layout.width = width;
    layout.pair = arePairs ? 2 : 1;
    layout.accumulator = f32;
  };
  plan.tile.keyLanes = llvm::alignTo(plan.tile.keyLanes, width);
  plan.tile.columnLanes = llvm::alignTo(plan.tile.columnLanes, width);
  choose(plan.scores, parts.scores, plan.tile.keyLanes);
  choose(plan.output, parts.output, plan.tile.columnLanes);
  plan.usesAMX = options.hasBF16Tiles && plan.scores.pair == 2 &&
                 plan.output.pair == 2 && parts.depth.size() == 1 &&
                 holdsTileRegisters(plan.tile);
  plan.scores.usesAMX = plan.output.usesAMX = plan.usesAMX;
}

/// The weights of whole steps are stored, zeros behind the last key. Rows of
/// scores in tile registers, which take a line of each at once, do not lie in
/// the same sets of a cache.
void AttentionPlanner::chooseLanes() {
  constexpr int64_t kMostLanes = 32;
  plan.softmaxLanes = std::min<int64_t>(
      kMostLanes, llvm::PowerOf2Ceil(std::max(plan.parts.keyCount, width)));
  if (plan.usesAMX)
    plan.softmaxLanes = kTilePoints;
  plan.epilogueLanes = std::min<int64_t>(
      kMostLanes, int64_t(1) << llvm::countr_zero(
                      static_cast<uint64_t>(plan.tile.columnLanes)));
  int64_t length =
      std::max(llvm::alignTo(plan.parts.keyCount, plan.tile.keyLanes),
               llvm::alignTo(plan.parts.keyCount, plan.softmaxLanes));
  plan.scoreStride = length + (plan.usesAMX ? kTileRows : 0);
  plan.scores.accumulatorStride = plan.scoreStride;
  plan.output.accumulatorStride = plan.tile.columnLanes;
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
  plan.keys.stride = plan.keys.lanes = plan.tile.keyLanes;
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
                     parts.columnCount % plan.tile.columnLanes != 0;
  plan.values = getPacked(parts.values, plan.output);
  plan.values.dims = {parts.column};
  plan.values.reduced = {parts.key};
  plan.values.stride = plan.values.lanes = plan.tile.columnLanes;
  plan.valuePoints = countPoints(plan.values, parts.keyCount);
  if (plan.packsValues)
    plan.output.panel = {plan.values.element, parts.values.getType(),
                         plan.values.stride};
  else
    plan.output.panel = {getStorageType(parts.values.getType()),
                         parts.values.getType(), *stride};
}

AttentionPlan tc::planAttention(KernelFrame &frame, const TiledAttention &parts,
                                const AttentionTile &tile) {
  return AttentionPlanner(frame, parts, tile).get();
}

int64_t AttentionPlan::keyElements() const {
  return llvm::alignTo(parts.keyCount, tile.keyLanes) * keyPoints;
}

int64_t AttentionPlan::valueElements() const {
  return packsValues
             ? llvm::alignTo(parts.columnCount, tile.columnLanes) * valuePoints
             : 0;
}

int64_t AttentionPlan::scratchBytes() const {
  int64_t results = sharesScratch ? 0 : 4 * tile.columnLanes;
  int64_t row = 4 * (scoreStride + 2) + results +
                queries.stride * getElementBytes(queries.element);
  return keyElements() * getElementBytes(keys.element) +
         valueElements() * getElementBytes(values.element) + tile.rows * row;
}
