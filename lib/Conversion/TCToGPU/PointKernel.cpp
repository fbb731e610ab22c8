//===- PointKernel.cpp - Points on the threads of a grid ------------------===//
//
// A block computes consecutive points. Where they are all there and vectors are
// aligned, each thread computes vectors in straight-line code, all loads before
// the first use; else its threads take turns, point by point.
//
//===----------------------------------------------------------------------===//

#include "PointKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
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
  void emitVectors(Scope &scope, const VectorAlignment *alignment);
  void emitPoints(Scope &scope, Value low);

  GPUFrame &frame;
  GPULoopScheduleAttr schedule;
  std::optional<unsigned> lanesDim;
  SmallVector<unsigned> dims; ///< of the points, that of the lanes the last
  SizeExpr count;             ///< points
  int64_t lanes, blockPoints;
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
  if (lanesDim)
    dims.push_back(*lanesDim);
}

/// What the writes read at the points of `scope`, before any is written.
static void emitReads(PointEmitter &emitter, Scope &scope) {
  KernelFrame &frame = emitter.frame;
  for (ReadOp read : frame.kernel.getBodyBlock().getOps<ReadOp>())
    if (!frame.dims.of(read.getResult()).test(scope.bound))
      emitter.emit(read.getResult(), scope);
}

void PointsEmitter::emitVectors(Scope &scope,
                                const VectorAlignment *alignment) {
  PointEmitter emitter(frame, lanesDim, lanes);
  emitter.aligned = alignment;
  Value first = frame.add(
      frame.mul(frame.blockNumber,
                frame.constant(schedule.getThreads() * schedule.getUnits())),
      frame.threadNumber);
  SmallVector<std::unique_ptr<Scope>> units;
  for (int64_t unit = 0; unit < schedule.getUnits(); ++unit) {
    StraightLine line(frame, scope);
    Scope &own = *units.emplace_back(std::make_unique<Scope>(scope));
    Value vector =
        frame.add(first, frame.constant(unit * schedule.getThreads()));
    bindDigits(frame, own, dims, frame.mul(vector, frame.constant(lanes)));
    if (lanes > 1)
      own.lanes = Lanes{*lanesDim, lanes, /*mask=*/nullptr};
    emitReads(emitter, own);
  }
  for (auto &unit : units) {
    StraightLine line(frame, scope);
    emitWrites(emitter, *unit);
  }
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

LaunchShape PointsEmitter::emit() {
  auto &builder = frame.builder;
  MLIRContext *context = frame.kernel.getContext();
  LaunchShape shape;
  shape.threads = schedule.getThreads();
  shape.count = count.ceilDiv(SizeExpr::constant(context, blockPoints));
  shape.grain = SizeExpr::constant(context, 1);
  Scope root(frame);
  Value low = frame.mul(frame.blockNumber, frame.constant(blockPoints));
  std::optional<VectorAlignment> alignment;
  if (lanesDim && lanes > 1)
    alignment.emplace(frame.kernel, *lanesDim, lanes);
  bool hasVectors = alignment && alignment->isUseful();
  if (!hasVectors && (lanes > 1 || schedule.getUnits() == 1)) {
    emitPoints(root, low);
    return shape;
  }
  Value isWhole;
  auto constant = count.getConstant();
  if (!constant || *constant % blockPoints != 0)
    isWhole = arith::CmpIOp::create(
        builder, frame.loc, arith::CmpIPredicate::sle,
        frame.add(low, frame.constant(blockPoints)), frame.size(count));
  if (!hasVectors && !isWhole) {
    emitVectors(root, nullptr);
    return shape;
  }
  Value condition =
      hasVectors ? emitIsAligned(frame, *alignment, isWhole) : isWhole;
  emitEither(
      frame, root, condition,
      [&](Scope &scope) {
        emitVectors(scope, hasVectors ? &*alignment : nullptr);
      },
      [&](Scope &scope) { emitPoints(scope, low); });
  return shape;
}

LaunchShape tc::emitPointKernel(GPUFrame &frame, GPULoopScheduleAttr schedule) {
  return PointsEmitter(frame, schedule).emit();
}
