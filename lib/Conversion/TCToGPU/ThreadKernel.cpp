//===- ThreadKernel.cpp - Points on the threads of a grid -----------------===//

#include "ThreadKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "BlockTeam.h"
#include "GPUFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

LaunchShape tc::emitThreadKernel(GPUFrame &frame) {
  MLIRContext *context = frame.kernel.getContext();
  auto &builder = frame.builder;
  std::optional<unsigned> lanesDim;
  if (int64_t dim = frame.kernel.getScheduleAttr().getVectorDim(); dim >= 0)
    lanesDim = dim;
  DimSet outer = getOuterDims(frame.kernel, frame.dims);
  bool sharesRow = lanesDim && !outer.test(*lanesDim);

  // The digits of an iteration's number, the lanes' dimension lowest.
  SmallVector<unsigned> dims;
  SizeExpr count = SizeExpr::constant(context, 1);
  for (unsigned dim : outer.set_bits()) {
    count = count.mul(frame.kernel.getDimSize(dim));
    if (dim != lanesDim)
      dims.push_back(dim);
  }
  if (lanesDim && !sharesRow)
    dims.push_back(*lanesDim);

  PointEmitter emitter(frame, std::nullopt, 1);
  std::optional<BlockTeam> team;
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.count = count;
  shape.grain = SizeExpr::constant(context, 1);
  Value first = frame.blockNumber, step = frame.blockCount;
  if (sharesRow) {
    emitter.team = &team.emplace(frame, *lanesDim);
  } else {
    shape.count = count.ceilDiv(SizeExpr::constant(context, frame.threads));
    Value width = frame.constant(frame.threads);
    first = frame.add(frame.mul(first, width), frame.threadNumber);
    step = frame.mul(step, width);
  }

  // A grid may have fewer blocks than there are iterations.
  Scope root(frame);
  auto loop =
      scf::ForOp::create(builder, frame.loc, first, frame.size(count), step);
  root.openLoop = loop;
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Scope scope(root);
  bindDigits(frame, scope, dims, loop.getInductionVar());
  emitWrites(emitter, scope);
  return shape;
}
