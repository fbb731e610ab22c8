//===- ContractionPlan.cpp - How a contraction is emitted -----------------===//

#include "ContractionPlan.h"
#include "KernelEmitters.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace tc;

/// Most bytes of one staged operand, on the stack of a thread.
static constexpr int64_t kMaxScratch = 1 << 20;
/// Most vector registers of accumulators a schedule may ask for.
static constexpr int64_t kMaxAccumulators = 32;

/// `dims` walked as one dimension; nothing when a size is not an affine
/// constant.
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
static bool liesInPanels(KernelOp kernel, const ContractionPlan &plan) {
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
  // Panels are addressed as whole ones: no element lies between those read.
  Sizes sizes = getSizes(type);
  return sizes[2].isConstant(plan.tile.lanes) &&
         (plan.pair != 2 || sizes[3].isConstant(2));
}

/// Whether the kernel writes over its rows a panel at a time: the later panels
/// need the rows as they were.
static bool writesOverRowsOfPanels(KernelOp kernel,
                                   const ContractionPlan &plan) {
  auto over = kernel->getAttrOfType<DenseI64ArrayAttr>(kWritesOverInputAttr);
  auto read = plan.roles.rowOperand.getDefiningOp<ReadOp>();
  auto buffer =
      read ? dyn_cast<BlockArgument>(read.getSource()) : BlockArgument();
  auto lanes = kernel.getDimSize(plan.roles.vectorDim).getConstant();
  return over && buffer &&
         llvm::is_contained(over.asArrayRef(),
                            int64_t(buffer.getArgNumber())) &&
         (plan.roles.lanes.size() > 1 || !lanes || *lanes > plan.tile.lanes);
}

/// The reduced points that are staged together.
static bool planReduced(KernelFrame &frame, ContractionPlan &plan) {
  ArrayRef<unsigned> reduced = plan.roles.reduced;
  plan.innerPoints = 1;
  for (unsigned dim : reduced.drop_front(reduced.empty() ? 0 : 1)) {
    auto size = frame.kernel.getDimSize(dim).getConstant();
    if (!size || *size == 0)
      return false;
    plan.innerPoints *= *size;
  }
  plan.firstBlock = 1;
  plan.isOneBlock = true;
  if (reduced.empty())
    return true;
  int64_t most = std::max<int64_t>(1, plan.tile.reduced / plan.innerPoints);
  // Half a pair may end the rows that are read in place, and a panel of a
  // block's own, but not what was packed ahead.
  bool mayEndAnywhere = plan.rowsApart && !plan.isPackedAhead;
  int64_t unit = plan.usesTiles   ? getTileUnit(plan.innerPoints)
                 : mayEndAnywhere ? 1
                                  : plan.pair;
  plan.firstBlock = llvm::alignTo(most, unit);
  auto size = frame.kernel.getDimSize(reduced.front()).getConstant();
  plan.isOneBlock = size && *size <= plan.firstBlock;
  if (plan.isOneBlock)
    plan.firstBlock = *size;
  auto isOdd = [&](int64_t points) {
    return points * plan.innerPoints % 2 != 0;
  };
  plan.mayEndInHalfPair = plan.rowsApart && plan.pair == 2 &&
                          (isOdd(plan.firstBlock) || isOdd(size.value_or(1)));
  return !plan.usesTiles || (size && *size > 0 && *size % unit == 0);
}

/// Whether the schedule's tile of registers is one of AMX tiles: sums, rows
/// and at least one panel at a time.
static bool holdsTiles(const ContractionTile &tile) {
  int64_t rows = tile.rows / kTileRows, lanes = tile.lanes / kTileRows;
  return tile.rows % kTileRows == 0 && tile.lanes % kTileRows == 0 &&
         rows * lanes + rows + 1 <= kTileRegisters;
}

/// The plan with less of a panel staged at a time, if that can be.
static std::optional<ContractionPlan> narrowPanels(const ContractionPlan &plan,
                                                   bool mayNarrow) {
  constexpr int64_t kFewPoints = 32;
  ContractionPlan few = plan;
  if (mayNarrow)
    few.tile.lanes = plan.width;
  if (!plan.isOneBlock)
    few.firstBlock = std::min<int64_t>(
        plan.firstBlock,
        llvm::alignTo(llvm::divideCeil(kFewPoints, plan.innerPoints),
                      plan.pair));
  if (few.tile.lanes == plan.tile.lanes && few.firstBlock == plan.firstBlock)
    return std::nullopt;
  // Sums, a vector of the panel and one of a row fill the registers at most.
  few.tile.rows = std::min<int64_t>(plan.tile.rows, kMaxAccumulators / 2);
  few.tile.blockRows = plan.rowsApart
                           ? llvm::alignTo(plan.tile.blockRows, few.tile.rows)
                           : few.tile.rows;
  few.tile.blockLanes = few.tile.lanes;
  few.usesTiles = false;
  return few;
}

