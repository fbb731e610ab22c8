//===- ScanKernel.cpp - Scans of rows by blocks ---------------------------===//

#include "ScanKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "../KernelEmission/Monoid.h"
#include "RowTeam.h"
#include "SharedSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
class RowScanner {
public:
  RowScanner(GPUFrame &frame, unsigned along)
      : frame(frame), b(frame.builder), loc(frame.loc),
        team(frame, along, frame.threads), points(frame, std::nullopt, 1),
        from(Slots::share(frame, kCopies())), low(frame.constant(0)),
        high(frame.dimSize(along)) {
    points.team = &team;
    points.scanLoop = [this](Scope &scope, unsigned dim,
                             ArrayRef<ScanStageOp> scans,
                             function_ref<void(Scope &)> body) {
      emitChunks(scope, dim, scans, carried, body);
    };
  }

  /// The rows of the blocks, each scanned as a whole.
  LaunchShape emitRows(ArrayRef<unsigned> rows);
  /// The segments of rows, in two launches.
  LaunchShape emitSegments(ArrayRef<unsigned> rows, int64_t segments);

private:
  static Monoid getMonoid(ScanStageOp scan) {
    return Monoid(scan.getKind(), scan.getValue().getType());
  }
  /// Two copies of a chunk: one is read while the other is written.
  int64_t kCopies() const { return 2 * frame.threads; }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  SmallVector<Value> emitChunks(Scope &scope, unsigned dim,
                                ArrayRef<ScanStageOp> scans, ValueRange init,
                                function_ref<void(Scope &)> body);
  std::pair<Value, Value> foldChunk(const Monoid &monoid, Value element);
  SizeExpr countRows(ArrayRef<unsigned> rows);

  GPUFrame &frame;
  vectormath::VectorMathBuilder &b;
  Location loc;
  RowTeam team;
  PointEmitter points;
  Slots from;
  Value low, high;            ///< the part of the row that a block scans
  SmallVector<Value> carried; ///< folds of what is before it; empty for none
};
} // namespace

/// The fold of the elements up to this thread's, and that of all threads.
/// Hillis and Steele, Data Parallel Algorithms (1986).
std::pair<Value, Value> RowScanner::foldChunk(const Monoid &monoid,
                                              Value element) {
  Type type = element.getType();
  Slots to = from.from(frame.constant(frame.threads));
  Slots read = from;
  // The results of the chunk before have been read.
  gpu::BarrierOp::create(b, loc);
  read.store(element, frame.threadNumber);
  Value folded = element;
  for (int64_t offset = 1; offset < frame.threads; offset *= 2) {
    gpu::BarrierOp::create(b, loc);
    Value distance = frame.constant(offset);
    Value hasEarlier =
        compare(arith::CmpIPredicate::sge, frame.threadNumber, distance);
    Value earlier = read.load(
        type, select(hasEarlier, frame.sub(frame.threadNumber, distance),
                     frame.threadNumber));
    folded = select(hasEarlier, monoid.fold(b, loc, earlier, folded), folded);
    to.store(folded, frame.threadNumber);
    std::swap(read, to);
  }
  gpu::BarrierOp::create(b, loc);
  return {folded, read.load(type, frame.constant(frame.threads - 1))};
}

/// A loop over the chunks of [low, high). Threads after the end of the row
/// compute its last point again, and neither fold nor write it. Gives the folds
/// of the whole part.
SmallVector<Value> RowScanner::emitChunks(Scope &scope, unsigned dim,
                                          ArrayRef<ScanStageOp> scans,
                                          ValueRange before,
                                          function_ref<void(Scope &)> body) {
  SmallVector<Value> init(before);
  if (init.empty())
    for (ScanStageOp scan : scans)
      llvm::append_range(init, getMonoid(scan).init(b, loc, /*lanes=*/1));
  auto loop = scf::ForOp::create(b, loc, low, high,
                                 frame.constant(frame.threads), init);
  OpBuilder::InsertionGuard guard(b);
  Operation *previous = std::exchange(scope.openLoop, loop);
  Scope inner(scope);
  b.setInsertionPointToStart(loop.getBody());
  Value index = frame.add(loop.getInductionVar(), frame.threadNumber);
  Value isInside = compare(arith::CmpIPredicate::slt, index, high);
  Value last = frame.sub(high, frame.constant(1));
  inner.bind(dim, select(isInside, index, last));
  inner.isDistributed = true;
  SmallVector<Value> next;
  for (auto [stage, state] : llvm::zip_equal(scans, loop.getRegionIterArgs())) {
    ScanStageOp scan = stage;
    Monoid monoid = getMonoid(scan);
    Value identity = monoid.init(b, loc, /*lanes=*/1).front();
    Value element = points.emit(scan.getValue(), inner);
    auto [folded, all] = foldChunk(monoid, select(isInside, element, identity));
    inner.values[scan.getResult()] = monoid.fold(b, loc, state, folded);
    next.push_back(monoid.fold(b, loc, state, all));
  }
  emitWhen(frame, inner, isInside, body);
  scf::YieldOp::create(b, loc, next);
  scope.openLoop = previous;
  return SmallVector<Value>(loop.getResults());
}

