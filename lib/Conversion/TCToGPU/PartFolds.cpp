//===- PartFolds.cpp - Blocks that share folds ----------------------------===//

#include "PartFolds.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

LaunchShape PartFolds::getShape() const {
  MLIRContext *context = frame.builder.getContext();
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.steps = {plan.getBlocks(), plan.groups};
  shape.grain = SizeExpr::constant(context, 1);
  shape.programmatic = frame.overlapsLaunches;
  return shape;
}

void PartFolds::emitLaunches(Scope &scope, Body body) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  // The second launch begins while the blocks of the first are still at work.
  auto control = [&](NVVM::GridDepActionKind kind) {
    if (frame.overlapsLaunches)
      NVVM::GriddepcontrolOp::create(b, loc, kind);
  };
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        frame.step(), frame.constant(0));
  emitEither(
      frame, scope, isFirst,
      [&](Scope &inner) {
        control(NVVM::GridDepActionKind::wait);
        control(NVVM::GridDepActionKind::launch_dependents);
        Value parts = frame.size(plan.parts);
        group = arith::DivUIOp::create(b, loc, frame.blockNumber, parts);
        part = frame.sub(frame.blockNumber, frame.mul(group, parts));
        body(inner, group);
      },
      [&](Scope &inner) {
        control(NVVM::GridDepActionKind::wait);
        group = frame.blockNumber;
        part = nullptr;
        body(inner, group);
      });
}

void PartFolds::emitColumn(PointEmitter &points, Scope &scope, Value column) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  WorkerTeam &team = *points.team;
  if (!part) {
    points.keptStates = [&](Operation *stage, ValueRange init,
                            WorkerTeam::Combine combine) {
      return fold(team, stage, init, column, combine);
    };
    emitWrites(points, scope);
    return;
  }
  Value size = frame.dimSize(plan.dim), length = frame.size(plan.length);
  Value low = arith::MinSIOp::create(b, loc, frame.mul(part, length), size);
  points.limit(plan.dim, low,
               arith::MinSIOp::create(b, loc, frame.add(low, length), size));
  points.parts = plan.parts.getConstant().value_or(1);
  points.keepStates = [&](Operation *stage, ValueRange states) {
    keep(team, scope, stage, states, column);
  };
  for (Operation &op : frame.kernel.getBodyBlock())
    if (isa<ReduceStageOp, ContractStageOp>(op))
      points.emit(op.getResult(0), scope);
}

Value PartFolds::addressOf(Operation *stage, size_t state, Value number,
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
  base = frame.add(frame.mul(base, frame.constant(plan.columns)), column);
  Slots slots(frame, frame.pointer(frame.kernel.getWorkspaceArgument()));
  return slots.addressOf(base);
}

void PartFolds::keep(WorkerTeam &team, Scope &scope, Operation *stage,
                     ValueRange states, Value column) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value isWriter = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         team.number, frame.constant(0));
  if (scope.present)
    isWriter = arith::AndIOp::create(b, loc, isWriter, scope.present);
  auto branch = scf::IfOp::create(b, loc, isWriter);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  for (auto [index, state] : llvm::enumerate(states))
    LLVM::StoreOp::create(b, loc, toMemory(b, loc, state),
                          addressOf(stage, index, part, column),
                          kFoldStateBytes);
}

SmallVector<Value> PartFolds::fold(WorkerTeam &team, Operation *stage,
                                   ValueRange init, Value column,
                                   WorkerTeam::Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  auto loop = scf::ForOp::create(b, loc, team.number, frame.size(plan.parts),
                                 team.count, init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> states;
    for (auto [index, state] : llvm::enumerate(init)) {
      Type type = toMemory(b, loc, state).getType();
      Value loaded = LLVM::LoadOp::create(
          b, loc, type, addressOf(stage, index, loop.getInductionVar(), column),
          kFoldStateBytes);
      states.push_back(fromMemory(b, loc, loaded, state.getType()));
    }
    scf::YieldOp::create(b, loc, combine(loop.getRegionIterArgs(), states));
  }
  return team.combine(loop.getResults(), init, combine);
}
