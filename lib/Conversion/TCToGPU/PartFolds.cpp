//===- PartFolds.cpp - Blocks that share folds ----------------------------===//

#include "PartFolds.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "SharedSlots.h"
#include "TC/Runtime/ABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;

/// Whether states of all parts have a word of the counters each. The types of
/// a kernel's values bound those of its states.
static bool fitsWords(KernelOp kernel, const FoldParts &plan) {
  constexpr int64_t kWords = 1024;
  static_assert(kWords * sizeof(uint64_t) <= TC_COUNTERS * sizeof(uint32_t));
  constexpr unsigned kMostBits = 32;
  auto bytes = plan.getWorkspaceBytes().getConstant();
  if (plan.columns != 1 || !bytes || *bytes > kWords * kFoldStateBytes)
    return false;
  auto isWide = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return !element.isIntOrFloat() ||
           element.getIntOrFloatBitWidth() > kMostBits;
  };
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    return llvm::any_of(op->getResultTypes(), isWide) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

PartFolds::PartFolds(GPUFrame &frame, FoldParts plan)
    : frame(frame), plan(std::move(plan)),
      usesWords(fitsWords(frame.kernel, this->plan)) {}

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
  // Blocks are started in the order of their numbers: the last one of a group
  // waits for none that is not running or has not run.
  Value last =
      usesWords ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part,
                                        frame.sub(parts, frame.constant(1)))
                : emitIsLast();
  emitWhen(frame, scope, last, [&](Scope &inner) {
    if (usesWords)
      gpu::BarrierOp::create(b, loc); // the part's folds used shared memory
    else
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
  return {frame, usesWords
                     ? frame.counters
                     : frame.pointer(frame.kernel.getWorkspaceArgument())};
}

/// The number in a word that holds a state.
static constexpr int64_t kIsThere = int64_t(1) << 32;

void PartFolds::postWords(Value isWriter, Operation *stage, ValueRange states,
                          Value column) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  scf::IfOp::create(b, loc, isWriter, [&](OpBuilder &b, Location loc) {
    for (auto [index, state] : llvm::enumerate(states)) {
      Type type = state.getType();
      Value word = state;
      if (!type.isInteger())
        word = arith::BitcastOp::create(
            b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()), word);
      word = arith::ExtUIOp::create(b, loc, b.getI64Type(), word);
      word = arith::OrIOp::create(b, loc, word, frame.constant(kIsThere));
      LLVM::StoreOp::create(
          b, loc, word,
          getSlots().addressOf(slotOf(stage, index, part, column)),
          kFoldStateBytes, /*isVolatile=*/false, /*isNonTemporal=*/false,
          /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic, kDevice);
    }
    scf::YieldOp::create(b, loc);
  });
}

Value PartFolds::takeWord(Value like, Value number) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value address = getSlots().addressOf(number), none = frame.constant(0);
  Type i64 = b.getI64Type();
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(i64), ValueRange(),
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value word = LLVM::LoadOp::create(
            b, loc, i64, address, kFoldStateBytes, /*isVolatile=*/false,
            /*isNonTemporal=*/false, /*isInvariant=*/false,
            /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
            kDevice);
        Value isMissing =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, word, none);
        scf::ConditionOp::create(b, loc, isMissing, word);
      },
      [&](OpBuilder &b, Location loc, ValueRange) {
        scf::YieldOp::create(b, loc);
      });
  LLVM::StoreOp::create(b, loc, none, address, kFoldStateBytes);
  Type type = like.getType();
  Value bits = arith::TruncIOp::create(
      b, loc, b.getIntegerType(type.getIntOrFloatBitWidth()),
      loop.getResult(0));
  return type.isInteger() ? bits
                          : Value(arith::BitcastOp::create(b, loc, type, bits));
}

/// Whether (i1) a worker is the first one of a column that is there.
Value PartFolds::emitIsWriter(WorkerTeam &team, Scope &scope) {
  Value isFirst = frame.isZero(team.number);
  return scope.present ? arith::AndIOp::create(frame.builder, frame.loc,
                                               isFirst, scope.present)
                       : isFirst;
}

