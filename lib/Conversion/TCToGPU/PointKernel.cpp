//===- PointKernel.cpp - Points on the threads of a grid ------------------===//
//
// A block computes consecutive points. Where they are all there and vectors are
// aligned, each thread computes vectors in straight-line code, all loads before
// the first use; in the last block, its threads take turns, point by point.
// Where they are not aligned, every row has vectors of its own, which are
// aligned for what is stored: a row's first and last one may be parts.
//
//===----------------------------------------------------------------------===//

#include "PointKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "InnerVectors.h"
#include "TC/Analysis/ElementStrides.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

namespace {
class PointsEmitter {
public:
  PointsEmitter(GPUFrame &frame, GPULoopScheduleAttr schedule);
  LaunchShape emit();

private:
  /// Binds a scope to the points of a vector, with the mask of its lanes;
  /// whether (i1) these are all there, null where they always are.
  using BindVector = llvm::function_ref<Value(Scope &, Value vector)>;

  void emitWhole(Scope &scope, const VectorAlignment *alignment, Value low);
  void emitVectors(Scope &scope, const VectorAlignment *alignment);
  void emitRows(Scope &scope, int64_t units);
  SizeExpr countVectors() const;
  Value bindRow(Scope &scope, PointEmitter &emitter, Value vector);
  void emitUnits(Scope &scope, PointEmitter &emitter, Value first,
                 int64_t units, BindVector bind);
  void emitTogether(Scope &scope, PointEmitter &emitter, int64_t units,
                    llvm::function_ref<void(Scope &, int64_t unit)> bind);
  void emitPoints(Scope &scope, Value low);

  GPUFrame &frame;
  GPULoopScheduleAttr schedule;
  std::optional<unsigned> lanesDim;
  SmallVector<unsigned> dims; ///< of the points, that of the lanes the last
  SizeExpr count;             ///< points
  SizeExpr rowVectors;        ///< of a row, wherever it begins
  int64_t lanes, blockPoints;
  UnalignedVectors unaligned{frame};
};
} // namespace

PointsEmitter::PointsEmitter(GPUFrame &frame, GPULoopScheduleAttr schedule)
    : frame(frame), schedule(schedule),
      count(SizeExpr::constant(frame.kernel.getContext(), 1)),
      lanes(schedule.getVectorWidth()),
      blockPoints(lanes * schedule.getUnits() * schedule.getThreads()) {
  DimSet outer = getOuterDims(frame.kernel, frame.dims);
  if (int64_t dim = schedule.getVectorDim(); dim >= 0 && outer.test(dim))
    lanesDim = dim;
  for (unsigned dim : outer.set_bits()) {
    count = count.mul(frame.kernel.getDimSize(dim));
    if (dim != lanesDim)
      dims.push_back(dim);
  }
  if (lanesDim) {
    dims.push_back(*lanesDim);
    MLIRContext *context = frame.kernel.getContext();
    rowVectors = frame.kernel.getDimSize(*lanesDim)
                     .add(SizeExpr::constant(context, lanes - 1))
                     .ceilDiv(SizeExpr::constant(context, lanes));
  }
}

/// What the writes read at the points of `scope`, before any is written.
static void emitReads(PointEmitter &emitter, Scope &scope) {
  KernelFrame &frame = emitter.frame;
  for (ReadOp read : frame.kernel.getBodyBlock().getOps<ReadOp>())
    if (!frame.dims.of(read.getResult()).test(scope.bound))
      emitter.emit(read.getResult(), scope);
}

/// The vectors of a thread in straight-line code, all loads in front.
void PointsEmitter::emitTogether(
    Scope &scope, PointEmitter &emitter, int64_t units,
    function_ref<void(Scope &, int64_t unit)> bind) {
  SmallVector<std::unique_ptr<Scope>> vectors;
  for (int64_t unit = 0; unit < units; ++unit) {
    StraightLine line(frame, scope);
    Scope &own = *vectors.emplace_back(std::make_unique<Scope>(scope));
    bind(own, unit);
    emitReads(emitter, own);
  }
  for (auto &vector : vectors) {
    StraightLine line(frame, scope);
    emitWrites(emitter, *vector);
  }
}

