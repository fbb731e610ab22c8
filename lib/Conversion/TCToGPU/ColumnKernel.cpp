//===- ColumnKernel.cpp - Columns that threads share ----------------------===//
//
// A block computes a strip of columns: threads next to each other take vectors
// of columns, and threads below each other the points of these in turns. Where
// columns begin at an address that is not aligned, vectors begin before them.
//
//===----------------------------------------------------------------------===//

#include "ColumnKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "ColumnTeam.h"
#include "PartFolds.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

namespace {
/// How threads go through columns: by vectors of `lanes` of them, those that
/// `alignment` says aligned, in so many strips along the lanes' dimension, and
/// with these parts where blocks share strips.
struct Version {
  int64_t lanes;
  const VectorAlignment *alignment;
  SizeExpr strips;
  PartFolds *folds;
};

class ColumnsEmitter {
public:
  ColumnsEmitter(GPUFrame &frame, GPUColumnScheduleAttr schedule);
  LaunchShape emit();

private:
  SizeExpr countStripsAlong(int64_t more);
  void emitColumns(Scope &scope, Value group, const Version &version);
  void emitColumn(Scope &scope, ColumnTeam &team, Value first, Value number,
                  const Version &version);
  void bindAnywhere(PointEmitter &emitter, Scope &scope, Value column);
  void emitParts(Scope &scope, Value block, const Version &version);
  void emitAnywhere(Scope &scope, const VectorAlignment &alignment);
  void emitUnaligned(Scope &scope, const VectorAlignment *anywhere);

  GPUFrame &frame;
  GPUColumnScheduleAttr schedule;
  unsigned lanesDim;
  SmallVector<unsigned> sharedDims;
  SmallVector<unsigned> dims;     ///< the outer ones without that of the lanes
  std::optional<PartFolds> folds; ///< of blocks that share strips
  UnalignedVectors unaligned{frame};
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
}

/// Strips of all columns and `more`.
SizeExpr ColumnsEmitter::countStripsAlong(int64_t more) {
  auto constant = [&](int64_t value) {
    return SizeExpr::constant(frame.kernel.getContext(), value);
  };
  return frame.kernel.getDimSize(lanesDim)
      .add(constant(more))
      .ceilDiv(
          constant(schedule.getColumnThreads() * schedule.getVectorWidth()));
}

/// A thread without vectors computes as many columns as one of a vector has,
/// one after the other: blocks compute the same columns in both versions.
void ColumnsEmitter::emitColumns(Scope &scope, Value group,
                                 const Version &version) {
  ColumnTeam team(frame, sharedDims.front(), schedule.getColumnThreads());
  team.dims = sharedDims;
  Value strip = group;
  if (!dims.empty()) {
    Value strips = frame.size(version.strips);
    Value rest =
        arith::DivUIOp::create(frame.builder, frame.loc, strip, strips);
    strip = frame.sub(strip, frame.mul(rest, strips));
    bindDigits(frame, scope, dims, rest);
  }
  int64_t width = schedule.getVectorWidth();
  Value first =
      frame.mul(strip, frame.constant(schedule.getColumnThreads() * width));
  // Of the strip: vectors next to each other, or columns.
  Value number = frame.mul(team.column, frame.constant(version.lanes));
  if (version.lanes == width)
    return emitColumn(scope, team, first, number, version);
  emitSteps(frame, scope, frame.constant(0), frame.constant(width), 1,
            [&](Scope &inner, Value part) {
              Value offset =
                  frame.mul(part, frame.constant(schedule.getColumnThreads()));
              emitColumn(inner, team, first, frame.add(number, offset),
                         version);
            });
}

/// Binds the lanes of the vector that has column `column` first where vectors
/// begin with the first column, or those of the last vector.
void ColumnsEmitter::bindAnywhere(PointEmitter &emitter, Scope &scope,
                                  Value column) {
  auto &b = frame.builder;
  int64_t lanes = emitter.laneCount;
  emitter.unaligned = &unaligned;
  // Of the first column's first point.
  SmallVector<unsigned> zeros(sharedDims);
  zeros.push_back(lanesDim);
  Value offset = unaligned.emitOffset(emitter, emitter.aligned->getAnchor(),
                                      zeros, scope, lanes),
        size = frame.dimSize(lanesDim);
  Value last = frame.sub(frame.sub(size, offset), frame.constant(1));
  last = arith::AndIOp::create(b, frame.loc, last, frame.constant(-lanes));
  scope.present = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::sle,
                                        column, last);
  column = arith::MinSIOp::create(b, frame.loc, column, last);
  column = frame.add(column, offset);
  scope.bind(lanesDim, column);
  Value mask = unaligned.emitMask(frame.sub(frame.constant(0), column),
                                  frame.sub(size, column), lanes);
  scope.lanes = Lanes{lanesDim, lanes, mask};
}

