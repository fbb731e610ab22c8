//===- ContractionPlan.cpp - How a contraction is computed ----------------===//

#include "TC/Analysis/ContractionPlan.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/ScheduleVerification.h"
#include <cmath>

using namespace mlir;
using namespace tc;

/// Bytes of a cache line, and of the largest vector register.
static constexpr int64_t kLineBytes = 64;
/// Most lanes of a vector register.
static constexpr int64_t kMostWidth = 64;

//===----------------------------------------------------------------------===//
// Memory of a task
//===----------------------------------------------------------------------===//

// Arithmetic of sizes, which are numbers for the machine model and expressions
// for code.
static int64_t scale(int64_t size, int64_t by) { return size * by; }
static SizeExpr scale(SizeExpr size, int64_t by) { return size.mul(by); }
static int64_t add(int64_t a, int64_t b) { return a + b; }
static SizeExpr add(SizeExpr a, SizeExpr b) { return a.add(b); }
static int64_t limit(int64_t size, int64_t most) {
  return std::min(size, most);
}
static SizeExpr limit(SizeExpr size, int64_t most) {
  return size.min(SizeExpr::constant(size.getContext(), most));
}
static int64_t roundUp(int64_t size, int64_t unit) {
  return llvm::alignTo(size, unit);
}
static SizeExpr roundUp(SizeExpr size, int64_t unit) {
  return size.ceilDiv(SizeExpr::constant(size.getContext(), unit)).mul(unit);
}
static int64_t atLeastOne(int64_t size) { return std::max<int64_t>(size, 1); }
static SizeExpr atLeastOne(SizeExpr size) {
  return size.max(SizeExpr::constant(size.getContext(), 1));
}
static int64_t addConstant(int64_t size, int64_t by) { return size + by; }
static SizeExpr addConstant(SizeExpr size, int64_t by) { return size.add(by); }

template <typename Size>
static Size getRows(const ContractionPlan &plan, Size rows, int64_t most) {
  return limit(roundUp(rows, plan.tile.rows), most);
}

template <typename Size>
static Size computeRowRoom(const ContractionPlan &plan, Size rows) {
  rows = getRows(plan, rows, plan.tile.blockRows);
  // Transposed vectors store whole vectors of rows.
  if (plan.packsRowsAcross)
    rows = addConstant(rows, plan.width - 1);
  return scale(rows, plan.rowStride());
}

template <typename Size>
static Size computePanelRoom(const ContractionPlan &plan, Size points) {
  points = limit(points, std::max<int64_t>(plan.panelPoints(), 1));
  // Transposed vectors store whole vectors of points. Otherwise zeros fill the
  // last pair.
  points = plan.packsAcross
               ? roundUp(atLeastOne(points), plan.pair * plan.width)
               : addConstant(points, plan.pair - 1);
  return scale(points, plan.panelStride());
}

template <typename Size>
static Size computeAccumulatorRoom(const ContractionPlan &plan, Size rows) {
  return scale(getRows(plan, rows, plan.accumulatorRows()),
               plan.accumulatorStride());
}

template <typename Size>
static Size computeTaskBytes(const ContractionPlan &plan, Size rows,
                             Size points) {
  Size bytes = scale(computeAccumulatorRoom(plan, rows), plan.computeBytes);
  if (!plan.inPlaceRowStride)
    bytes = add(bytes, scale(computeRowRoom(plan, rows), plan.getRowBytes()));
  if (plan.packsPanels())
    bytes =
        add(bytes, scale(computePanelRoom(plan, points), plan.getPanelBytes()));
  return bytes;
}

int64_t ContractionPlan::getOperandBytes(Value operand, bool isInPlace) const {
  if (isInPlace || keepsElements(operand))
    return getElementBytes(operand.getType());
  return pair == 2 ? 2 : computeBytes;
}

SizeExpr ContractionPlan::getRowRoom(SizeExpr rows) const {
  return computeRowRoom(*this, rows);
}

