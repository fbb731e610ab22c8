//===- PointKernel.cpp - Kernels computed point by point ------------------===//
//
// The outer dimensions are the iterations of the launch. Within one iteration
// each reduction is a loop, and so is each group of writes over the same inner
// dimensions. The lanes run along the schedule's
// vector dimension, which is either parallel (each lane a point of the output)
// or an inner one (a row that is reduced, or re-read).
//
//===----------------------------------------------------------------------===//

#include "PointKernel.h"

#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "NontemporalStores.h"
#include "TC/Analysis/MachineModel.h"
#include "TaskSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;

/// Refuses a value that folds or scans what is scanned along another dimension:
/// its loops would have to keep a fold for each point of the first.
static LogicalResult checkScans(KernelOp kernel) {
  for (Operation &op : kernel.getBodyBlock()) {
    auto outer = dyn_cast<ScanStageOp>(op);
    if (!isa<ReduceStageOp, ContractStageOp, ScanStageOp>(op))
      continue;
    SmallVector<Value> pending(op.getOperands());
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!pending.empty()) {
      Operation *producer = pending.pop_back_val().getDefiningOp();
      if (!producer || !seen.insert(producer).second)
        continue;
      auto scan = dyn_cast<ScanStageOp>(producer);
      if (scan && (!outer || outer.getAlong() != scan.getAlong()))
        return op.emitOpError("folds what a tc.scan_stage of the same kernel "
                              "gives along another dimension; expected a "
                              "kernel of its own");
      llvm::append_range(pending, producer->getOperands());
    }
  }
  return success();
}

/// The kernel's loop schedule. A contraction or attention that its tiles do not
/// fit has loops with the lanes of its tiles; a kernel without a schedule has
/// scalar loops.
static LoopScheduleAttr getLoopSchedule(KernelOp kernel) {
  Attribute schedule = kernel.getScheduleAttr();
  if (auto loops = dyn_cast_or_null<LoopScheduleAttr>(schedule))
    return loops;
  int64_t dim = -1, width = 1;
  if (auto tiles = dyn_cast_or_null<ContractionScheduleAttr>(schedule);
      tiles && mayHoldLanes(kernel, tiles.getVectorDim())) {
    dim = tiles.getVectorDim();
    width = tiles.getVectorWidth();
  }
  MachineModel machine;
  return LoopScheduleAttr::get(kernel.getContext(), dim, width, /*unroll=*/1,
                               machine.block, /*grain=*/1, machine.taskPoints,
                               machine.keptPoints, machine.keptWeight,
                               machine.maxStride,
                               /*nontemporal=*/false);
}

namespace {
/// How the iterations of the launch divide the outer dimensions.
struct OuterPlan {
  SmallVector<unsigned> dims; ///< the outer ones without the lanes'
  bool lanesOutside = false;  ///< whether the lanes' dimension is an outer one
  int64_t block = 0; ///< points of it that an iteration computes; 0: all
  LaunchShape shape;
};
} // namespace

static OuterPlan planOuter(KernelFrame &frame, const DimSet &outer,
                           std::optional<unsigned> vectorDim, int64_t lanes,
                           LoopScheduleAttr schedule) {
  MLIRContext *context = frame.kernel.getContext();
  OuterPlan plan;
  plan.shape.count = SizeExpr::constant(context, 1);
  plan.lanesOutside = vectorDim && outer.test(*vectorDim);
  SizeExpr inner = plan.shape.count; // points of one iteration
  for (unsigned dim = 0; dim < frame.kernel.getNumDims(); ++dim) {
    SizeExpr size = frame.kernel.getDimSize(dim);
    bool holdsLanes = plan.lanesOutside && dim == *vectorDim;
    if (outer.test(dim) && !holdsLanes) {
      plan.dims.push_back(dim);
      plan.shape.count = plan.shape.count.mul(size);
    } else if (!holdsLanes) {
      inner = inner.mul(size);
    }
  }
  if (plan.lanesOutside) {
    SizeExpr size = frame.kernel.getDimSize(*vectorDim), within = size;
    // One vector of accumulators is kept through the loops over the others.
    bool walksOthers = outer.count() < frame.kernel.getNumDims();
    plan.block =
        walksOthers ? lanes : llvm::alignTo(schedule.getBlock(), lanes);
    if (plan.block > 0) {
      plan.shape.count = plan.shape.count.mul(
          size.ceilDiv(SizeExpr::constant(context, plan.block)));
      within = size.min(SizeExpr::constant(context, plan.block));
    }
    inner = inner.mul(within);
  }
  plan.shape.grain = schedule.getGrain() > 1
                         ? SizeExpr::constant(context, schedule.getGrain())
                         : getGrain(inner, schedule.getTaskPoints());
  return plan;
}

