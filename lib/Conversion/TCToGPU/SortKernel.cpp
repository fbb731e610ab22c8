//===- SortKernel.cpp - Sorts of rows by blocks ---------------------------===//
//
// Elements are pairs of a value and its place in the row. By value and then by
// place they have one order, so that any sorting network is stable. Rows are in
// workspace twice; each round of merges reads one copy and writes the other: an
// element goes to its place in its own run plus the number of elements of the
// other run that come before it, which a binary search finds. Where only the
// first elements of a row are written, runs are cut to as many.
//
//===----------------------------------------------------------------------===//

#include "SortKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "../KernelEmission/Monoid.h"
#include "../KernelEmission/SortStages.h"
#include "SharedSlots.h"
#include "TC/Analysis/SizeRanges.h"
#include "TC/Analysis/TaskPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
/// A value, in the type it is stored in, and its place in the row.
struct Element {
  Value value, place;
};

/// Values and places of one copy of a row.
struct RowCopy {
  Slots values, places;
};

/// One stage of the kernel.
class StageSorter {
public:
  StageSorter(GPUFrame &frame, SortStageOp stage, Value length)
      : frame(frame), b(frame.builder), loc(frame.loc), stage(stage),
        length(length), meaning(stage.getValue().getType()),
        key(getComputeType(meaning)),
        stored(key.isInteger(1) ? b.getI8Type() : key) {}

  SortStageOp getStage() const { return stage; }
  Element load(const RowCopy &row, Value at) {
    return {row.values.load(stored, at), row.places.load(b.getI64Type(), at)};
  }
  void store(Element element, const RowCopy &row, Value at) {
    row.values.store(element.value, at);
    row.places.store(element.place, at);
  }
  /// The stage's value at the scope's point.
  Value emitValue(PointEmitter &points, Scope &scope) {
    Value value = points.emit(stage.getValue(), scope);
    return stored == key ? value
                         : arith::ExtUIOp::create(b, loc, stored, value);
  }
  /// The type of a result from what is stored.
  Value restore(Value value) {
    return stored == key ? value : arith::TruncIOp::create(b, loc, key, value);
  }
  Value comesBefore(Element x, Element y);
  void sortTile(const RowCopy &tile, int64_t size, Scope &scope);
  void mergeElement(const RowCopy &from, const RowCopy &to, Value at,
                    Value width, Value written, Scope &scope);

private:
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value isBelow(Value x, Value y) {
    return compare(arith::CmpIPredicate::slt, x, y);
  }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value smaller(Value x, Value y) {
    return arith::MinSIOp::create(b, loc, x, y);
  }
  Value countBefore(const RowCopy &row, Value first, Value count,
                    Element element);
  void exchangePair(const RowCopy &tile, Value number, Value distance,
                    Value run);

  GPUFrame &frame;
  vectormath::VectorMathBuilder &b;
  Location loc;
  SortStageOp stage;
  Value length;
  Type meaning, key, stored;
};
} // namespace

/// Whether `x` comes before `y`; places after the end of the row come last.
Value StageSorter::comesBefore(Element x, Element y) {
  bool isDescending = stage.getDescending();
  auto isAhead = [&](Element one, Element other) {
    return isDescending ? emitIsBelow(b, loc, meaning, other.value, one.value)
                        : emitIsBelow(b, loc, meaning, one.value, other.value);
  };
  Value isEarlier = isBelow(x.place, y.place);
  Value isOver = compare(arith::CmpIPredicate::sge, y.place, length);
  // Not behind `y`, and earlier: ahead of it or its equal.
  Value isBehind = isAhead(y, x);
  Value isTrue = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value order =
      both(isEarlier, arith::XOrIOp::create(b, loc, isBehind, isTrue));
  Value before = either(isOver, either(isAhead(x, y), order));
  return both(isBelow(x.place, length), before);
}

/// Compares two elements `distance` apart and puts them in order: that of the
/// row in every other run of `run` elements, the opposite one in the rest.
void StageSorter::exchangePair(const RowCopy &tile, Value number,
                               Value distance, Value run) {
  Value one = frame.constant(1), zero = frame.constant(0);
  Value within =
      arith::AndIOp::create(b, loc, number, frame.sub(distance, one));
  Value low = frame.sub(frame.add(number, number), within),
        high = frame.add(low, distance);
  Element x = load(tile, low), y = load(tile, high);
  Value isUp = compare(arith::CmpIPredicate::eq,
                       arith::AndIOp::create(b, loc, low, run), zero);
  Value swaps = select(isUp, comesBefore(y, x), comesBefore(x, y));
  store({select(swaps, y.value, x.value), select(swaps, y.place, x.place)},
        tile, low);
  store({select(swaps, x.value, y.value), select(swaps, x.place, y.place)},
        tile, high);
}