SizeExpr ContractionPlan::getPanelRoom(SizeExpr points) const {
  return computePanelRoom(*this, points);
}

SizeExpr ContractionPlan::getAccumulatorRoom(SizeExpr rows) const {
  return computeAccumulatorRoom(*this, rows);
}

SizeExpr ContractionPlan::getTaskBytes(SizeExpr rows, SizeExpr points) const {
  return computeTaskBytes(*this, rows, points);
}

int64_t ContractionPlan::getTaskBytes(int64_t rows, int64_t points) const {
  return computeTaskBytes(*this, rows, points);
}

// Half, as the kernel's inputs and later values are often in the arena together
// with what it writes.
SizeExpr tc::getTasksBytes(SizeExpr written) { return written.floorDiv(2); }

int64_t tc::getTasksBytes(int64_t written) { return written / 2; }

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Decides the blocks of reduced points. False where an inner size is not
/// constant or 0, or where AMX cannot divide the points into whole rows of tile
/// registers.
static bool planReduced(KernelOp kernel, ContractionPlan &plan) {
  ArrayRef<unsigned> reduced = plan.roles.reduced;
  plan.innerPoints = 1;
  for (unsigned dim : reduced.drop_front(reduced.empty() ? 0 : 1)) {
    auto size = kernel.getDimSize(dim).getConstant();
    if (!size || *size == 0)
      return false;
    plan.innerPoints *= *size;
  }
  plan.firstBlock = 1;
  plan.isOneBlock = true;
  if (reduced.empty())
    return true;
  int64_t most = std::max<int64_t>(1, plan.tile.reduced / plan.innerPoints);
  // Half a pair may end rows that are read in place and a panel that the block
  // packs; a block of a panel that is packed ahead begins at a whole pair.
  bool mayEndAnywhere = plan.inPlaceRowStride && !plan.isPackedAhead;
  int64_t unit = plan.usesTiles   ? getTileUnit(plan.innerPoints)
                 : mayEndAnywhere ? 1
                                  : plan.pair;
  plan.firstBlock = llvm::alignTo(most, unit);
  auto size = kernel.getDimSize(reduced.front()).getConstant();
  plan.isOneBlock = size && (*size <= plan.firstBlock || plan.sumsVectors());
  if (plan.isOneBlock)
    plan.firstBlock = *size;
  if (plan.sumsVectors()) {
    // Rows in place are of any number of points; room for packed ones is not.
    if (!size)
      plan.firstBlock = 1;
    plan.isOneBlock = size || plan.inPlaceRowStride;
    plan.mayEndInHalfPair = false;
    return plan.isOneBlock;
  }
  auto isOdd = [&](int64_t points) {
    return points * plan.innerPoints % 2 != 0;
  };
  plan.mayEndInHalfPair = plan.inPlaceRowStride && plan.pair == 2 &&
                          (isOdd(plan.firstBlock) || isOdd(size.value_or(1)));
  return !plan.usesTiles || (size && *size > 0 && *size % unit == 0);
}

/// Decides how many blocks a panel has. Several are in one where rows are read
/// in place by vectors, and each begins at a whole pair.
static void planPanelBlocks(KernelOp kernel, ContractionPlan &plan) {
  bool mayHaveSeveral = plan.inPlaceRowStride && plan.packsPanels() &&
                        !plan.usesTiles && !plan.sumsVectors() &&
                        !plan.isOneBlock && plan.blockPoints() % plan.pair == 0;
  plan.panelBlocks = mayHaveSeveral ? plan.tile.panelBlocks : 1;
  plan.isOnePanel = plan.isOneBlock;
  if (!mayHaveSeveral)
    return;
  int64_t first = plan.firstBlock;
  auto size = kernel.getDimSize(plan.roles.reduced.front()).getConstant();
  if (!size)
    return;
  int64_t blocks = llvm::divideCeil(*size, first);
  plan.panelBlocks = std::min(plan.panelBlocks, blocks);
  plan.isOnePanel = plan.panelBlocks == blocks;
}

