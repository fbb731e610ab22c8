//===- ContractionKernel.cpp - Contractions in register tiles -------------===//

#include "ContractionKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "ContractionBlocks.h"
#include "MatrixTiles.h"
#include "PointKernel.h"
#include "RegisterTile.h"
#include "TaskSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
/// A launch: its blocks by one plan, by that of the schedule's `few_tile` where
/// the sizes come to so few points, and point by point, with nothing packed,
/// where that takes few multiply-adds.
class ContractionLaunch {
public:
  ContractionLaunch(CPUFrame &frame, const ContractionPlan &plan,
                    const std::optional<ContractionPlan> &few);
  FailureOr<LaunchShape> emit();

private:
  SizeExpr constant(int64_t value) const {
    return SizeExpr::constant(frame.kernel.getContext(), value);
  }
  SizeExpr getPoints(ArrayRef<unsigned> dims) const;
  SizeExpr areMany() const;
  bool mayGoByPoints() const;
  LaunchShape emitBlocks();
  LaunchShape getShape(const ContractionPlan &used) const;
  ContractionScratch allocate();
  SizeExpr countRowBlocks(const ContractionPlan &used) const {
    return rows.ceilDiv(constant(used.tile.blockRows));
  }
  SizeExpr countLaneBlocks(const ContractionPlan &used) const {
    return lanes.ceilDiv(constant(used.tile.blockLanes));
  }
  /// All iterations by `used`, of at least `leastRows` rows.
  void emitAll(const ContractionPlan &used, ContractionScratch scratch,
               int64_t leastRows);
  void
  emitIterations(const ContractionPlan &used,
                 llvm::function_ref<void(Scope &, ContractionBlock)> emitBlock);

  CPUFrame &frame;
  const ContractionPlan &plan;
  Type compute;
  const std::optional<ContractionPlan> &few;
  SizeExpr rows, lanes, batches; ///< points of the dimensions
  SizeExpr written;              ///< bytes
  SizeExpr points;               ///< reduced points
  SizeExpr multiplyAdds;         ///< of the launch
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

static ContractionScheduleAttr getSchedule(KernelFrame &frame) {
  return cast<ContractionScheduleAttr>(frame.kernel.getScheduleAttr());
}

ContractionLaunch::ContractionLaunch(CPUFrame &frame,
                                     const ContractionPlan &plan,
                                     const std::optional<ContractionPlan> &few)
    : frame(frame), plan(plan),
      compute(getComputeType(
          ContractStageOp(plan.roles.stage).getResult().getType())),
      few(few), rows(getPoints(plan.roles.rows)),
      lanes(getPoints(plan.roles.lanes)),
      batches(getPoints(plan.roles.batches)),
      written(getWrittenBytes(frame.kernel, rows.mul(lanes).mul(batches))),
      points(getPoints(plan.roles.reduced)),
      multiplyAdds(rows.mul(lanes).mul(batches).mul(points)),
      byBlocks(constant(1)) {
  many = few ? areMany() : constant(1);
}

/// 1 where the call writes at least `few_below` bytes, and has at least one
/// tile of rows where these are read in place; 0 otherwise.
SizeExpr ContractionLaunch::areMany() const {
  SizeExpr enough = reaches(written, getSchedule(frame).getFewBelow());
  return plan.inPlaceRowStride ? enough.mul(reaches(rows, plan.tile.rows))
                               : enough;
}

ContractionScratch ContractionLaunch::allocate() {
  using SizeOf = llvm::function_ref<SizeExpr(const ContractionPlan &)>;
  // What `sizeOf` says of the plan that is used, in elements that may be
  // narrower for few points.
  auto allocate = [&](Type type, Type fewType, SizeOf sizeOf) {
    int64_t bytes = getElementBytes(type), fewBytes = getElementBytes(fewType);
    Type unit = fewBytes < bytes ? fewType : type;
    auto inUnits = [&](const ContractionPlan &used, int64_t elementBytes) {
      return sizeOf(used).mul(elementBytes / getElementBytes(unit));
    };
    SizeExpr room = inUnits(plan, bytes);
    if (few) {
      SizeExpr fewRoom = inUnits(*few, fewBytes);
      room = room.sub(fewRoom).mul(many).add(fewRoom);
    }
    return frame.allocateScratch(unit, room.mul(byBlocks));
  };
  const ContractionPlan &other = few ? *few : plan;
  ContractionScratch scratch;
  if (!plan.inPlaceRowStride || !other.inPlaceRowStride)
    scratch.rows = allocate(getRowElement(plan), getRowElement(other),
                            [&](const ContractionPlan &used) {
                              return used.inPlaceRowStride
                                         ? constant(0)
                                         : used.getRowRoom(rows);
                            });
  if (plan.packsPanels() || other.packsPanels())
    scratch.panel = allocate(getPanelElement(plan), getPanelElement(other),
                             [&](const ContractionPlan &used) {
                               return used.packsPanels()
                                          ? used.getPanelRoom(points)
                                          : constant(0);
                             });
  scratch.accumulators =
      allocate(compute, compute, [&](const ContractionPlan &used) {
        return used.getAccumulatorRoom(rows);
      });
  return scratch;
}

void ContractionLaunch::emitIterations(
    const ContractionPlan &used,
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
        auto [afterLanes, laneBlock] = split(iteration, countLaneBlocks(used));
        auto [batch, rowBlock] = split(afterLanes, countRowBlocks(used));
        bindDigits(frame, scope, plan.roles.batches, batch);
        auto range = [&](Value number, int64_t size, SizeExpr end) {
          Value low = frame.mul(number, frame.constant(size));
          Value high = arith::MinSIOp::create(
              builder, loc, frame.add(low, frame.constant(size)),
              frame.size(end));
          return std::pair(low, high);
        };
        auto [rowLow, rowHigh] = range(rowBlock, used.tile.blockRows, rows);
        auto [laneLow, laneHigh] =
            range(laneBlock, used.tile.blockLanes, lanes);
        emitBlock(scope, {rowLow, rowHigh, laneLow, laneHigh});
      });
}