std::optional<ContractionPlan> tc::planFewPoints(const ContractionPlan &plan,
                                                 bool mayNarrow) {
  if (!plan.isPackedAhead && !(plan.rowsApart && plan.isOneBlock))
    if (auto few = narrowPanels(plan, mayNarrow))
      return few;
  ContractionPlan few = plan;
  few.usesTiles = false;
  few.tile.rows = getPartOfTile(plan.tile.rows);
  // Where panels are packed for each of the smaller blocks again, half the rows
  // have to do; where rows are staged as well, it is too much work.
  if (!plan.isPackedAhead && !plan.finishesTiles()) {
    if (!plan.rowsApart)
      return std::nullopt;
    few.tile.rows = llvm::divideCeil(plan.tile.rows, 2);
  }
  few.tile.blockRows = few.tile.rows;
  if (few.tile.rows == plan.tile.rows)
    return std::nullopt;
  return few;
}

/// Whether registers hold the sums of a tile, and stacks what is staged.
static bool isSmallEnough(const ContractionPlan &plan) {
  int64_t bytes = getElementBytes(plan.staged);
  return (plan.usesTiles ||
          plan.tile.rows * plan.tile.lanes <= kMaxAccumulators * plan.width) &&
         (plan.rowsApart ||
          plan.tile.blockRows * plan.rowStride() * bytes <= kMaxScratch) &&
         plan.paddedPoints() * plan.panelStride() * bytes <= kMaxScratch &&
         plan.sumRows() * plan.sumStride() * 4 <= kMaxScratch;
}

/// `plan`, of which the tile, the layout of the panel and how elements are
/// multiplied are known, with the rest.
static std::optional<ContractionPlan> finishPlan(KernelFrame &frame,
                                                 ContractionPlan plan) {
  ContractionTile &tile = plan.tile;
  tile.blockRows = llvm::alignTo(tile.blockRows, tile.rows);
  tile.blockLanes = llvm::alignTo(tile.blockLanes, tile.lanes);
  plan.rowsApart.reset();
  if (!writesOverRowsOfPanels(frame.kernel, plan))
    plan.rowsApart =
        plan.roles.getRowsApart(frame.kernel, tile.rows, plan.pair == 2,
                                plan.usesTiles, plan.widensInProducts);
  if (!planReduced(frame, plan)) {
    // The pairs that are left over by tiles, vectors can multiply.
    if (!std::exchange(plan.usesTiles, false) || !planReduced(frame, plan))
      return std::nullopt;
  }
  if (!isSmallEnough(plan))
    return std::nullopt;
  return plan;
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
  ContractionPlan plan;
  plan.roles = *roles;
  plan.tile = ContractionTile::get(schedule.getTile());
  plan.width = schedule.getVectorWidth();
  plan.tile.lanes = llvm::alignTo(plan.tile.lanes, plan.width);
  plan.staged = getComputeType(roles->stage.getResult().getType());
  plan.storesMasked = plan.width * getElementBytes(plan.staged) == kLineBytes;
  if (frame.builder.options.hasBF16Dot && plan.width == 16 &&
      multipliesBF16(roles->stage)) {
    plan.pair = 2;
    plan.staged = frame.builder.getI16Type();
    plan.usesTiles =
        frame.builder.options.hasBF16Tiles && holdsTiles(plan.tile);
  }
  plan.isPackedAhead = liesInPanels(frame.kernel, plan);
  // A product of vectors has no rows that would share a staged panel.
  if (roles->rows.empty() && !plan.isPackedAhead)
    return std::nullopt;
  return finishPlan(frame, plan);
}

std::optional<ContractionPlan> tc::planFewTile(KernelFrame &frame,
                                               const ContractionPlan &plan) {
  ContractionTileAttr tile =
      cast<ContractionScheduleAttr>(frame.kernel.getScheduleAttr())
          .getFewTile();
  if (!tile)
    return std::nullopt;
  ContractionPlan few = plan;
  few.tile = ContractionTile::get(tile);
  few.widensInProducts = plan.pair == 1;
  few.usesTiles = false;
  bool writesOver = frame.kernel->hasAttr(kWritesOverInputAttr);
  // Rows that are written over are read before, for all lanes.
  if (writesOver) {
    few.tile.reduced = plan.tile.reduced;
    few.tile.blockLanes = plan.tile.blockLanes;
  }
  if (writesOver || plan.isPackedAhead)
    few.tile.lanes = plan.tile.lanes;
  // Fewer lanes than a register's take a part of one, of two at least.
  if (plan.pair == 1)
    few.width = std::min<int64_t>(
        plan.width, std::max<int64_t>(2, llvm::PowerOf2Ceil(few.tile.lanes)));
  few.tile.lanes = llvm::alignTo(few.tile.lanes, few.width);
  return finishPlan(frame, few);
}