void PartFolds::keep(WorkerTeam &team, Scope &scope, Operation *stage,
                     ValueRange states, Value column) {
  Value isWriter = emitIsWriter(team, scope);
  if (usesWords)
    return postWords(isWriter, stage, states, column);
  getSlots().storeWhere(isWriter, states, [&](size_t state) {
    return slotOf(stage, state, part, column);
  });
}

/// What part `number` has kept of a stage, as many states as `like` has.
SmallVector<Value> PartFolds::loadPart(Operation *stage, ValueRange like,
                                       Value number, Value column) {
  auto at = [&](size_t state) { return slotOf(stage, state, number, column); };
  if (!usesWords)
    return getSlots().load(like, at);
  SmallVector<Value> states;
  for (auto [index, state] : llvm::enumerate(like))
    states.push_back(takeWord(state, at(index)));
  return states;
}

SmallVector<Value> PartFolds::fold(WorkerTeam &team, Scope &scope,
                                   Operation *stage, ValueRange init,
                                   Value column, WorkerTeam::Combine combine) {
  constexpr int64_t kFewParts = 8;
  std::optional<int64_t> parts = plan.parts.getConstant();
  if (parts && *parts <= kFewParts && !usesWords)
    return foldFew(*parts, team, scope, stage, init, column, combine);
  return foldTogether(team, scope, stage, init, column, combine);
}

/// The fold of a few parts is the writer's alone, who loads them all before it
/// folds the first: no others use the result.
SmallVector<Value> PartFolds::foldFew(int64_t parts, WorkerTeam &team,
                                      Scope &scope, Operation *stage,
                                      ValueRange init, Value column,
                                      WorkerTeam::Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  Value isWriter = emitIsWriter(team, scope);
  auto fold = [&](OpBuilder &b, Location loc) {
    SmallVector<SmallVector<Value>> loaded;
    for (int64_t number = 0; number < parts; ++number)
      loaded.push_back(loadPart(stage, init, frame.constant(number), column));
    SmallVector<Value> folded = loaded.front();
    for (ArrayRef<Value> states : ArrayRef(loaded).drop_front())
      folded = combine(folded, states);
    scf::YieldOp::create(b, loc, folded);
  };
  auto branch = scf::IfOp::create(
      b, loc, isWriter, fold,
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, init); });
  return SmallVector<Value>(branch.getResults());
}

/// All workers take parts in turns, and then fold what each has.
SmallVector<Value> PartFolds::foldTogether(WorkerTeam &team, Scope &scope,
                                           Operation *stage, ValueRange init,
                                           Value column,
                                           WorkerTeam::Combine combine) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  // Parts that a thread loads at once, so that it waits for memory once.
  constexpr int64_t kAtOnce = 4;
  const int64_t count = usesWords ? 1 : kAtOnce;
  // Of a column that is not there no part was kept.
  Value parts = frame.size(plan.parts);
  if (scope.present)
    parts = arith::SelectOp::create(b, loc, scope.present, parts,
                                    frame.constant(0));
  auto loop =
      scf::ForOp::create(b, loc, team.number, parts,
                         frame.mul(team.count, frame.constant(count)), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = loop.getInductionVar();
    SmallVector<Value> folded(loop.getRegionIterArgs());
    SmallVector<std::pair<Value, SmallVector<Value>>> loaded;
    for (int64_t next = 0; next < count; ++next) {
      Value number = first, isThere;
      if (next > 0) {
        number = frame.add(first, frame.mul(team.count, frame.constant(next)));
        isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        number, parts);
        number = arith::SelectOp::create(b, loc, isThere, number, first);
      }
      loaded.emplace_back(isThere, loadPart(stage, init, number, column));
    }
    for (auto &[isThere, states] : loaded) {
      SmallVector<Value> all = combine(folded, states);
      for (auto [before, after] : llvm::zip_equal(folded, all))
        before = isThere
                     ? arith::SelectOp::create(b, loc, isThere, after, before)
                     : after;
    }
    scf::YieldOp::create(b, loc, folded);
  }
  return team.combine(loop.getResults(), init, combine);
}