/// Batcher, Sorting Networks and Their Applications (1968): the bitonic sorter
/// of `size` elements, a power of 2, between barriers.
void StageSorter::sortTile(const RowCopy &tile, int64_t size, Scope &scope) {
  Value one = frame.constant(1), zero = frame.constant(0);
  auto powerOf2 = [&](Value exponent) -> Value {
    return arith::ShLIOp::create(b, loc, one, exponent);
  };
  Value end = frame.constant(llvm::Log2_64(size) + 1);
  emitSteps(frame, scope, one, end, 1, [&](Scope &rounds, Value round) {
    emitSteps(frame, rounds, zero, round, 1, [&](Scope &steps, Value step) {
      Value distance = powerOf2(frame.sub(frame.sub(round, one), step));
      gpu::BarrierOp::create(b, loc);
      emitSteps(frame, steps, frame.threadNumber, frame.constant(size / 2),
                frame.threads, [&](Scope &, Value number) {
                  exchangePair(tile, number, distance, powerOf2(round));
                });
    });
  });
  gpu::BarrierOp::create(b, loc);
}

/// How many of `count` elements from `first` on, which are in order, come
/// before `element`.
Value StageSorter::countBefore(const RowCopy &row, Value first, Value count,
                               Element element) {
  SmallVector<Type> types(2, b.getI64Type());
  auto loop =
      scf::WhileOp::create(b, loc, types, ValueRange{frame.constant(0), count});
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locations(2, loc);
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  scf::ConditionOp::create(
      b, loc, isBelow(before->getArgument(0), before->getArgument(1)),
      before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  Value low = after->getArgument(0), high = after->getArgument(1);
  Value middle =
      arith::ShRUIOp::create(b, loc, frame.add(low, high), frame.constant(1));
  Value isBefore = comesBefore(load(row, frame.add(first, middle)), element);
  scf::YieldOp::create(
      b, loc,
      ValueRange{select(isBefore, frame.add(middle, frame.constant(1)), low),
                 select(isBefore, high, middle)});
  return loop.getResult(0);
}

/// Puts the element at `at`, of a run of `width` elements of which the first
/// `written` count, where it is in the merge with the run that is its pair.
void StageSorter::mergeElement(const RowCopy &from, const RowCopy &to, Value at,
                               Value width, Value written, Scope &scope) {
  Value twice = frame.add(width, width);
  Value offset =
      arith::AndIOp::create(b, loc, at, frame.sub(twice, frame.constant(1)));
  Value left = frame.sub(at, offset), right = frame.add(left, width);
  Value isRight = compare(arith::CmpIPredicate::sge, offset, width);
  Value kept = smaller(width, written);
  Value leftCount = smaller(kept, frame.sub(length, left));
  Value rightCount = arith::MaxSIOp::create(
      b, loc, smaller(kept, frame.sub(length, right)), frame.constant(0));
  Value position = select(isRight, frame.sub(offset, width), offset);
  Value isKept = isBelow(position, select(isRight, rightCount, leftCount));
  emitWhen(frame, scope, isKept, [&](Scope &inner) {
    Element element = load(from, at);
    Value rank = frame.add(
        position, countBefore(from, select(isRight, left, right),
                              select(isRight, leftCount, rightCount), element));
    emitWhen(frame, inner, isBelow(rank, smaller(twice, written)),
             [&](Scope &) { store(element, to, frame.add(left, rank)); });
  });
}

namespace {
/// The launches of a kernel.
class KernelSorter {
public:
  KernelSorter(GPUFrame &frame, GPUSortScheduleAttr schedule,
               ArrayRef<SortStageOp> stages);
  LaunchShape emit();

private:
  SizeExpr constant(int64_t value) {
    return SizeExpr::constant(frame.builder.getContext(), value);
  }
  /// Copy number `copy` of what stage `number` sorts in row `row`.
  RowCopy getCopy(size_t number, Value row, Value copy);
  /// Runs `body` in the launches with `condition` for the numbers below `count`
  /// that the blocks have.
  void emitLaunch(Value condition, SizeExpr count,
                  function_ref<void(Scope &, Value)> body);
  Value compareStep(arith::CmpIPredicate predicate, int64_t step) {
    return arith::CmpIOp::create(frame.builder, frame.loc, predicate,
                                 frame.step(), frame.constant(step));
  }
  /// A row and an index in it for each thread of the blocks.
  void emitElements(Value condition,
                    function_ref<void(Scope &, Value row, Value at)> body);
  void emitTiles();
  void emitMerges();
  void emitResults();
  int64_t countMerges();

  GPUFrame &frame;
  vectormath::VectorMathBuilder &b;
  Location loc;
  PointEmitter points;
  int64_t tile;
  unsigned along;
  SizeExpr length, rows, elements;
  Value size, written;
  SmallVector<unsigned> rowDims;
  SmallVector<StageSorter> sorters;
  int64_t merges;
};
} // namespace

KernelSorter::KernelSorter(GPUFrame &frame, GPUSortScheduleAttr schedule,
                           ArrayRef<SortStageOp> stages)
    : frame(frame), b(frame.builder), loc(frame.loc),
      points(frame, std::nullopt, 1), tile(schedule.getTile()),
      along(SortStageOp(stages.front()).getAlong()),
      length(frame.kernel.getDimSize(along)), rows(constant(1)),
      size(frame.size(length)),
      written(frame.size(getWrittenLength(frame.kernel, along))) {
  DimSet outer = getOuterDims(frame.kernel, frame.dims);
  rowDims.assign(outer.set_bits().begin(), outer.set_bits().end());
  for (unsigned dim : rowDims)
    rows = rows.mul(frame.kernel.getDimSize(dim));
  elements = rows.mul(length);
  for (SortStageOp stage : stages)
    sorters.emplace_back(frame, stage, size);
  merges = countMerges();
}

/// Rounds of merges that make one run of the largest row.
int64_t KernelSorter::countMerges() {
  constexpr int64_t kLargestRow = int64_t(1) << 40;
  auto function = frame.kernel->getParentOfType<FunctionOpInterface>();
  int64_t most = std::min(SizeRanges(function).of(length).max, kLargestRow);
  int64_t count = 0;
  while ((tile << count) < most)
    ++count;
  return count;
}

RowCopy KernelSorter::getCopy(size_t number, Value row, Value copy) {
  // Values, places; the same again.
  Value base = frame.add(frame.mul(row, frame.constant(sorters.size())),
                         frame.constant(number));
  Value part =
      frame.add(frame.mul(base, frame.constant(4)), frame.add(copy, copy));
  Slots all(frame, frame.pointer(frame.kernel.getWorkspaceArgument()));
  Slots values = all.from(frame.mul(part, size));
  return {values, values.from(size)};
}

void KernelSorter::emitLaunch(Value condition, SizeExpr count,
                              function_ref<void(Scope &, Value)> body) {
  // Not inside of a scope that all launches share: what varies over no
  // dimension would be computed in the code of one and used in that of another.
  Scope root(frame);
  emitWhen(frame, root, condition, [&](Scope &scope) {
    emitSteps(frame, scope, frame.blockNumber, frame.size(count),
              frame.blockCount, body);
  });
}

void KernelSorter::emitElements(
    Value condition, function_ref<void(Scope &, Value, Value)> body) {
  SizeExpr blocks = elements.ceilDiv(constant(frame.threads));
  emitLaunch(condition, blocks, [&](Scope &scope, Value block) {
    Value number = frame.add(frame.mul(block, frame.constant(frame.threads)),
                             frame.threadNumber);
    Value isElement = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                            number, frame.size(elements));
    emitWhen(frame, scope, isElement, [&](Scope &inner) {
      Value row = arith::DivUIOp::create(b, loc, number, size);
      body(inner, row, frame.sub(number, frame.mul(row, size)));
    });
  });
}

