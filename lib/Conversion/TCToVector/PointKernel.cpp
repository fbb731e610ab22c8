//===- PointKernel.cpp - Kernels computed point by point ------------------===//
//
// The dimensions over which everything is parallel are the iterations of the
// launch. Within one iteration reductions are loops, and each group of writes
// over the same inner dimensions is a loop. The lanes run along the schedule's
// vector dimension, which is either parallel (each lane a point of the output)
// or an inner one (a row that is reduced, or re-read).
//
//===----------------------------------------------------------------------===//

#include "KernelEmitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

DimSet tc::getWriteDims(KernelFrame &frame, WriteOp write) {
  return frame.dims.ofWrite(write);
}

/// Dimensions whose points a write puts at different elements, whatever the
/// values of its indices: those that some index of the buffer follows alone.
static DimSet getDistinctDims(KernelFrame &frame, WriteOp write) {
  unsigned rank = frame.kernel.getNumDims();
  if (write.getIndices().empty() && write.getCombine() == CombineKind::Replace)
    return DimSet(rank, true);
  DimSet distinct(rank);
  for (AffineExpr expr : write.getMap().getResults()) {
    DimSet used =
        KernelDims::ofMap(AffineMap::get(write.getMap().getNumDims(),
                                         write.getMap().getNumSymbols(), expr),
                          rank);
    bool isDynamic = false;
    for (unsigned i = 0; i < write.getIndices().size(); ++i)
      isDynamic |= expr.isFunctionOfDim(rank + i);
    if (!isDynamic && isa<AffineDimExpr>(expr))
      distinct |= used;
  }
  return distinct;
}

DimSet tc::getOuterDims(KernelFrame &frame) {
  DimSet outer(frame.kernel.getNumDims(), true);
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      outer &= getWriteDims(frame, write);
      outer &= getDistinctDims(frame, write);
    }
    // A result over no dimension is computed once an iteration: it does not
    // make the iterations dependent.
    if (isa<ReduceStageOp, ContractStageOp>(op) &&
        frame.dims.of(op.getResult(0)).any())
      outer &= frame.dims.of(op.getResult(0));
    llvm::TypeSwitch<Operation *>(&op).Case<ScanStageOp, SortStageOp>(
        [&](auto stage) {
          DimSet apart = frame.dims.of(stage->getResult(0));
          apart.reset(stage.getAlong());
          outer &= apart;
        });
  }
  return outer;
}

/// Whether the points of `dim` can be computed together, as lanes.
static bool mayHoldLanes(KernelFrame &frame, unsigned dim) {
  if (getScannedDims(frame.kernel).test(dim))
    return false;
  for (WriteOp write : frame.kernel.getBodyBlock().getOps<WriteOp>())
    if (!getDistinctDims(frame, write).test(dim))
      return false;
  return true;
}

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

void tc::bindDigits(KernelFrame &frame, Scope &scope, ArrayRef<unsigned> dims,
                    Value iteration) {
  for (; dims.size() > 1; dims = dims.drop_back()) {
    Value size = frame.dimSize(dims.back());
    Value quotient =
        arith::DivUIOp::create(frame.builder, frame.loc, iteration, size);
    scope.bind(dims.back(), frame.sub(iteration, frame.mul(quotient, size)));
    iteration = quotient;
  }
  if (!dims.empty())
    scope.bind(dims.front(), iteration);
}

/// Emits the reductions that do not depend on the loops to come, in the order
/// of the block, so that what one keeps in a buffer is there for the next.
static void emitOuterReductions(PointEmitter &emitter, Scope &scope) {
  KernelFrame &frame = emitter.frame;
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (!isa<ReduceStageOp, ContractStageOp>(op))
      continue;
    DimSet open = frame.dims.of(op.getResult(0));
    open.reset(scope.bound);
    if (open.none())
      emitter.emit(op.getResult(0), scope);
  }
}

