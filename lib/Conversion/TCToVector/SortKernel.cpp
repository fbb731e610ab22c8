//===- SortKernel.cpp - Kernels that put rows in order --------------------===//
//
// A task of the launch takes row after row. A row's values and their places go
// to workspace of the task, are merged bottom-up (stable, in n log n
// steps) from there to a second copy and back, and are read again where the
// writes need them. Where only the first k of a row are written, runs are cut
// to k.
//
//===----------------------------------------------------------------------===//

#include "SortKernel.h"

#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "../KernelEmission/Monoid.h"
#include "../KernelEmission/SortStages.h"
#include "ScratchTasks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
/// The two copies of one row: values of the stored key type, and their places.
struct RowCopies {
  Value values, places, otherValues, otherPlaces;
};

/// Sorts one row of one stage.
class RowSorter {
public:
  RowSorter(KernelFrame &frame, SortStageOp stage, Value length, Value written)
      : frame(frame), b(frame.builder), loc(frame.loc), stage(stage),
        length(length), written(written), meaning(stage.getValue().getType()),
        key(getComputeType(meaning)),
        stored(key.isInteger(1) ? b.getI8Type() : key) {}

  /// Puts the stage's values at `row`, workspace of kSortBytesPerElement each.
  void fill(PointEmitter &emitter, Scope &scope, Value row);
  void sort();
  /// Makes `emitter` take the stage's results from the sorted row.
  void provide(PointEmitter &emitter);

private:
  Value offset(Value base, Type type, Value index) {
    return LLVM::GEPOp::create(b, loc, base.getType(), type, base,
                               ValueRange{index});
  }
  Value load(Value base, Type type, Value index) {
    return LLVM::LoadOp::create(b, loc, type, offset(base, type, index));
  }
  void store(Value value, Value base, Value index) {
    LLVM::StoreOp::create(b, loc, value, offset(base, value.getType(), index));
  }
  Value smaller(Value x, Value y) {
    return arith::MinSIOp::create(b, loc, x, y);
  }
  Value isBelow(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  }
  void mergeRuns(Value low, Value width, const RowCopies &row);
  SmallVector<Value> mergeStep(Value at, ValueRange heads, Value middle,
                               Value end, const RowCopies &row);

  KernelFrame &frame;
  vectormath::VectorMathBuilder &b;
  Location loc;
  SortStageOp stage;
  Value length, written;
  Type meaning, key, stored;
  RowCopies row;
};
} // namespace

void RowSorter::fill(PointEmitter &emitter, Scope &scope, Value start) {
  auto part = [&](int64_t number) {
    return offset(start, b.getI64Type(),
                  frame.mul(length, frame.constant(number)));
  };
  row = {part(0), part(1), part(2), part(3)};
  emitter.emitLoop(scope, stage.getAlong(), {}, [&](Scope &inner, ValueRange) {
    Value value = emitter.emit(stage.getValue(), inner);
    if (stored != key)
      value = arith::ExtUIOp::create(b, loc, stored, value);
    Value at = inner.indices[stage.getAlong()];
    store(value, row.values, at);
    store(at, row.places, at);
    return SmallVector<Value>();
  });
}

/// One element of a merge: the smaller of the two runs' heads, the first run's
/// where neither is.
SmallVector<Value> RowSorter::mergeStep(Value at, ValueRange heads,
                                        Value middle, Value end,
                                        const RowCopies &row) {
  Value left = heads[0], right = heads[1];
  // A run that is used up may end at the end of the row.
  Value last = frame.sub(length, frame.constant(1));
  Value leftAt = smaller(left, last), rightAt = smaller(right, last);
  Value leftValue = load(row.values, stored, leftAt),
        rightValue = load(row.values, stored, rightAt);
  Value comesFirst = stage.getDescending()
                         ? emitIsBelow(b, loc, meaning, leftValue, rightValue)
                         : emitIsBelow(b, loc, meaning, rightValue, leftValue);
  Value leftIsOver =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, left, middle);
  Value takesRight = arith::AndIOp::create(
      b, loc, isBelow(right, end),
      arith::OrIOp::create(b, loc, leftIsOver, comesFirst));
  store(arith::SelectOp::create(b, loc, takesRight, rightValue, leftValue),
        row.otherValues, at);
  store(arith::SelectOp::create(b, loc, takesRight,
                                load(row.places, b.getI64Type(), rightAt),
                                load(row.places, b.getI64Type(), leftAt)),
        row.otherPlaces, at);
  Value step = arith::ExtUIOp::create(b, loc, b.getI64Type(), takesRight);
  return {frame.add(left, frame.sub(frame.constant(1), step)),
          frame.add(right, step)};
}

