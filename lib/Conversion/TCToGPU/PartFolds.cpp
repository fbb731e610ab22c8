//===- PartFolds.cpp - Blocks that share folds ----------------------------===//

#include "PartFolds.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

/// The scope of what threads of one device agree on, as LLVM names it.
static constexpr const char *kDevice = "device";

LaunchShape PartFolds::getShape() const {
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.count = plan.getBlocks();
  shape.grain = SizeExpr::constant(frame.builder.getContext(), 1);
  shape.usesCounters = true;
  return shape;
}

/// Whether (i1) all other blocks of the group have left their folds in the
/// workspace: each counts itself, and the one that comes to as many as there
/// are sets the counter back to 0. A group of one part needs no counter, and
/// may be one of many.
Value PartFolds::emitIsLast() {
  auto &b = frame.builder;
  Location loc = frame.loc;
  constexpr int64_t kCounterBytes = sizeof(uint32_t);
  Type i32 = b.getI32Type();
  Value before = frame.allocateShared(kCounterBytes);
  Value last = arith::TruncIOp::create(
      b, loc, i32, frame.sub(frame.size(plan.parts), frame.constant(1)));
  // What a thread has stored is there for whoever sees the block counted.
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, kDevice);
  gpu::BarrierOp::create(b, loc);
  auto isEqual = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
  };
  auto countBlock = [&](OpBuilder &b, Location loc) {
    Value counter = LLVM::GEPOp::create(b, loc, frame.counters.getType(), i32,
                                        frame.counters, ValueRange{group});
    Value counted = LLVM::AtomicRMWOp::create(
        b, loc, LLVM::AtomicBinOp::uinc_wrap, counter, last,
        LLVM::AtomicOrdering::monotonic, kDevice, kCounterBytes);
    scf::YieldOp::create(b, loc, counted);
  };
  scf::IfOp::create(b, loc, frame.isZero(frame.threadNumber),
                    [&](OpBuilder &b, Location loc) {
                      Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
                      auto counted = scf::IfOp::create(
                          b, loc, isEqual(last, zero),
                          [&](OpBuilder &b, Location loc) {
                            scf::YieldOp::create(b, loc, zero);
                          },
                          countBlock);
                      LLVM::StoreOp::create(b, loc, counted.getResult(0),
                                            before, kCounterBytes);
                      scf::YieldOp::create(b, loc);
                    });
  gpu::BarrierOp::create(b, loc);
  return isEqual(LLVM::LoadOp::create(b, loc, i32, before, kCounterBytes),
                 last);
}

void PartFolds::emitTwice(Scope &scope, Value block, Body body) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value parts = frame.size(plan.parts);
  group = arith::DivUIOp::create(b, loc, block, parts);
  part = frame.sub(block, frame.mul(group, parts));
  Scope ofPart(scope, Scope::Detached());
  body(ofPart, group);
  emitWhen(frame, scope, emitIsLast(), [&](Scope &inner) {
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, kDevice);
    part = nullptr;
    Scope ofAll(inner, Scope::Detached());
    body(ofAll, group);
  });
}

void PartFolds::emitColumn(PointEmitter &points, Scope &scope, Value column) {
  WorkerTeam &team = *points.team;
  if (!part) {
    points.keptStates = [&](Operation *stage, ValueRange init,
                            WorkerTeam::Combine combine) {
      return fold(team, scope, stage, init, column, combine);
    };
    emitWrites(points, scope);
    return;
  }
  points.parts = frame.size(plan.parts);
  points.part = part;
  points.keepStates = [&](Operation *stage, ValueRange states) {
    keep(team, scope, stage, states, column);
  };
  for (Operation &op : frame.kernel.getBodyBlock())
    if (isa<ReduceStageOp, ContractStageOp>(op))
      points.emit(op.getResult(0), scope);
}

Value PartFolds::slotOf(Operation *stage, size_t state, Value number,
                        Value column) {
  int64_t first = 0;
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (&op == stage)
      break;
    if (isa<ReduceStageOp, ContractStageOp>(op))
      first += kMostFoldStates;
  }
  Value base = frame.add(frame.mul(group, frame.size(plan.parts)), number);
  base = frame.add(frame.mul(base, frame.constant(plan.states)),
                   frame.constant(first + int64_t(state)));
  return frame.add(frame.mul(base, frame.constant(plan.columns)), column);
}

Slots PartFolds::getSlots() const {
  return {frame, frame.pointer(frame.kernel.getWorkspaceArgument())};
}

void PartFolds::keep(WorkerTeam &team, Scope &scope, Operation *stage,
                     ValueRange states, Value column) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value isWriter = frame.isZero(team.number);
  if (scope.present)
    isWriter = arith::AndIOp::create(b, loc, isWriter, scope.present);
  getSlots().storeWhere(isWriter, states, [&](size_t state) {
    return slotOf(stage, state, part, column);
  });
}

SmallVector<Value> PartFolds::fold(WorkerTeam &team, Scope &scope,
                                   Operation *stage, ValueRange init,
                                   Value column, WorkerTeam::Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  // Of a column that is not there no part was kept.
  Value parts = frame.size(plan.parts);
  if (scope.present)
    parts = arith::SelectOp::create(b, loc, scope.present, parts,
                                    frame.constant(0));
  auto loop = scf::ForOp::create(b, loc, team.number, parts, team.count, init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> states = getSlots().load(init, [&](size_t state) {
      return slotOf(stage, state, loop.getInductionVar(), column);
    });
    scf::YieldOp::create(b, loc, combine(loop.getRegionIterArgs(), states));
  }
  return team.combine(loop.getResults(), init, combine);
}