/// Whether registers hold the accumulators of a tile, and a thread's stack what
/// is packed.
static bool isSmallEnough(const ContractionPlan &plan) {
  int64_t bytes = plan.pair == 2 ? 2 : plan.computeBytes;
  return (plan.usesTiles ||
          plan.tile.countAccumulators(plan.width) <= kMostAccumulators) &&
         (plan.inPlaceRowStride ||
          computeRowRoom(plan, plan.tile.blockRows) * bytes <=
              kMostPackedBytes) &&
         (plan.inPlacePanelStride ||
          int64_t(llvm::alignTo(plan.panelPoints(), plan.pair * plan.width)) *
                  plan.panelStride() * bytes <=
              kMostPackedBytes) &&
         plan.accumulatorRows() * plan.accumulatorStride() * 4 <=
             kMostPackedBytes;
}

/// The stride of the panel operand where the plan's tile reads it in place, as
/// `inPlacePanelStride`; nothing where it cannot be read so.
static std::optional<int64_t> findPanelStride(KernelOp kernel,
                                              const ContractionPlan &plan) {
  const ContractionRoles &roles = plan.roles;
  bool alongPoints = plan.sumsVectors();
  ArrayRef<unsigned> along =
                         alongPoints ? roles.reduced : ArrayRef(roles.lanes),
                     across = alongPoints ? ArrayRef(roles.lanes)
                                          : ArrayRef(roles.reduced);
  // Pairs of bf16 are in one lane; whole vectors of lanes are there to be read.
  auto lanes = countPoints(kernel, roles.lanes);
  if (plan.isPackedAhead ||
      (alongPoints ? plan.tile.lanes > plan.width
                   : plan.pair == 2 || !lanes || *lanes < plan.tile.lanes))
    return std::nullopt;
  ReadOp read = getLinearRead(kernel, roles.panel, along);
  if (!read)
    return std::nullopt;
  std::optional<SizeExpr> stride = getFlatStride(kernel, read, across);
  auto elements = stride ? stride->getConstant() : std::nullopt;
  if (!elements || *elements < 0 ||
      *elements > std::numeric_limits<int32_t>::max() / kMostWidth)
    return std::nullopt;
  return elements;
}

std::optional<ContractionPlan>
tc::completePlan(KernelOp kernel, ContractionPlan plan, bool keepsRows) {
  ContractionTile &tile = plan.tile;
  tile.blockRows = llvm::alignTo(tile.blockRows, tile.rows);
  tile.blockLanes = llvm::alignTo(tile.blockLanes, tile.lanes);
  plan.inPlaceRowStride.reset();
  if (!keepsRows)
    plan.inPlaceRowStride = plan.roles.getInPlaceRowStride(
        kernel, tile.rows, plan.pair == 2, plan.usesTiles,
        plan.widensInMultiplyAdds);
  plan.inPlacePanelStride.reset();
  if (tile.panel != PanelKind::Packed) {
    plan.inPlacePanelStride = findPanelStride(kernel, plan);
    if (!plan.inPlacePanelStride)
      return std::nullopt;
  }
  if (!planReduced(kernel, plan)) {
    // Vectors multiply points that do not fill rows of tile registers.
    if (!std::exchange(plan.usesTiles, false) || !planReduced(kernel, plan))
      return std::nullopt;
  }
  planPanelBlocks(kernel, plan);
  if (!isSmallEnough(plan))
    return std::nullopt;
  return plan;
}

bool tc::readsAlongReduced(KernelOp kernel, Value operand, unsigned vectorDim,
                           ArrayRef<unsigned> reduced) {
  if (getLinearRead(kernel, operand, reduced))
    return true;
  if (reduced.size() != 1)
    return false;
  bool along = false, across = false;
  SmallVector<Value> worklist{operand};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    llvm::append_range(worklist, op->getOperands());
    auto read = dyn_cast<ReadOp>(op);
    if (!read)
      continue;
    auto isOne = [&](unsigned dim) {
      auto stride = getElementStride(
          cast<ShapedType>(read.getSource().getType()), read.getMap(), dim);
      return stride && stride->isConstant(1);
    };
    along |= isOne(vectorDim);
    across |= isOne(reduced.back());
  }
  return across && !along;
}

