//===- ContractionKernel.cpp - Contractions in register tiles -------------===//

#include "ContractionBlocks.h"
#include "KernelEmitters.h"
#include "MatrixTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
/// A launch: its blocks by one plan, by another where the symbolic sizes come
/// to so few points that one tile would be larger than what is written, and
/// point by point, with nothing staged, where hardly anything is multiplied.
class ContractionLaunch {
public:
  ContractionLaunch(CPUFrame &frame, const ContractionPlan &plan);
  FailureOr<LaunchShape> emit();

private:
  SizeExpr constant(int64_t value) const {
    return SizeExpr::constant(frame.kernel.getContext(), value);
  }
  SizeExpr getPoints(ArrayRef<unsigned> dims) const;
  int64_t getTileBytes() const;
  SizeExpr areMany() const;
  bool mayGoByPoints() const;
  LaunchShape emitBlocks();
  ContractionScratch allocate();
  void emitMany(ContractionScratch scratch);
  void emitFew(ContractionScratch scratch);
  void
  emitIterations(llvm::function_ref<void(Scope &, ContractionBlock)> emitBlock);

  CPUFrame &frame;
  const ContractionPlan &plan;
  Type compute;
  std::optional<ContractionPlan> few;
  SizeExpr rows, lanes, batches; ///< points of the dimensions
  SizeExpr written;              ///< bytes
  SizeExpr products;
  SizeExpr rowBlocks, laneBlocks;
  SizeExpr byBlocks; ///< 1 where blocks are computed, 0 where points
  SizeExpr many;     ///< 1 where `plan` is to be used, 0 where `few`
};
} // namespace

/// `yes` where the size is 1, `no` where it is 0.
static void emitEither(KernelFrame &frame, SizeExpr condition,
                       llvm::function_ref<void()> yes,
                       llvm::function_ref<void()> no) {
  OpBuilder::InsertionGuard guard(frame.builder);
  Value holds =
      arith::CmpIOp::create(frame.builder, frame.loc, arith::CmpIPredicate::ne,
                            frame.size(condition), frame.constant(0));
  auto either = scf::IfOp::create(frame.builder, frame.loc, holds,
                                  /*withElseRegion=*/true);
  frame.builder.setInsertionPoint(either.thenYield());
  yes();
  frame.builder.setInsertionPoint(either.elseYield());
  no();
}

SizeExpr ContractionLaunch::getPoints(ArrayRef<unsigned> dims) const {
  SizeExpr points = constant(1);
  for (unsigned dim : dims)
    points = points.mul(frame.kernel.getDimSize(dim));
  return points;
}

ContractionLaunch::ContractionLaunch(CPUFrame &frame,
                                     const ContractionPlan &plan)
    : frame(frame), plan(plan),
      compute(getComputeType(
          ContractStageOp(plan.roles.stage).getResult().getType())),
      rows(getPoints(plan.roles.rows)), lanes(getPoints(plan.roles.lanes)),
      batches(getPoints(plan.roles.batches)),
      written(getWrittenBytes(frame.kernel, rows.mul(lanes).mul(batches))),
      products(rows.mul(lanes).mul(batches).mul(getPoints(plan.roles.reduced))),
      rowBlocks(rows.ceilDiv(constant(plan.tile.blockRows))),
      laneBlocks(lanes.ceilDiv(constant(plan.tile.blockLanes))),
      byBlocks(constant(1)) {
  many = areMany();
  if (!many.isConstant())
    few = planFewPoints(
        plan, /*mayNarrow=*/!frame.kernel->hasAttr(kWritesOverInputAttr));
  if (!few)
    many = constant(1);
}

/// Bytes of the stack that are to be small beside what is written: of rows that
/// are read where they lie, sums, and no more than these again of a panel.
int64_t ContractionLaunch::getTileBytes() const {
  // What larger blocks need grows with what they write.
  constexpr int64_t kMostSums = 1024;
  int64_t tile = plan.tile.rows * plan.tile.lanes,
          block = plan.sumRows() * plan.sumStride(),
          point = getElementBytes(plan.staged);
  int64_t sums =
      std::max(tile, std::min(block, kMostSums)) * getElementBytes(compute);
  int64_t panel =
      plan.isPackedAhead ? 0 : plan.paddedPoints() * plan.panelStride() * point;
  if (plan.rowsApart)
    return sums + std::min(sums, panel);
  return sums + panel + plan.tile.rows * plan.rowStride() * point;
}

/// 1 where what is written is no less than what a tile takes, and whole tiles
/// of rows can be read where they lie.
SizeExpr ContractionLaunch::areMany() const {
  if (written.isConstant())
    return constant(1);
  SizeExpr enough = reaches(written, getTileBytes());
  return plan.rowsApart ? enough.mul(reaches(rows, plan.tile.rows)) : enough;
}

