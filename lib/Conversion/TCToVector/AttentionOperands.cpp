//===- AttentionOperands.cpp - Operands of attention's tiles --------------===//

#include "AttentionOperands.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tc;

/// The layout of a tile of `lanes` lanes with accumulators of type
/// `accumulator`. A vector of f32 has all lanes of the tile: LLVM splits it
/// into registers, and operands that are computed for it are computed once.
static TileLayout getLayout(const AttentionPlan &plan, int64_t lanes,
                            Type accumulator) {
  TileLayout layout;
  layout.rows = plan.schedule.getRows();
  layout.lanes = lanes;
  layout.width = plan.pair() == 1 ? lanes : plan.width;
  layout.pair = plan.pair();
  layout.usesAMX = plan.usesAMX();
  layout.accumulator = accumulator;
  return layout;
}

static PackedOperand getPacked(const AttentionPlan &plan, Value operand,
                               Type element) {
  PackedOperand packed;
  packed.operand = operand;
  packed.element = element;
  packed.width = plan.width;
  packed.pair = plan.pair();
  packed.storesMasked = plan.width * 4 == kLineBytes;
  packed.unit = plan.getStep();
  return packed;
}

AttentionOperands::AttentionOperands(MLIRContext *context,
                                     const AttentionPlan &plan) {
  const TiledAttention &parts = plan.parts;
  AttentionScheduleAttr schedule = plan.schedule;
  Type f32 = Float32Type::get(context),
       element = plan.pair() == 1 ? f32 : IntegerType::get(context, 16),
       weight = plan.pair() == 1 ? f32 : BFloat16Type::get(context);
  scores = getLayout(plan, schedule.getKeyLanes(), f32);
  scores.accumulatorStride = plan.scoreStride;
  output = getLayout(plan, schedule.getColumnLanes(), f32);
  output.accumulatorStride = schedule.getColumnLanes();

  queries = getPacked(plan, parts.queries, element);
  queries.dims = {parts.row};
  queries.reduced = parts.depth;
  queries.isWholeVectors = parts.depthCount % (plan.pair() * plan.width) == 0;
  queries.stride = plan.queryStride;
  scores.row = {element, parts.queries.getType(), queries.stride};

  keys = getPacked(plan, parts.keys, element);
  keys.dims = {parts.key};
  keys.reduced = parts.depth;
  keys.width = plan.keyWidth;
  keys.isWholeVectors = parts.depthCount % (plan.pair() * plan.keyWidth) == 0;
  keys.packsAcross = plan.packsKeysAcross;
  keys.stride = keys.lanes = schedule.getKeyLanes();
  scores.panel = {element, f32, keys.stride};

  // The weights of a row overwrite its scores.
  output.row = {element, weight, plan.pair() * plan.scoreStride};
  values = getPacked(plan, parts.values, element);
  values.dims = {parts.column};
  values.reduced = {parts.key};
  values.packsAcross = plan.packsValuesAcross;
  values.stride = values.lanes = schedule.getColumnLanes();
  output.panel = {element, parts.values.getType(), values.stride};
}