/// The vectors of a thread, from number `first` on: those that are inner ones
/// together, without masks, others one after the other.
void PointsEmitter::emitUnits(Scope &scope, PointEmitter &emitter, Value first,
                              int64_t units, BindVector bind) {
  auto &b = frame.builder;
  Value threads = frame.constant(schedule.getThreads());
  auto bindUnit = [&](Scope &own, Value unit) {
    return bind(own, frame.add(first, frame.mul(unit, threads)));
  };
  SmallVector<std::unique_ptr<Scope>> vectors;
  Value areInner;
  // What is folded is not bound in front of the vectors' code.
  bool isKnown = schedule.getPeel() && lanes > 1 &&
                 getOuterDims(frame.kernel, frame.dims).all();
  for (int64_t unit = 0; unit < units && isKnown; ++unit) {
    StraightLine line(frame, scope);
    Scope &own = *vectors.emplace_back(std::make_unique<Scope>(scope));
    Value areThere = bindUnit(own, frame.constant(unit));
    FailureOr<Value> inner = emitAreInner(emitter, own, areThere);
    isKnown = succeeded(inner);
    if (isKnown && *inner)
      areInner = restrictMask(b, frame.loc, areInner, *inner);
  }
  if (!isKnown || !areInner)
    return emitTogether(scope, emitter, units, [&](Scope &own, int64_t unit) {
      bindUnit(own, frame.constant(unit));
    });
  emitEither(
      frame, scope, areInner,
      [&](Scope &inner) {
        emitTogether(inner, emitter, units, [&](Scope &own, int64_t unit) {
          for (unsigned dim : dims)
            own.bind(dim, vectors[unit]->indices[dim]);
          own.lanes = Lanes{*lanesDim, lanes, /*mask=*/nullptr,
                            /*areInner=*/true};
        });
      },
      [&](Scope &outer) {
        // It takes no registers from the code that most vectors need.
        const UnalignedAccess *usual =
            std::exchange(emitter.unaligned, &unaligned.getSingleLanes());
        emitSteps(frame, outer, frame.constant(0), frame.constant(units), 1,
                  [&](Scope &own, Value unit) {
                    bindUnit(own, unit);
                    emitReads(emitter, own);
                    emitWrites(emitter, own);
                  });
        emitter.unaligned = usual;
      });
}

void PointsEmitter::emitVectors(Scope &scope,
                                const VectorAlignment *alignment) {
  PointEmitter emitter(frame, lanesDim, lanes);
  emitter.aligned = alignment;
  emitter.unaligned = &unaligned;
  Value first = frame.add(
      frame.mul(frame.blockNumber,
                frame.constant(schedule.getThreads() * schedule.getUnits())),
      frame.threadNumber);
  emitUnits(scope, emitter, first, schedule.getUnits(),
            [&](Scope &own, Value vector) -> Value {
              bindDigits(frame, own, dims,
                         frame.mul(vector, frame.constant(lanes)));
              if (lanes > 1)
                own.lanes = Lanes{*lanesDim, lanes, /*mask=*/nullptr};
              return {};
            });
}

/// Vectors of all rows.
SizeExpr PointsEmitter::countVectors() const {
  SizeExpr all = rowVectors;
  for (unsigned dim : ArrayRef(dims).drop_back())
    all = all.mul(frame.kernel.getDimSize(dim));
  return all;
}

WriteOp tc::findVectorWrite(KernelOp kernel, unsigned dim) {
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    auto stride =
        getElementStride(cast<ShapedType>(write.getDestination().getType()),
                         write.getMap(), dim);
    if (write.getIndices().empty() && stride && stride->isConstant(1))
      return write;
  }
  return nullptr;
}

/// Binds `scope` to the points of vector number `vector` of all rows, or to no
/// point of the last one where there are not so many.
Value PointsEmitter::bindRow(Scope &scope, PointEmitter &emitter,
                             Value vector) {
  auto &b = frame.builder;
  Location loc = frame.loc;
  SizeExpr total = countVectors(), size = frame.kernel.getDimSize(*lanesDim);
  Type narrow = b.getI32Type();
  auto as32 = [&](Value value, SizeExpr bound) -> Value {
    return isFew(bound) ? arith::TruncIOp::create(b, loc, narrow, value)
                        : value;
  };
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        vector, frame.size(total));
  vector = arith::MinSIOp::create(
      b, loc, vector, frame.sub(frame.size(total), frame.constant(1)));
  auto [row, vectorOfRow] =
      emitDivision(frame, vector, frame.size(rowVectors), total);
  Value first = frame.mul(vectorOfRow, frame.constant(lanes));
  bindDigits(frame, scope, ArrayRef(dims).drop_back(), row);
  if (WriteOp write = findVectorWrite(frame.kernel, *lanesDim))
    first = frame.add(
        first, unaligned.emitOffset(emitter, write, *lanesDim, scope, lanes));
  scope.bind(*lanesDim, first);
  Value low = as32(frame.sub(frame.constant(0), first), size),
        high = as32(frame.sub(frame.size(size), first), size);
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(high.getType()));
  high = arith::SelectOp::create(b, loc, isThere, high, none);
  scope.lanes = Lanes{*lanesDim, lanes, unaligned.emitMask(low, high, lanes)};
  Value all = arith::ConstantOp::create(
      b, loc, IntegerAttr::get(high.getType(), lanes));
  return arith::AndIOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, low, none),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, high, all));
}

