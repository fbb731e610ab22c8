//===- ContractionKernel.cpp - Contractions in register tiles -------------===//

#include "ContractionBlocks.h"
#include "KernelEmitters.h"
#include "MatrixTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
/// A launch: its blocks by one plan, and by another where the symbolic sizes
/// come to so few points that one tile would be larger than what is written.
class ContractionLaunch {
public:
  ContractionLaunch(KernelFrame &frame, const ContractionPlan &plan);
  LaunchShape emit();

private:
  SizeExpr constant(int64_t value) const {
    return SizeExpr::constant(frame.kernel.getContext(), value);
  }
  SizeExpr getPoints(ArrayRef<unsigned> dims) const;
  int64_t getTileBytes() const;
  SizeExpr areMany() const;
  ContractionScratch allocate();
  void emitMany(ContractionScratch scratch);
  void emitFew(ContractionScratch scratch);
  void
  emitIterations(llvm::function_ref<void(Scope &, ContractionBlock)> emitBlock);

  KernelFrame &frame;
  const ContractionPlan &plan;
  Type compute;
  std::optional<ContractionPlan> few;
  SizeExpr rows, lanes, batches; ///< points of the dimensions
  SizeExpr written;              ///< bytes
  SizeExpr rowBlocks, laneBlocks;
  SizeExpr many; ///< 1 where `plan` is to be used, 0 where `few`
};
} // namespace

SizeExpr ContractionLaunch::getPoints(ArrayRef<unsigned> dims) const {
  SizeExpr points = constant(1);
  for (unsigned dim : dims)
    points = points.mul(frame.kernel.getDimSize(dim));
  return points;
}

ContractionLaunch::ContractionLaunch(KernelFrame &frame,
                                     const ContractionPlan &plan)
    : frame(frame), plan(plan),
      compute(getComputeType(
          ContractStageOp(plan.roles.stage).getResult().getType())),
      rows(getPoints(plan.roles.rows)), lanes(getPoints(plan.roles.lanes)),
      batches(getPoints(plan.roles.batches)),
      written(getWrittenBytes(frame.kernel, rows.mul(lanes).mul(batches))),
      rowBlocks(rows.ceilDiv(constant(plan.tile.blockRows))),
      laneBlocks(lanes.ceilDiv(constant(plan.tile.blockLanes))) {
  many = areMany();
  if (!many.isConstant())
    few = planFewRows(plan);
  if (!few)
    many = constant(1);
}

/// Bytes that a tile takes of the stack; of panels, no more than of the rest.
int64_t ContractionLaunch::getTileBytes() const {
  int64_t bytes = plan.tile.rows * plan.tile.lanes * getElementBytes(compute);
  int64_t panel = plan.isPackedAhead
                      ? 0
                      : plan.paddedPoints() * plan.panelStride() *
                            getElementBytes(plan.staged);
  return bytes + std::min(bytes, panel);
}

/// 1 where what is written is no less than what a tile takes, and whole tiles
/// of rows can be read where they lie.
SizeExpr ContractionLaunch::areMany() const {
  if (written.isConstant())
    return constant(1);
  int64_t staged = plan.rowsApart ? 0
                                  : plan.tile.rows * plan.rowStride() *
                                        getElementBytes(plan.staged);
  SizeExpr enough = isAtLeast(written, getTileBytes() + staged);
  return plan.rowsApart ? enough.mul(isAtLeast(rows, plan.tile.rows)) : enough;
}

ContractionScratch ContractionLaunch::allocate() {
  // Of many rows, no more than there are, in whole tiles.
  auto allocate = [&](Type type, int64_t most, int64_t stride, int64_t least) {
    SizeExpr tiles = rows.ceilDiv(constant(plan.tile.rows)),
             room = tiles.mul(plan.tile.rows).min(constant(most)).mul(stride);
    if (few)
      room = room.sub(constant(least)).mul(many).add(least);
    return frame.allocateScratch(type, room);
  };
  ContractionScratch scratch;
  if (!plan.rowsApart)
    scratch.rows = allocate(plan.staged, plan.tile.blockRows, plan.rowStride(),
                            few ? few->tile.blockRows * few->rowStride() : 0);
  if (!plan.isPackedAhead)
    scratch.panel = frame.allocateScratch(
        plan.staged, getPanelPoints(frame, plan) * plan.panelStride());
  ContractStageOp stage = plan.roles.stage;
  scratch.sums =
      allocate(getComputeType(stage.getResult().getType()), plan.sumRows(),
               plan.sumStride(), few ? few->sumRows() * few->sumStride() : 0);
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

LaunchShape ContractionLaunch::emit() {
  auto &builder = frame.builder;
  ContractionScratch scratch = allocate();
  if (few) {
    OpBuilder::InsertionGuard guard(builder);
    Value usesMany =
        arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::ne,
                              frame.size(many), frame.constant(0));
    auto plans = scf::IfOp::create(builder, frame.loc, usesMany,
                                   /*withElseRegion=*/true);
    builder.setInsertionPoint(plans.thenYield());
    emitMany(scratch);
    builder.setInsertionPoint(plans.elseYield());
    emitFew(scratch);
  } else {
    emitMany(scratch);
  }
  LaunchShape shape;
  shape.count = batches.mul(rowBlocks).mul(laneBlocks);
  SizeExpr block = rows.min(constant(plan.tile.blockRows))
                       .mul(lanes.min(constant(plan.tile.blockLanes)));
  shape.grain = limitPieces(
      getGrain(block.mul(getPoints(plan.roles.reduced)), kGrainProducts),
      shape.count, written, getTileBytes());
  return shape;
}

LaunchShape tc::emitContractionKernel(KernelFrame &frame,
                                      const ContractionPlan &plan) {
  return ContractionLaunch(frame, plan).emit();
}