bool tc::readsAlongRows(KernelOp kernel, const ContractionRoles &roles) {
  return roles.reduced.size() == 1 && !roles.rows.empty() &&
         readsAlongReduced(kernel, roles.rowOperand, roles.reduced.front(),
                           roles.rows);
}

int64_t tc::getVectorWidth(const ContractionRoles &roles,
                           const MachineModel &machine) {
  Type result = ContractStageOp(roles.stage).getResult().getType();
  return std::max<int64_t>(1,
                           machine.vectorBits / 8 /
                               std::max<int64_t>(4, getElementBytes(result)));
}

ContractionPlan tc::startPlan(KernelOp kernel, const ContractionRoles &roles,
                              const ContractionTile &tile, int64_t width,
                              bool hasBF16Dot, bool hasBF16Tiles) {
  ContractionPlan plan;
  plan.roles = roles;
  plan.tile = tile;
  plan.width = width;
  if (!tile.sumsVectors())
    plan.tile.lanes = llvm::alignTo(tile.lanes, width);
  ContractStageOp stage = roles.stage;
  plan.computeBytes =
      std::max<int64_t>(4, getElementBytes(stage.getResult().getType()));
  plan.storesMasked = width * plan.computeBytes == kLineBytes;
  plan.packsAcross =
      readsAlongReduced(kernel, roles.panel, roles.vectorDim, roles.reduced);
  plan.packsRowsAcross = width > 1 && readsAlongRows(kernel, roles);
  if (hasBF16Dot && width == 16 && multipliesBF16(stage)) {
    plan.pair = 2;
    plan.usesTiles = hasBF16Tiles && fitsTileRegisters(plan.tile);
  }
  plan.widensInMultiplyAdds = tile.sumsVectors() && plan.pair == 1;
  return plan;
}

std::optional<ContractionPlan> tc::planTile(KernelOp kernel,
                                            const ContractionRoles &roles,
                                            const MachineModel &machine,
                                            const ContractionTile &tile,
                                            bool isPackedAhead) {
  ContractionPlan plan =
      startPlan(kernel, roles, tile, getVectorWidth(roles, machine),
                machine.hasBF16Dot, machine.hasBF16Tiles);
  plan.isPackedAhead = isPackedAhead;
  return completePlan(
      kernel, plan,
      roles.mayBeWrittenOverRows(kernel, plan.tile.lanes, !isPackedAhead));
}

std::optional<ContractionPlan>
tc::planFewTile(KernelOp kernel, const ContractionPlan &plan,
                ContractionTile tile, bool writesOver, bool keepsRows) {
  ContractionPlan few = plan;
  few.tile = tile;
  few.widensInMultiplyAdds = plan.pair == 1;
  few.usesTiles = false;
  // Rows that results overwrite are packed before, for all lanes.
  if (writesOver) {
    few.tile.reduced = plan.tile.reduced;
    few.tile.blockLanes = plan.tile.blockLanes;
  }
  if ((writesOver || plan.isPackedAhead) && !tile.sumsVectors())
    few.tile.lanes = plan.tile.lanes;
  // Fewer lanes than a register has use a part of it, of at least 2 lanes.
  if (tile.sumsVectors())
    return completePlan(kernel, few, keepsRows);
  if (plan.pair == 1)
    few.width = std::min<int64_t>(
        plan.width, std::max<int64_t>(2, llvm::PowerOf2Ceil(few.tile.lanes)));
  few.tile.lanes = llvm::alignTo(few.tile.lanes, few.width);
  return completePlan(kernel, few, keepsRows);
}

