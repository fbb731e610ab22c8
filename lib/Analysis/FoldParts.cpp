//===- FoldParts.cpp - Folds that blocks of a GPU share -------------------===//

#include "TC/Analysis/FoldParts.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Dialect/TC/IR/Warp.h"

using namespace mlir;
using namespace tc;

static bool isFold(Operation &op) {
  return isa<ReduceStageOp, ContractStageOp>(op);
}

/// Points of the outer dimensions but `without` (-1: all).
static SizeExpr countOuter(KernelOp kernel, int64_t without) {
  SizeExpr count = SizeExpr::constant(kernel.getContext(), 1);
  DimSet outer = getOuterDims(kernel, KernelDims(kernel));
  for (unsigned dim : outer.set_bits())
    if (int64_t(dim) != without)
      count = count.mul(kernel.getDimSize(dim));
  return count;
}

SizeExpr tc::countStrips(KernelOp kernel, GPUColumnScheduleAttr schedule,
                         bool beginsAnywhere) {
  MLIRContext *context = kernel.getContext();
  int64_t lanes = schedule.getVectorWidth(),
          columns = schedule.getColumnThreads() * lanes;
  SizeExpr size = kernel.getDimSize(schedule.getVectorDim());
  if (beginsAnywhere)
    size = size.add(SizeExpr::constant(context, lanes - 1));
  return countOuter(kernel, schedule.getVectorDim())
      .mul(size.ceilDiv(SizeExpr::constant(context, columns)));
}

FoldParts FoldParts::cutInto(SizeExpr groups) const {
  SizeExpr one = SizeExpr::constant(groups.getContext(), 1);
  FoldParts plan(*this);
  plan.groups = groups;
  plan.parts = getBlocks().floorDiv(groups.max(one)).max(one);
  return plan;
}

SizeExpr tc::countRows(KernelOp kernel) {
  return countOuter(kernel, /*without=*/-1);
}

int64_t tc::countHeldPoints(GPURowScheduleAttr schedule) {
  return schedule.getVectorWidth() * schedule.getUnits() *
         schedule.getThreads() * schedule.getCluster();
}

SizeExpr tc::countWarps(KernelOp kernel, GPURowScheduleAttr schedule) {
  MLIRContext *context = kernel.getContext();
  auto constant = [context](int64_t value) {
    return SizeExpr::constant(context, value);
  };
  int64_t points = schedule.getVectorWidth() * schedule.getUnits();
  int64_t most = std::max<int64_t>(1, schedule.getThreads() / kWarpThreads);
  return kernel.getDimSize(schedule.getVectorDim())
      .ceilDiv(constant(points * kWarpThreads))
      .max(constant(1))
      .min(constant(most));
}

SmallVector<unsigned> tc::getFirstFoldedDims(KernelOp kernel) {
  for (Operation &op : kernel.getBodyBlock())
    if (isFold(op)) {
      ArrayRef<int64_t> dims = getFoldedDims(&op);
      return {dims.begin(), dims.end()};
    }
  return {0};
}

bool tc::mayFoldInParts(KernelOp kernel) {
  KernelDims dims(kernel);
  DimSet outer = getOuterDims(kernel, dims);
  Operation *first = nullptr;
  for (Operation &op : kernel.getBodyBlock()) {
    if (isa<ScanStageOp>(op) || isWholeStage(&op))
      return false;
    if (!isFold(op))
      continue;
    if (first && getFoldedDims(&op) != getFoldedDims(first))
      return false;
    first = first ? first : &op;
    // A group has one point of what is folded apart.
    DimSet inner = dims.of(op.getResult(0));
    if (inner.reset(outer).any())
      return false;
    if (anyProducer(&op, [&](Operation *other) {
          return other != &op && isFold(*other);
        }))
      return false;
  }
  if (!first)
    return false;
  DimSet folded(kernel.getNumDims());
  for (int64_t dim : getFoldedDims(first))
    folded.set(dim);
  return llvm::all_of(
      kernel.getBodyBlock().getOps<WriteOp>(), [&](WriteOp write) {
        return !write.isScatter() && !dims.ofWrite(write).anyCommon(folded);
      });
}

std::optional<FoldParts> FoldParts::find(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  Attribute schedule = kernel.getScheduleAttr();
  auto rows = dyn_cast_or_null<GPURowScheduleAttr>(schedule);
  auto columns = dyn_cast_or_null<GPUColumnScheduleAttr>(schedule);
  int64_t blocks = rows ? rows.getBlocks() : columns ? columns.getBlocks() : 0;
  if (blocks == 0)
    return std::nullopt;
  FoldParts plan;
  int64_t folds = 0;
  for (Operation &op : kernel.getBodyBlock())
    folds += isFold(op);
  plan.groups = rows ? countRows(kernel) : countStrips(kernel, columns);
  plan.columns =
      rows ? 1 : columns.getColumnThreads() * columns.getVectorWidth();
  plan.states = folds * kMostFoldStates;
  // Every thread has a step of each part.
  int64_t step =
      columns ? columns.getRowThreads() * columns.getUnits()
              : rows.getThreads() * rows.getUnits() * rows.getVectorWidth();
  SizeExpr one = SizeExpr::constant(context, 1), folded = one,
           all = SizeExpr::constant(context, blocks);
  for (unsigned dim : getFirstFoldedDims(kernel))
    folded = folded.mul(kernel.getDimSize(dim));
  SizeExpr steps = folded.ceilDiv(SizeExpr::constant(context, step));
  plan.parts = steps.min(all.floorDiv(plan.groups.max(one))).max(one);
  SizeExpr most = rows ? plan.groups
                       : countStrips(kernel, columns, /*beginsAnywhere=*/true);
  plan.workspaceBytes =
      most.max(all).mul(plan.columns * plan.states * kFoldStateBytes);
  return plan;
}