/// Sorts each tile of a row and puts it into the first copy.
void KernelSorter::emitTiles() {
  SizeExpr tiles = length.ceilDiv(constant(tile));
  RowCopy shared{Slots::share(frame, tile), Slots::share(frame, tile)};
  Value zero = frame.constant(0), end = frame.constant(tile);
  auto fill = [&](Scope &scope, Value row, Value first, size_t number) {
    StageSorter &sorter = sorters[number];
    // What was there has been read.
    gpu::BarrierOp::create(b, loc);
    emitSteps(frame, scope, frame.threadNumber, end, frame.threads,
              [&](Scope &inner, Value index) {
                Value at = frame.add(first, index);
                inner.bind(along,
                           arith::MinSIOp::create(
                               b, loc, at, frame.sub(size, frame.constant(1))));
                sorter.store({sorter.emitValue(points, inner), at}, shared,
                             index);
              });
    sorter.sortTile(shared, tile, scope);
    RowCopy copy = getCopy(number, row, zero);
    emitSteps(frame, scope, frame.threadNumber, end, frame.threads,
              [&](Scope &inner, Value index) {
                Value at = frame.add(first, index);
                Value isInside = arith::CmpIOp::create(
                    b, loc, arith::CmpIPredicate::slt, at, size);
                emitWhen(frame, inner, isInside, [&](Scope &) {
                  sorter.store(sorter.load(shared, index), copy, at);
                });
              });
  };
  emitLaunch(compareStep(arith::CmpIPredicate::eq, 0), rows.mul(tiles),
             [&](Scope &scope, Value block) {
               Value count = frame.size(tiles);
               Value row = arith::DivUIOp::create(b, loc, block, count);
               Value number = frame.sub(block, frame.mul(row, count));
               bindDigits(frame, scope, rowDims, row);
               for (size_t stage = 0; stage < sorters.size(); ++stage)
                 fill(scope, row, frame.mul(number, end), stage);
             });
}

