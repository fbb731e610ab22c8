//===- ContractionPlan.cpp - How a contraction is emitted -----------------===//

#include "ContractionPlan.h"
#include "CPUFrame.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace tc;

/// The index of a point in `dims` walked as one dimension; nothing where a size
/// other than the first is not constant.
static std::optional<AffineExpr> flatten(KernelOp kernel,
                                         ArrayRef<unsigned> dims) {
  MLIRContext *context = kernel.getContext();
  AffineExpr flat = getAffineDimExpr(dims.front(), context);
  for (unsigned dim : dims.drop_front()) {
    auto size = kernel.getDimSize(dim).getConstant();
    if (!size)
      return std::nullopt;
    flat = flat * *size + getAffineDimExpr(dim, context);
  }
  return flat;
}

/// Whether the panel operand is read from a buffer [panels, points, lanes], or
/// [panels, pairs, lanes, 2] when pairs are multiplied: the layout that
/// tc-pack-parameters gives to weights.
static bool isInPanels(KernelOp kernel, const ContractionPlan &plan) {
  auto read = plan.roles.panel.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty() ||
      plan.roles.reduced.empty())
    return false;
  auto lane = flatten(kernel, plan.roles.lanes),
       point = flatten(kernel, plan.roles.reduced);
  auto type = cast<ShapedType>(read.getSource().getType());
  if (!lane || !point || type.getRank() != (plan.pair == 2 ? 4 : 3))
    return false;
  SmallVector<AffineExpr> expected;
  if (plan.pair == 2)
    expected = {lane->floorDiv(plan.tile.lanes), point->floorDiv(2),
                *lane % plan.tile.lanes, *point % 2};
  else
    expected = {lane->floorDiv(plan.tile.lanes), *point,
                *lane % plan.tile.lanes};
  AffineMap map = read.getMap();
  for (auto [actual, wanted] : llvm::zip_equal(map.getResults(), expected))
    if (simplifyAffineExpr(actual - wanted, map.getNumDims(),
                           map.getNumSymbols()) !=
        getAffineConstantExpr(0, kernel.getContext()))
      return false;
  // Panels are addressed as whole ones: the sizes are exactly those read.
  Sizes sizes = getSizes(type);
  return sizes[2].isConstant(plan.tile.lanes) &&
         (plan.pair != 2 || sizes[3].isConstant(2));
}

/// Whether the results overwrite the row operand and have several panels: later
/// panels read the rows as they were.
static bool writesOverRowsOfPanels(KernelOp kernel,
                                   const ContractionPlan &plan) {
  std::optional<ArrayRef<int64_t>> over = kernel.getWritesOverInput();
  auto read = plan.roles.rowOperand.getDefiningOp<ReadOp>();
  auto buffer =
      read ? dyn_cast<BlockArgument>(read.getSource()) : BlockArgument();
  auto lanes = kernel.getDimSize(plan.roles.vectorDim).getConstant();
  return over && buffer &&
         llvm::is_contained(*over, int64_t(buffer.getArgNumber())) &&
         (plan.roles.lanes.size() > 1 || !lanes || *lanes > plan.tile.lanes);
}

/// Sets what tiles of the plan fetch ahead: panels that are packed ahead, lanes
/// whose points are summed as vectors, and later points of lanes in place.
static void setFetched(ContractionPlan &plan,
                       ContractionScheduleAttr schedule) {
  bool readsLanes = plan.tile.panel == PanelKind::Lanes;
  plan.fetchParts =
      plan.packsPanels() || readsLanes ? 0 : schedule.getFetchParts();
  plan.fetchPoints = readsLanes ? schedule.getFetchPoints() : 0;
}

std::optional<ContractionPlan> tc::planContraction(KernelFrame &frame) {
  auto schedule =
      dyn_cast_or_null<ContractionScheduleAttr>(frame.kernel.getScheduleAttr());
  if (!schedule)
    return std::nullopt;
  auto roles =
      ContractionRoles::find(frame.kernel, frame.dims, schedule.getVectorDim());
  if (!roles)
    return std::nullopt;
  const auto &options = frame.builder.options;
  ContractionPlan plan = startPlan(
      frame.kernel, *roles, ContractionTile::get(schedule.getTile()),
      schedule.getVectorWidth(), options.hasBF16Dot, options.hasBF16Tiles);
  plan.isPackedAhead = isInPanels(frame.kernel, plan);
  // A product of vectors has no rows that would share a packed panel.
  if (roles->rows.empty() && !plan.isPackedAhead)
    return std::nullopt;
  auto complete = completePlan(frame.kernel, plan,
                               writesOverRowsOfPanels(frame.kernel, plan));
  if (complete)
    setFetched(*complete, schedule);
  return complete;
}

std::optional<ContractionPlan> tc::planFewTile(KernelFrame &frame,
                                               const ContractionPlan &plan) {
  auto schedule = cast<ContractionScheduleAttr>(frame.kernel.getScheduleAttr());
  if (!schedule.getFewTile())
    return std::nullopt;
  auto few = planFewTile(frame.kernel, plan,
                         ContractionTile::get(schedule.getFewTile()),
                         frame.kernel.getWritesOverInput().has_value(),
                         writesOverRowsOfPanels(frame.kernel, plan));
  if (few)
    setFetched(*few, schedule);
  return few;
}