/// Whether calls of some sizes have fewer multiply-adds than `least`, and take
/// more of a task's stack than `getTasksBytes` of what they write. Sizes that
/// are not constants may be so where they have a tile of their own.
static bool mayBeSmall(KernelOp kernel, const ContractionPlan &plan,
                       bool hasFewTile, int64_t least) {
  auto rows = countPoints(kernel, plan.roles.rows),
       lanes = countPoints(kernel, plan.roles.lanes),
       batches = countPoints(kernel, plan.roles.batches),
       points = countPoints(kernel, plan.roles.reduced);
  if (!rows || !lanes || !batches || !points)
    return hasFewTile;
  if (double(*rows) * double(*lanes) * double(*batches) * double(*points) >=
      double(least))
    return false;
  int64_t written = *rows * *lanes * *batches, bytes = 0;
  for (auto write : kernel.getBodyBlock().getOps<WriteOp>())
    bytes += getElementBytes(write.getValue().getType());
  return hasFewTile ||
         plan.getTaskBytes(*rows, *points) > getTasksBytes(written * bytes);
}

int64_t tc::choosePointsBelow(KernelOp kernel, const ContractionRoles &roles,
                              const MachineModel &machine,
                              const ContractionTile &tile,
                              ContractionTileAttr fewTile) {
  // Fewer multiply-adds take less time than packing their operands.
  constexpr int64_t kLeastPacked = 8192;
  // A product of vectors has no rows that would share a packed panel.
  if (roles.rows.empty())
    return kAllCalls;
  auto plan = planTile(kernel, roles, machine, tile, /*isPackedAhead=*/false);
  if (!plan ||
      (fewTile && !planFewTile(kernel, *plan, ContractionTile::get(fewTile),
                               /*writesOver=*/false, /*keepsRows=*/false)))
    return kAllCalls;
  bool mayGoByPoints = roles.panel.getDefiningOp<ReadOp>() &&
                       roles.rowOperand.getDefiningOp<ReadOp>();
  return mayGoByPoints && mayBeSmall(kernel, *plan, bool(fewTile), kLeastPacked)
             ? kLeastPacked
             : 0;
}

int64_t tc::chooseFetchParts(KernelOp kernel, const ContractionRoles &roles,
                             const MachineModel &machine,
                             const ContractionTile &tile,
                             ContractionTileAttr fewTile, bool packsPanel) {
  if (tile.sumsVectors())
    return std::min(tile.lanes, tile.blockRows / tile.rows);
  if (packsPanel)
    return fewTile && ContractionTile::get(fewTile).sumsVectors() ? 1 : 0;
  // Less of the time of multiplying is hidden by what else a core does.
  constexpr double kLeastShare = 1.0 / 8;
  // Measured: with eight tiles for a panel, calls took longer, not shorter.
  constexpr int64_t kMostTiles = 4;
  auto plan = planTile(kernel, roles, machine, tile, /*isPackedAhead=*/true);
  // AMX reads whole rows of memory far enough ahead.
  if (!plan || plan->usesTiles)
    return 0;
  auto estimate = [&](ArrayRef<unsigned> dims) {
    double points = 1;
    for (unsigned dim : dims)
      points *= estimateSize(kernel, kernel.getDimSize(dim));
    return points;
  };
  double rows = std::max(estimate(roles.rows), 1.0),
         bytes = double(plan->getPanelBytes()),
         reading = bytes / machine.unitBandwidth,
         multiplying = 2 * rows / machine.unitRate;
  // Where the core's cache has all panels, calls find them there.
  if (estimate(roles.lanes) * estimate(roles.reduced) * bytes <=
          double(machine.onChipBytes) ||
      reading < kLeastShare * multiplying)
    return 0;
  auto tiles = static_cast<int64_t>(
      std::ceil(std::min(rows, double(plan->tile.blockRows)) / tile.rows));
  if (tiles > kMostTiles)
    return 0;
  return countPoints(kernel, roles.rows) ? tiles : 1;
}
