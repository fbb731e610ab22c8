//===- RowKernel.cpp - Rows that threads share ----------------------------===//
//
// The threads of a row take vectors of it in turns, fold what they have, and
// fold the results together. A row that they hold in registers is read once;
// of any other, each stage reads it again, from caches where it fits them.
//
//===----------------------------------------------------------------------===//

#include "RowKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "RowTeam.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

namespace {
class RowsEmitter {
public:
  RowsEmitter(GPUFrame &frame, GPURowScheduleAttr schedule)
      : frame(frame), schedule(schedule),
        count(SizeExpr::constant(frame.kernel.getContext(), 1)) {
    DimSet outer = getOuterDims(frame.kernel, frame.dims);
    for (unsigned dim : outer.set_bits()) {
      count = count.mul(frame.kernel.getDimSize(dim));
      dims.push_back(dim);
    }
  }
  LaunchShape emit();

private:
  void emitRow(Scope &scope, int64_t lanes, const VectorAlignment *alignment,
               bool holdsRow);

  GPUFrame &frame;
  GPURowScheduleAttr schedule;
  SmallVector<unsigned> dims; ///< of the rows
  SizeExpr count;             ///< of the rows
};
} // namespace

void RowsEmitter::emitRow(Scope &scope, int64_t lanes,
                          const VectorAlignment *alignment, bool holdsRow) {
  auto &builder = frame.builder;
  unsigned dim = schedule.getVectorDim();
  RowTeam team(frame, dim, schedule.getThreads());
  PointEmitter emitter(frame, dim, lanes);
  emitter.aligned = alignment;
  emitter.team = &team;
  emitter.holdsRow = holdsRow;
  emitter.units = holdsRow ? schedule.getUnits() : 1;
  Value row = frame.blockNumber;
  if (frame.cluster > 1)
    row = arith::DivUIOp::create(builder, frame.loc, row,
                                 frame.constant(frame.cluster));
  if (schedule.getRows() > 1) {
    row = frame.add(frame.mul(row, frame.constant(schedule.getRows())),
                    team.getRow());
    auto constant = count.getConstant();
    if (!constant || *constant % schedule.getRows() != 0) {
      // The threads of rows that are not there compute the last one along, and
      // write nothing: all threads meet at barriers.
      Value rows = frame.size(count);
      scope.present = arith::CmpIOp::create(
          builder, frame.loc, arith::CmpIPredicate::slt, row, rows);
      row = arith::MinSIOp::create(builder, frame.loc, row,
                                   frame.sub(rows, frame.constant(1)));
    }
  }
  bindDigits(frame, scope, dims, row);
  emitWrites(emitter, scope);
  team.emitEnd();
}

LaunchShape RowsEmitter::emit() {
  MLIRContext *context = frame.kernel.getContext();
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.cluster = frame.cluster;
  shape.count = count.ceilDiv(SizeExpr::constant(context, schedule.getRows()))
                    .mul(schedule.getCluster());
  shape.grain = SizeExpr::constant(context, 1);
  Scope root(frame);
  int64_t lanes = schedule.getVectorWidth();
  bool holdsRow = schedule.getUnits() > 0;
  VectorAlignment alignment(frame.kernel, schedule.getVectorDim(), lanes);
  if (!alignment.isUseful()) {
    emitRow(root, 1, nullptr, holdsRow && lanes == 1);
    return shape;
  }
  emitEither(
      frame, root, emitIsAligned(frame, alignment),
      [&](Scope &scope) { emitRow(scope, lanes, &alignment, holdsRow); },
      [&](Scope &scope) { emitRow(scope, 1, nullptr, /*holdsRow=*/false); });
  return shape;
}

LaunchShape tc::emitRowKernel(GPUFrame &frame, GPURowScheduleAttr schedule) {
  return RowsEmitter(frame, schedule).emit();
}
