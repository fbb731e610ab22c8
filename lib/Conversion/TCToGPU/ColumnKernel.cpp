//===- ColumnKernel.cpp - Columns that threads share ----------------------===//
//
// A block computes a strip of columns: threads next to each other take vectors
// of columns, and threads below each other the points of these in turns.
//
//===----------------------------------------------------------------------===//

#include "ColumnKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "ColumnTeam.h"
#include "PartFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

namespace {
class ColumnsEmitter {
public:
  ColumnsEmitter(GPUFrame &frame, GPUColumnScheduleAttr schedule);
  LaunchShape emit();

private:
  void emitColumns(Scope &scope, Value group, int64_t lanes,
                   const VectorAlignment *alignment);
  void emitColumn(Scope &scope, ColumnTeam &team, Value first, Value number,
                  int64_t lanes, const VectorAlignment *alignment);
  void emitParts(Scope &scope, int64_t lanes, const VectorAlignment *alignment);

  GPUFrame &frame;
  GPUColumnScheduleAttr schedule;
  unsigned lanesDim;
  SmallVector<unsigned> sharedDims;
  SmallVector<unsigned> dims;     ///< the outer ones without that of the lanes
  SizeExpr strips;                ///< blocks along the lanes' dimension
  std::optional<PartFolds> folds; ///< of blocks that share strips
};
} // namespace

ColumnsEmitter::ColumnsEmitter(GPUFrame &frame, GPUColumnScheduleAttr schedule)
    : frame(frame), schedule(schedule), lanesDim(schedule.getVectorDim()),
      sharedDims(getFirstFoldedDims(frame.kernel)) {
  DimSet outer = getOuterDims(frame.kernel, frame.dims);
  for (unsigned dim : outer.set_bits())
    if (dim != lanesDim)
      dims.push_back(dim);
  if (auto plan = FoldParts::find(frame.kernel))
    folds.emplace(frame, *plan);
  strips = frame.kernel.getDimSize(lanesDim).ceilDiv(SizeExpr::constant(
      frame.kernel.getContext(),
      schedule.getColumnThreads() * schedule.getVectorWidth()));
}

/// A thread without vectors computes as many columns as one of a vector has,
/// one after the other: blocks compute the same columns in both versions.
void ColumnsEmitter::emitColumns(Scope &scope, Value group, int64_t lanes,
                                 const VectorAlignment *alignment) {
  ColumnTeam team(frame, sharedDims.front(), schedule.getColumnThreads());
  team.dims = sharedDims;
  Value strip = group;
  if (!dims.empty()) {
    Value rest = arith::DivUIOp::create(frame.builder, frame.loc, strip,
                                        frame.size(strips));
    strip = frame.sub(strip, frame.mul(rest, frame.size(strips)));
    bindDigits(frame, scope, dims, rest);
  }
  int64_t width = schedule.getVectorWidth();
  Value first =
      frame.mul(strip, frame.constant(schedule.getColumnThreads() * width));
  // Of the strip: vectors next to each other, or columns.
  Value number = frame.mul(team.column, frame.constant(lanes));
  if (lanes == width)
    return emitColumn(scope, team, first, number, lanes, alignment);
  emitSteps(frame, scope, frame.constant(0), frame.constant(width), 1,
            [&](Scope &inner, Value part) {
              Value offset =
                  frame.mul(part, frame.constant(schedule.getColumnThreads()));
              emitColumn(inner, team, first, frame.add(number, offset), lanes,
                         alignment);
            });
}

/// The columns from number `number` of the strip that begins at `first`.
/// Threads beyond the last one compute it along, and write nothing.
void ColumnsEmitter::emitColumn(Scope &scope, ColumnTeam &team, Value first,
                                Value number, int64_t lanes,
                                const VectorAlignment *alignment) {
  PointEmitter emitter(frame, lanesDim, lanes);
  emitter.aligned = alignment;
  emitter.team = &team;
  emitter.units = schedule.getUnits();
  StraightLine line(frame, scope);
  Scope own(scope);
  Value column = frame.add(first, number), size = frame.dimSize(lanesDim);
  own.present = arith::CmpIOp::create(frame.builder, frame.loc,
                                      arith::CmpIPredicate::slt, column, size);
  column = arith::MinSIOp::create(frame.builder, frame.loc, column,
                                  frame.sub(size, frame.constant(lanes)));
  own.bind(lanesDim, column);
  if (lanes > 1)
    own.lanes = Lanes{lanesDim, lanes, /*mask=*/nullptr};
  if (folds)
    folds->emitColumn(emitter, own, number);
  else
    emitWrites(emitter, own);
}

void ColumnsEmitter::emitParts(Scope &scope, int64_t lanes,
                               const VectorAlignment *alignment) {
  if (!folds)
    return emitColumns(scope, frame.blockNumber, lanes, alignment);
  folds->emitTwice(scope, [&](Scope &inner, Value group) {
    emitColumns(inner, group, lanes, alignment);
  });
}

LaunchShape ColumnsEmitter::emit() {
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.count = countStrips(frame.kernel, schedule);
  shape.grain = SizeExpr::constant(frame.kernel.getContext(), 1);
  if (folds)
    shape = folds->getShape();
  frame.limitRegisters();
  Scope root(frame);
  int64_t lanes = schedule.getVectorWidth();
  VectorAlignment alignment(frame.kernel, lanesDim, lanes);
  if (!alignment.isUseful()) {
    emitParts(root, 1, nullptr);
    return shape;
  }
  emitEither(
      frame, root, emitIsAligned(frame, alignment),
      [&](Scope &scope) { emitParts(scope, lanes, &alignment); },
      [&](Scope &scope) { emitParts(scope, 1, nullptr); });
  return shape;
}

LaunchShape tc::emitColumnKernel(GPUFrame &frame,
                                 GPUColumnScheduleAttr schedule) {
  return ColumnsEmitter(frame, schedule).emit();
}