/// Launch number i merges runs of tile * 2^(i - 1) elements.
void KernelSorter::emitMerges() {
  if (merges == 0)
    return;
  Value isMerge =
      arith::AndIOp::create(b, loc, compareStep(arith::CmpIPredicate::sgt, 0),
                            compareStep(arith::CmpIPredicate::sle, merges));
  emitElements(isMerge, [&](Scope &scope, Value row, Value at) {
    Value one = frame.constant(1);
    Value round = frame.sub(frame.step(), one);
    Value width = arith::ShLIOp::create(b, loc, frame.constant(tile), round);
    Value from = arith::AndIOp::create(b, loc, round, one);
    for (auto [number, sorter] : llvm::enumerate(sorters))
      sorter.mergeElement(getCopy(number, row, from),
                          getCopy(number, row, frame.sub(one, from)), at, width,
                          written, scope);
  });
}

void KernelSorter::emitResults() {
  auto emitPoint = [&](Scope &scope, Value row, Value at) {
    // Every merge that there was has changed the copy.
    Value rounds = frame.constant(0);
    for (int64_t round = 0; round < merges; ++round) {
      Value isMerged =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                frame.constant(tile << round), size);
      rounds = frame.add(
          rounds, arith::ExtUIOp::create(b, loc, b.getI64Type(), isMerged));
    }
    Value last = arith::AndIOp::create(b, loc, rounds, frame.constant(1));
    for (auto [number, sorter] : llvm::enumerate(sorters)) {
      RowCopy copy = getCopy(number, row, last);
      points.provide(sorter.getStage().getSorted(),
                     [this, copy, &sorter](Scope &inner) -> Value {
                       Value at = inner.indices[along];
                       return sorter.restore(sorter.load(copy, at).value);
                     });
      points.provide(sorter.getStage().getOrigin(),
                     [this, copy, &sorter](Scope &inner) -> Value {
                       return sorter.load(copy, inner.indices[along]).place;
                     });
    }
    bindDigits(frame, scope, rowDims, row);
    scope.bind(along, at);
    emitWrites(points, scope);
  };
  emitElements(compareStep(arith::CmpIPredicate::sgt, merges), emitPoint);
}

LaunchShape KernelSorter::emit() {
  emitTiles();
  emitMerges();
  emitResults();
  LaunchShape shape;
  shape.grain = constant(1);
  shape.threads = frame.threads;
  SizeExpr blocks = elements.ceilDiv(constant(frame.threads));
  shape.count = rows.mul(length.ceilDiv(constant(tile)));
  shape.steps.push_back(shape.count);
  // A round of merges has no blocks where each row is one run already.
  for (int64_t round = 0; round < merges; ++round) {
    SizeExpr isNeeded = length.sub(constant(1))
                            .floorDiv(constant(tile << round))
                            .min(constant(1));
    shape.steps.push_back(blocks.mul(isNeeded));
  }
  shape.steps.push_back(blocks);
  return shape;
}

FailureOr<LaunchShape> tc::emitSortKernel(GPUFrame &frame,
                                          GPUSortScheduleAttr schedule) {
  KernelOp kernel = frame.kernel;
  FailureOr<SmallVector<SortStageOp>> stages = getSortStages(frame);
  if (failed(stages))
    return failure();
  if (!kernel.getWorkspace())
    return kernel.emitOpError("'")
           << kernel.getName() << "' has no workspace; expected one of "
           << getWorkspaceBytes(kernel)->str()
           << " bytes (run tc-assign-workspaces first)";
  // Refused on a GPU: a fold or scan in the kernel of a sort, as a launch has
  // either order; phase fuse makes no such kernel.
  for (Operation &op : kernel.getBodyBlock())
    if (isa<ReduceStageOp, ContractStageOp, ScanStageOp>(op))
      return op.emitOpError("folds in a kernel that sorts; expected a kernel "
                            "of its own");
  return KernelSorter(frame, schedule, *stages).emit();
}