void ContractionLaunch::emitAll(const ContractionPlan &used,
                                ContractionScratch scratch, int64_t leastRows) {
  ContractionEmitter emitter(frame, used, scratch, rows, leastRows);
  if (used.usesTiles)
    emitTileConfiguration(frame);
  emitIterations(used, [&](Scope &scope, ContractionBlock block) {
    emitter.emitBlock(scope, block);
  });
  if (used.usesTiles)
    emitTileRelease(frame);
}

LaunchShape ContractionLaunch::getShape(const ContractionPlan &used) const {
  LaunchShape shape;
  shape.count = batches.mul(countRowBlocks(used)).mul(countLaneBlocks(used));
  SizeExpr block = rows.min(constant(used.tile.blockRows))
                       .mul(lanes.min(constant(used.tile.blockLanes)));
  shape.grain = limitTasks(
      getGrain(block.mul(points), getSchedule(frame).getTaskMultiplyAdds()),
      shape.count,
      multiplyAdds.floorDiv(
          constant(getSchedule(frame).getStackMultiplyAdds())),
      used.getTaskBytes(rows, points), getTasksBytes(written));
  return shape;
}

/// The shape `yes` where the size is 1, `no` where it is 0.
static LaunchShape chooseShape(SizeExpr condition, const LaunchShape &yes,
                               const LaunchShape &no) {
  auto choose = [&](SizeExpr a, SizeExpr b) {
    return a.sub(b).mul(condition).add(b);
  };
  return LaunchShape{.count = choose(yes.count, no.count),
                     .grain = choose(yes.grain, no.grain)};
}

LaunchShape ContractionLaunch::emitBlocks() {
  ContractionScratch scratch = allocate();
  // By the other plan too few for one tile would be computed.
  int64_t leastRows = few && !rows.isConstant()
                          ? plan.tile.rows
                          : rows.getConstant().value_or(0);
  auto emitMany = [&] { emitAll(plan, scratch, leastRows); };
  auto emitFew = [&] {
    emitAll(*few, scratch, rows.getConstant().value_or(0));
  };
  if (many.isConstant(0))
    emitFew();
  else if (many.isConstant())
    emitMany();
  else
    emitEither(frame, many, emitMany, emitFew);
  if (few)
    return chooseShape(many, getShape(plan), getShape(*few));
  return getShape(plan);
}

/// Whether calls of few multiply-adds are computed point by point.
bool ContractionLaunch::mayGoByPoints() const {
  return getSchedule(frame).getPointsBelow() > 0 && !plan.isPackedAhead &&
         !frame.kernel.getWritesOverInput().has_value();
}

FailureOr<LaunchShape> ContractionLaunch::emit() {
  if (!mayGoByPoints())
    return emitBlocks();
  byBlocks = reaches(multiplyAdds, getSchedule(frame).getPointsBelow());
  if (byBlocks.isConstant())
    return byBlocks.isConstant(0) ? emitPointKernel(frame) : emitBlocks();
  LaunchShape blocks;
  FailureOr<LaunchShape> points = failure();
  emitEither(
      frame, byBlocks, [&] { blocks = emitBlocks(); },
      [&] { points = emitPointKernel(frame); });
  if (failed(points))
    return failure();
  return chooseShape(byBlocks, blocks, *points);
}

FailureOr<LaunchShape>
tc::emitContractionKernel(CPUFrame &frame, const ContractionPlan &plan,
                          const std::optional<ContractionPlan> &few) {
  return ContractionLaunch(frame, plan, few).emit();
}