void tc::emitWrites(PointEmitter &emitter, Scope &scope) {
  KernelFrame &frame = emitter.frame;
  emitOuterReductions(emitter, scope);
  SmallVector<WriteOp> writes(frame.kernel.getBodyBlock().getOps<WriteOp>());
  for (size_t i = 0; i < writes.size();) {
    DimSet open = getWriteDims(frame, writes[i]);
    open.reset(scope.bound);
    size_t end = i + 1;
    for (; end < writes.size(); ++end) {
      DimSet next = getWriteDims(frame, writes[end]);
      next.reset(scope.bound);
      if (next != open)
        break;
    }
    auto group = ArrayRef(writes).slice(i, end - i);
    SmallVector<Value> roots;
    for (WriteOp write : group)
      llvm::append_range(roots, write->getOperands());
    std::optional<unsigned> instead;
    if (open.count() == 1 && llvm::all_of(group, [](WriteOp write) {
          return write.getIndices().empty() &&
                 write.getCombine() == CombineKind::Replace;
        }))
      instead = emitter.lanesInstead(open.find_first(), roots);
    LanesAlong lanes(emitter, instead);
    emitter.emitScanLoops(scope, emitter.loopOrder(open), roots,
                          [&](Scope &inner) {
                            for (WriteOp write : group)
                              emitter.emitWrite(write, inner);
                          });
    i = end;
  }
}

namespace {
/// How the launch's iterations cover the outer dimensions.
struct OuterPlan {
  SmallVector<unsigned> dims; ///< without the lanes' dimension
  bool lanesOutside = false;  ///< the lanes' dimension is an outer one,
  int64_t block = 0;          ///< cut into blocks of this size; 0: whole
  LaunchShape shape;
};
} // namespace

static OuterPlan planOuter(KernelFrame &frame, const DimSet &outer,
                           std::optional<unsigned> vectorDim, int64_t lanes) {
  MLIRContext *context = frame.kernel.getContext();
  OuterPlan plan;
  plan.shape.count = SizeExpr::constant(context, 1);
  plan.lanesOutside = vectorDim && outer.test(*vectorDim);
  int64_t inner = 1; // points of one iteration; unknown sizes count as 1
  for (unsigned dim = 0; dim < frame.kernel.getNumDims(); ++dim) {
    SizeExpr size = frame.kernel.getDimSize(dim);
    if (outer.test(dim) && !(plan.lanesOutside && dim == *vectorDim)) {
      plan.dims.push_back(dim);
      plan.shape.count = plan.shape.count.mul(size);
    } else {
      inner *= std::max<int64_t>(size.getConstant().value_or(1), 1);
    }
  }
  if (plan.lanesOutside) {
    SizeExpr size = frame.kernel.getDimSize(*vectorDim);
    bool reduces = outer.count() < frame.kernel.getNumDims();
    bool enough =
        plan.shape.count.isConstant() && plan.shape.count.getValue() >= 64;
    if (reduces || !enough) {
      plan.block = reduces ? lanes : lanes * llvm::divideCeil(4096, lanes);
      plan.shape.count = plan.shape.count.mul(
          size.ceilDiv(SizeExpr::constant(context, plan.block)));
      if (auto constant = size.getConstant())
        inner = inner / std::max<int64_t>(*constant, 1) * plan.block;
    }
  }
  plan.shape.grain =
      std::max<int64_t>(1, kGrainElements / std::max<int64_t>(inner, 1));
  if (auto schedule = frame.kernel.getSchedule();
      schedule && schedule->getGrain() > 1)
    plan.shape.grain = schedule->getGrain();
  return plan;
}

/// The launch's loop with everything in it.
static void emitIterations(KernelFrame &frame, PointEmitter &emitter,
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

FailureOr<LaunchShape> tc::emitPointKernel(KernelFrame &frame) {
  if (failed(checkScans(frame.kernel)))
    return failure();
  std::optional<unsigned> vectorDim;
  int64_t lanes = 1;
  if (auto schedule = frame.kernel.getSchedule();
      schedule && schedule->getVectorDim() >= 0 &&
      mayHoldLanes(frame, schedule->getVectorDim())) {
    vectorDim = schedule->getVectorDim();
    lanes = schedule->getVectorWidth() * schedule->getUnroll();
  }
  DimSet outer = getOuterDims(frame);
  OuterPlan plan = planOuter(frame, outer, vectorDim, lanes);
  DimSet open(frame.kernel.getNumDims(), true);
  open.reset(outer);
  emitVersions(frame, vectorDim, lanes, [&](bool nontemporal) {
    PointEmitter emitter(frame, vectorDim, lanes);
    emitter.nontemporal = nontemporal;
    if (vectorDim && open.test(*vectorDim))
      keepSharedValues(emitter, open);
    emitIterations(frame, emitter, plan);
  });
  return plan.shape;
}