/// The columns from number `number` of the strip that begins at `first`.
/// Threads beyond the last one compute it along, and write nothing.
void ColumnsEmitter::emitColumn(Scope &scope, ColumnTeam &team, Value first,
                                Value number, const Version &version) {
  int64_t lanes = version.lanes;
  PointEmitter emitter(frame, lanesDim, lanes);
  emitter.aligned = version.alignment;
  emitter.team = &team;
  emitter.units = schedule.getUnits();
  StraightLine line(frame, scope);
  Scope own(scope);
  Value column = frame.add(first, number), size = frame.dimSize(lanesDim);
  if (emitter.beginsAnywhere()) {
    bindAnywhere(emitter, own, column);
  } else {
    own.present = arith::CmpIOp::create(
        frame.builder, frame.loc, arith::CmpIPredicate::slt, column, size);
    column = arith::MinSIOp::create(frame.builder, frame.loc, column,
                                    frame.sub(size, frame.constant(lanes)));
    own.bind(lanesDim, column);
    if (lanes > 1)
      own.lanes = Lanes{lanesDim, lanes, /*mask=*/nullptr};
  }
  if (version.folds)
    version.folds->emitColumn(emitter, own, number);
  else
    emitWrites(emitter, own);
}

void ColumnsEmitter::emitParts(Scope &scope, Value block,
                               const Version &version) {
  if (!version.folds)
    return emitColumns(scope, block, version);
  version.folds->emitTwice(scope, block, [&](Scope &inner, Value group) {
    emitColumns(inner, group, version);
  });
}

/// Vectors that begin anywhere, of which there may be one more. Blocks, which
/// are as many as for others, take the strips of these in turns.
void ColumnsEmitter::emitAnywhere(Scope &scope,
                                  const VectorAlignment &alignment) {
  int64_t lanes = schedule.getVectorWidth();
  SizeExpr blocks =
      countStrips(frame.kernel, schedule, /*beginsAnywhere=*/true);
  std::optional<PartFolds> ownFolds;
  if (folds) {
    ownFolds.emplace(frame, folds->getPlan().cutInto(blocks));
    blocks = ownFolds->getPlan().getBlocks();
  }
  Version version{lanes, &alignment, countStripsAlong(lanes - 1),
                  ownFolds ? &*ownFolds : nullptr};
  emitSteps(
      frame, scope, frame.blockNumber, frame.size(blocks), frame.blockCount,
      [&](Scope &inner, Value block) { emitParts(inner, block, version); });
}

/// Where rows are whole vectors apart, and each begins equally early, all have
/// the same lanes, those of `anywhere`, if it is given; what else is not
/// aligned is loaded element by element.
void ColumnsEmitter::emitUnaligned(Scope &scope,
                                   const VectorAlignment *anywhere) {
  Version elements{1, nullptr, countStripsAlong(0), folds ? &*folds : nullptr};
  if (!anywhere)
    return emitParts(scope, frame.blockNumber, elements);
  if (anywhere->isCertain())
    return emitAnywhere(scope, *anywhere);
  emitEither(
      frame, scope, emitIsAligned(frame, *anywhere),
      [&](Scope &inner) { emitAnywhere(inner, *anywhere); },
      [&](Scope &inner) { emitParts(inner, frame.blockNumber, elements); });
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
  VectorAlignment alignment(frame.kernel, lanesDim, lanes),
      folded(frame.kernel, lanesDim, lanes, sharedDims);
  const VectorAlignment *anywhere =
      folded.isUseful() && mayFoldInParts(frame.kernel) ? &folded : nullptr;
  // What is folded counts, not what is stored once.
  if (!alignment.isUseful() ||
      (anywhere && !alignment.contains(anywhere->getAnchor()))) {
    emitUnaligned(root, anywhere);
    return shape;
  }
  emitEither(
      frame, root, emitIsAligned(frame, alignment),
      [&](Scope &scope) {
        emitParts(scope, frame.blockNumber,
                  {lanes, &alignment, countStripsAlong(0),
                   folds ? &*folds : nullptr});
      },
      [&](Scope &scope) { emitUnaligned(scope, anywhere); });
  return shape;
}

LaunchShape tc::emitColumnKernel(GPUFrame &frame,
                                 GPUColumnScheduleAttr schedule) {
  return ColumnsEmitter(frame, schedule).emit();
}