/// The grid's threads take the vectors of all rows in turns, `units` at a time.
void PointsEmitter::emitRows(Scope &scope, int64_t units) {
  PointEmitter emitter(frame, lanesDim, lanes);
  emitter.unaligned = &unaligned;
  Value vectors = frame.constant(schedule.getThreads() * units);
  Value block = frame.mul(frame.blockNumber, vectors);
  Value step = frame.mul(frame.blockCount, vectors);
  emitSteps(frame, scope, block, frame.size(countVectors()), step,
            [&](Scope &inner, Value first) {
              first = frame.add(first, frame.threadNumber);
              emitUnits(inner, emitter, first, units,
                        [&](Scope &own, Value vector) {
                          return bindRow(own, emitter, vector);
                        });
            });
}

void PointsEmitter::emitPoints(Scope &scope, Value low) {
  auto &builder = frame.builder;
  PointEmitter emitter(frame, std::nullopt, 1);
  Value high = arith::MinSIOp::create(
      builder, frame.loc, frame.add(low, frame.constant(blockPoints)),
      frame.size(count));
  emitSteps(frame, scope, frame.add(low, frame.threadNumber), high,
            schedule.getThreads(), [&](Scope &inner, Value point) {
              bindDigits(frame, inner, dims, point);
              emitWrites(emitter, inner);
            });
}

/// The block's points, as vectors where they are all there.
void PointsEmitter::emitWhole(Scope &scope, const VectorAlignment *alignment,
                              Value low) {
  auto constant = count.getConstant();
  if (constant && *constant % blockPoints == 0)
    return emitVectors(scope, alignment);
  Value isWhole = arith::CmpIOp::create(
      frame.builder, frame.loc, arith::CmpIPredicate::sle,
      frame.add(low, frame.constant(blockPoints)), frame.size(count));
  emitEither(
      frame, scope, isWhole,
      [&](Scope &inner) { emitVectors(inner, alignment); },
      [&](Scope &inner) { emitPoints(inner, low); });
}

LaunchShape PointsEmitter::emit() {
  MLIRContext *context = frame.kernel.getContext();
  auto inBlocks = [&](SizeExpr number, int64_t perBlock) {
    return number.ceilDiv(SizeExpr::constant(context, perBlock));
  };
  LaunchShape shape;
  shape.threads = schedule.getThreads();
  shape.count = inBlocks(count, blockPoints);
  shape.grain = SizeExpr::constant(context, 1);
  Scope root(frame);
  Value low = frame.mul(frame.blockNumber, frame.constant(blockPoints));
  if (!lanesDim || lanes == 1) {
    if (schedule.getUnits() == 1)
      emitPoints(root, low);
    else
      emitWhole(root, nullptr, low);
    return shape;
  }
  VectorAlignment alignment(frame.kernel, *lanesDim, lanes);
  if (!alignment.isUseful()) {
    shape.count =
        inBlocks(countVectors(), schedule.getThreads() * schedule.getUnits());
    emitRows(root, schedule.getUnits());
    return shape;
  }
  emitEither(
      frame, root, emitIsAligned(frame, alignment),
      [&](Scope &scope) { emitWhole(scope, &alignment, low); },
      // It takes no registers from the version that most calls need.
      [&](Scope &scope) { emitRows(scope, /*units=*/1); });
  return shape;
}

LaunchShape tc::emitPointKernel(GPUFrame &frame, GPULoopScheduleAttr schedule) {
  return PointsEmitter(frame, schedule).emit();
}