/// The loop over the iterations of the launch, with the code of each.
static void emitIterations(CPUFrame &frame, PointEmitter &emitter,
                           const OuterPlan &plan) {
  auto &builder = frame.builder;
  std::optional<unsigned> vectorDim = emitter.vectorDim;
  Scope root(frame);
  emitSteps(frame, root, frame.begin, frame.end, 1,
            [&](Scope &scope, Value iteration) {
              auto writeAll = [&](Scope &inner, ValueRange) {
                emitWrites(emitter, inner);
                return SmallVector<Value>();
              };
              if (plan.block == 0) {
                bindDigits(frame, scope, plan.dims, iteration);
                if (plan.lanesOutside)
                  emitter.emitLoop(scope, *vectorDim, {}, writeAll);
                else
                  emitWrites(emitter, scope);
                return;
              }
              // The block's number is the lowest digit.
              Value size = frame.dimSize(*vectorDim),
                    width = frame.constant(plan.block);
              Value blocks =
                  frame.size(frame.kernel.getDimSize(*vectorDim)
                                 .ceilDiv(SizeExpr::constant(
                                     frame.kernel.getContext(), plan.block)));
              Value number = iteration;
              if (!plan.dims.empty()) {
                Value rest = arith::DivUIOp::create(builder, frame.loc,
                                                    iteration, blocks);
                number = frame.sub(iteration, frame.mul(rest, blocks));
                bindDigits(frame, scope, plan.dims, rest);
              }
              Value low = frame.mul(number, width);
              Value high = arith::MinSIOp::create(builder, frame.loc,
                                                  frame.add(low, width), size);
              emitter.emitLoop(scope, *vectorDim, low, high, {}, writeAll);
            });
}

FailureOr<LaunchShape> tc::emitPointKernel(CPUFrame &frame) {
  if (failed(checkScans(frame.kernel)))
    return failure();
  std::optional<unsigned> vectorDim;
  int64_t lanes = 1;
  LoopScheduleAttr schedule = getLoopSchedule(frame.kernel);
  if (int64_t dim = schedule.getVectorDim(); dim >= 0) {
    if (!mayHoldLanes(frame.kernel, dim))
      return frame.kernel.emitOpError("'")
             << frame.kernel.getName() << "' has lanes along dimension " << dim
             << ", along which values are scanned or two points are written to "
                "one element; expected another vector_dim or none";
    vectorDim = dim;
    lanes = schedule.getVectorWidth() * schedule.getUnroll();
  }
  DimSet outer = getOuterDims(frame.kernel, frame.dims);
  OuterPlan plan = planOuter(frame, outer, vectorDim, lanes, schedule);
  DimSet open(frame.kernel.getNumDims(), true);
  open.reset(outer);
  emitVersions(frame, schedule.getNontemporal(), vectorDim, lanes,
               [&](bool nontemporal) {
                 PointEmitter emitter(frame, vectorDim, lanes);
                 emitter.nontemporal = nontemporal;
                 if (vectorDim && open.test(*vectorDim))
                   keepSharedValues(emitter, open, schedule.getKeptPoints(),
                                    schedule.getKeptWeight());
                 emitIterations(frame, emitter, plan);
               });
  return plan.shape;
}