/// Merges the runs of `width` elements at `low` and after it, of which the
/// first `written` are there.
void RowSorter::mergeRuns(Value low, Value width, const RowCopies &row) {
  Value kept = smaller(width, written);
  Value second = smaller(frame.add(low, width), length);
  Value middle = smaller(frame.add(low, kept), length);
  Value end = smaller(frame.add(second, kept), length);
  Value count = frame.add(frame.sub(middle, low), frame.sub(end, second));
  Value stop = frame.add(low, smaller(count, written));
  auto loop = scf::ForOp::create(b, loc, low, stop, frame.constant(1),
                                 ValueRange{low, second});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b, loc,
                       mergeStep(loop.getInductionVar(),
                                 loop.getRegionIterArgs(), middle, end, row));
}

void RowSorter::sort() {
  Type pointer = row.values.getType();
  SmallVector<Type> types{b.getI64Type(), pointer, pointer, pointer, pointer};
  SmallVector<Value> init{frame.constant(1), row.values, row.places,
                          row.otherValues, row.otherPlaces};
  auto loop = scf::WhileOp::create(b, loc, types, init);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locations(types.size(), loc);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  scf::ConditionOp::create(b, loc, isBelow(before->getArgument(0), length),
                           before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  Value width = after->getArgument(0);
  RowCopies copies{after->getArgument(1), after->getArgument(2),
                   after->getArgument(3), after->getArgument(4)};
  Value twice = frame.add(width, width);
  auto runs = scf::ForOp::create(b, loc, frame.constant(0), length, twice);
  b.setInsertionPoint(runs.getBody()->getTerminator());
  mergeRuns(runs.getInductionVar(), width, copies);
  b.setInsertionPointToEnd(after);
  scf::YieldOp::create(b, loc,
                       ValueRange{twice, copies.otherValues, copies.otherPlaces,
                                  copies.values, copies.places});
  row = {loop.getResult(1), loop.getResult(2), loop.getResult(3),
         loop.getResult(4)};
}

void RowSorter::provide(PointEmitter &emitter) {
  unsigned along = stage.getAlong();
  emitter.provide(stage.getSorted(), [this, along](Scope &scope) -> Value {
    Value value = load(row.values, stored, scope.indices[along]);
    if (stored == key)
      return value;
    return arith::TruncIOp::create(b, loc, key, value);
  });
  emitter.provide(stage.getOrigin(), [this, along](Scope &scope) -> Value {
    return load(row.places, b.getI64Type(), scope.indices[along]);
  });
}

FailureOr<LaunchShape> tc::emitSortKernel(CPUFrame &frame,
                                          const TaskPlan &plan) {
  KernelOp kernel = frame.kernel;
  FailureOr<SmallVector<SortStageOp>> stages = getSortStages(frame);
  if (failed(stages))
    return failure();
  unsigned along = stages->front().getAlong();
  FailureOr<ScratchTasks> tasks = ScratchTasks::get(frame, plan);
  if (failed(tasks))
    return failure();
  SizeExpr bytes = kernel.getDimSize(along).mul(kSortBytesPerElement);

  PointEmitter emitter(frame, std::nullopt, 1);
  Value length = frame.dimSize(along),
        written = frame.size(getWrittenLength(kernel, along)),
        stageBytes = frame.size(bytes);
  Scope root(frame);
  emitSteps(frame, root, tasks->low, tasks->high, 1,
            [&](Scope &scope, Value iteration) {
              bindDigits(frame, scope, plan.dims, iteration);
              SmallVector<std::unique_ptr<RowSorter>> sorters;
              for (auto [number, stage] : llvm::enumerate(*stages)) {
                sorters.push_back(
                    std::make_unique<RowSorter>(frame, stage, length, written));
                Value start = LLVM::GEPOp::create(
                    frame.builder, frame.loc, tasks->workspace.getType(),
                    frame.builder.getI8Type(), tasks->workspace,
                    ValueRange{frame.mul(frame.constant(number), stageBytes)});
                sorters.back()->fill(emitter, scope, start);
                sorters.back()->sort();
                sorters.back()->provide(emitter);
              }
              emitWrites(emitter, scope);
            });
  return tasks->shape;
}