SizeExpr RowScanner::countRows(ArrayRef<unsigned> rows) {
  SizeExpr count = SizeExpr::constant(b.getContext(), 1);
  for (unsigned dim : rows)
    count = count.mul(frame.kernel.getDimSize(dim));
  return count;
}

LaunchShape RowScanner::emitRows(ArrayRef<unsigned> rows) {
  LaunchShape shape;
  shape.count = countRows(rows);
  Scope root(frame);
  emitSteps(frame, root, frame.blockNumber, frame.size(shape.count),
            frame.blockCount, [&](Scope &scope, Value row) {
              bindDigits(frame, scope, rows, row);
              emitWrites(points, scope);
            });
  return shape;
}

LaunchShape RowScanner::emitSegments(ArrayRef<unsigned> rows,
                                     int64_t segments) {
  unsigned along = team.dim;
  auto scan = *frame.kernel.getBodyBlock().getOps<ScanStageOp>().begin();
  Monoid monoid = getMonoid(scan);
  LaunchShape shape;
  shape.count = countRows(rows).mul(segments);
  shape.steps.assign(2, shape.count);
  SizeExpr length = frame.kernel.getDimSize(along).ceilDiv(
      SizeExpr::constant(b.getContext(), segments));
  Value size = frame.size(length), whole = high,
        parts = frame.constant(segments);
  Slots folds(frame, frame.pointer(frame.kernel.getWorkspaceArgument()));
  Value isFirstLaunch =
      compare(arith::CmpIPredicate::eq, frame.step(), frame.constant(0));
  Value isSecondLaunch =
      compare(arith::CmpIPredicate::ne, frame.step(), frame.constant(0));
  Scope root(frame);
  emitSteps(frame, root, frame.blockNumber, frame.size(shape.count),
            frame.blockCount, [&](Scope &scope, Value number) {
              Value row = arith::DivUIOp::create(b, loc, number, parts);
              Value first = frame.mul(row, parts);
              bindDigits(frame, scope, rows, row);
              low = frame.mul(frame.sub(number, first), size);
              high =
                  arith::MinSIOp::create(b, loc, frame.add(low, size), whole);
              emitWhen(frame, scope, isFirstLaunch, [&](Scope &inner) {
                SmallVector<Value> fold =
                    emitChunks(inner, along, scan, {}, [](Scope &) {});
                emitWhen(frame, inner, team.emitElectWriter(),
                         [&](Scope &) { folds.store(fold.front(), number); });
              });
              emitWhen(frame, scope, isSecondLaunch, [&](Scope &inner) {
                SmallVector<Value> init = monoid.init(b, loc, /*lanes=*/1);
                auto loop = scf::ForOp::create(b, loc, first, number,
                                               frame.constant(1), init);
                {
                  OpBuilder::InsertionGuard guard(b);
                  b.setInsertionPointToStart(loop.getBody());
                  Value fold = folds.load(init.front().getType(),
                                          loop.getInductionVar());
                  fold = monoid.fold(b, loc, loop.getRegionIterArg(0), fold);
                  scf::YieldOp::create(b, loc, fold);
                }
                carried = {loop.getResult(0)};
                emitWrites(points, inner);
                carried.clear();
              });
            });
  return shape;
}

LaunchShape tc::emitScanKernel(GPUFrame &frame, GPUScanScheduleAttr schedule) {
  unsigned along = getScannedDims(frame.kernel).find_first();
  DimSet outer = getOuterDims(frame.kernel, frame.dims);
  SmallVector<unsigned> rows(outer.set_bits());
  RowScanner scanner(frame, along);
  LaunchShape shape = schedule.getSegments() > 1
                          ? scanner.emitSegments(rows, schedule.getSegments())
                          : scanner.emitRows(rows);
  shape.grain = SizeExpr::constant(frame.builder.getContext(), 1);
  shape.threads = frame.threads;
  return shape;
}