ContractionScratch ContractionLaunch::allocate() {
  // What `sizeOf` says of the plan that is used.
  auto allocate =
      [&](Type type,
          llvm::function_ref<SizeExpr(const ContractionPlan &)> sizeOf) {
        SizeExpr room = sizeOf(plan);
        if (few)
          room = room.sub(sizeOf(*few)).mul(many).add(sizeOf(*few));
        return frame.allocateScratch(type, room.mul(byBlocks));
      };
  // No more rows than there are, in whole tiles.
  auto countRows = [&](const ContractionPlan &used, int64_t most) {
    return rows.ceilDiv(constant(used.tile.rows))
        .mul(used.tile.rows)
        .min(constant(most));
  };
  ContractionScratch scratch;
  if (!plan.rowsApart)
    scratch.rows = allocate(plan.staged, [&](const ContractionPlan &used) {
      return countRows(used, used.tile.blockRows).mul(used.rowStride());
    });
  if (!plan.isPackedAhead)
    scratch.panel = allocate(plan.staged, [&](const ContractionPlan &used) {
      return getPanelPoints(frame, used).mul(used.panelStride());
    });
  scratch.sums = allocate(compute, [&](const ContractionPlan &used) {
    return countRows(used, used.sumRows()).mul(used.sumStride());
  });
  return scratch;
}

void ContractionLaunch::emitIterations(
    llvm::function_ref<void(Scope &, ContractionBlock)> emitBlock) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  Scope root(frame);
  emitSteps(
      frame, root, frame.begin, frame.end, 1,
      [&](Scope &scope, Value iteration) {
        auto split = [&](Value number, SizeExpr radix) {
          Value size = frame.size(radix);
          Value rest = arith::DivUIOp::create(builder, loc, number, size);
          return std::pair(rest, frame.sub(number, frame.mul(rest, size)));
        };
        auto [afterLanes, laneBlock] = split(iteration, laneBlocks);
        auto [batch, rowBlock] = split(afterLanes, rowBlocks);
        bindDigits(frame, scope, plan.roles.batches, batch);
        auto range = [&](Value number, int64_t size, SizeExpr end) {
          Value low = frame.mul(number, frame.constant(size));
          Value high = arith::MinSIOp::create(
              builder, loc, frame.add(low, frame.constant(size)),
              frame.size(end));
          return std::pair(low, high);
        };
        auto [rowLow, rowHigh] = range(rowBlock, plan.tile.blockRows, rows);
        auto [laneLow, laneHigh] =
            range(laneBlock, plan.tile.blockLanes, lanes);
        emitBlock(scope, {rowLow, rowHigh, laneLow, laneHigh});
      });
}

/// All iterations by the plan for many rows.
void ContractionLaunch::emitMany(ContractionScratch scratch) {
  // By the other plan too few for one tile would be computed.
  int64_t least = few ? plan.tile.rows : rows.getConstant().value_or(0);
  ContractionEmitter emitter(frame, plan, scratch, rows, least);
  if (plan.usesTiles)
    emitTileConfiguration(frame);
  emitIterations([&](Scope &scope, ContractionBlock block) {
    emitter.emitBlock(scope, block);
  });
  if (plan.usesTiles)
    emitTileRelease(frame);
}

void ContractionLaunch::emitFew(ContractionScratch scratch) {
  ContractionEmitter emitter(frame, *few, scratch, rows,
                             rows.getConstant().value_or(0));
  emitIterations([&](Scope &scope, ContractionBlock block) {
    emitter.emitLargerBlock(scope, block);
  });
}

LaunchShape ContractionLaunch::emitBlocks() {
  ContractionScratch scratch = allocate();
  if (few)
    emitEither(
        frame, many, [&] { emitMany(scratch); }, [&] { emitFew(scratch); });
  else
    emitMany(scratch);
  LaunchShape shape;
  shape.count = batches.mul(rowBlocks).mul(laneBlocks);
  SizeExpr block = rows.min(constant(plan.tile.blockRows))
                       .mul(lanes.min(constant(plan.tile.blockLanes)));
  shape.grain = limitPieces(
      getGrain(block.mul(getPoints(plan.roles.reduced)), kGrainProducts),
      shape.count, products, written, getTileBytes());
  return shape;
}

/// Whether sizes decide if panels are staged, of elements that can as well be
/// read where they are needed.
bool ContractionLaunch::mayGoByPoints() const {
  bool isFew = written.isConstant() ? written.getValue() < getTileBytes() ||
                                          getRowElement(plan) != plan.staged
                                    : few.has_value();
  return isFew && !plan.isPackedAhead &&
         !frame.kernel->hasAttr(kWritesOverInputAttr) &&
         plan.roles.panel.getDefiningOp<ReadOp>() &&
         plan.roles.rowOperand.getDefiningOp<ReadOp>();
}

FailureOr<LaunchShape> ContractionLaunch::emit() {
  if (!mayGoByPoints())
    return emitBlocks();
  constexpr int64_t kFewProducts = 8192;
  byBlocks = reaches(products, kFewProducts);
  if (byBlocks.isConstant())
    return byBlocks.isConstant(0) ? emitPointKernel(frame) : emitBlocks();
  LaunchShape blocks;
  FailureOr<LaunchShape> points = failure();
  emitEither(
      frame, byBlocks, [&] { blocks = emitBlocks(); },
      [&] { points = emitPointKernel(frame); });
  if (failed(points))
    return failure();
  auto choose = [&](SizeExpr ofBlocks, SizeExpr ofPoints) {
    return ofBlocks.sub(ofPoints).mul(byBlocks).add(ofPoints);
  };
  return LaunchShape{.count = choose(blocks.count, points->count),
                     .grain = choose(blocks.grain, points->grain)};
}

FailureOr<LaunchShape> tc::emitContractionKernel(CPUFrame &frame,
                                                 const ContractionPlan &plan) {
  return ContractionLaunch(frame, plan).emit();
}
