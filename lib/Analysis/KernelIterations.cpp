//===- KernelIterations.cpp - The order of a kernel's points --------------===//

#include "TC/Analysis/KernelIterations.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

bool tc::anyProducer(Operation *op,
                     llvm::function_ref<bool(Operation *)> isWanted) {
  SmallVector<Operation *> pending{op};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (isWanted(next))
      return true;
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && seen.insert(producer).second)
        pending.push_back(producer);
  }
  return false;
}

std::optional<int64_t> tc::countPoints(KernelOp kernel,
                                       ArrayRef<unsigned> dims) {
  int64_t points = 1;
  for (unsigned dim : dims) {
    auto size = kernel.getDimSize(dim).getConstant();
    if (!size || llvm::MulOverflow(points, *size, points))
      return std::nullopt;
  }
  return points;
}

DimSet tc::getScannedDims(KernelOp kernel) {
  DimSet scanned(kernel.getNumDims());
  for (ScanStageOp scan : kernel.getBodyBlock().getOps<ScanStageOp>())
    scanned.set(scan.getAlong());
  return scanned;
}

DimSet tc::getDistinctDims(WriteOp write) {
  unsigned rank = cast<KernelOp>(write->getParentOp()).getNumDims();
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

bool tc::mayHoldLanes(KernelOp kernel, unsigned dim) {
  return !getScannedDims(kernel).test(dim) &&
         llvm::all_of(
             kernel.getBodyBlock().getOps<WriteOp>(),
             [&](WriteOp write) { return getDistinctDims(write).test(dim); });
}

DimSet tc::getOuterDims(KernelOp kernel, const KernelDims &dims) {
  DimSet outer(kernel.getNumDims(), true);
  for (Operation &op : kernel.getBodyBlock()) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      outer &= dims.ofWrite(write);
      outer &= getDistinctDims(write);
    }
    // A result over no dimension is computed once an iteration: it does not
    // make the iterations dependent.
    if (isa<ReduceStageOp, ContractStageOp>(op) &&
        dims.of(op.getResult(0)).any())
      outer &= dims.of(op.getResult(0));
    llvm::TypeSwitch<Operation *>(&op).Case<ScanStageOp, SortStageOp>(
        [&](auto stage) {
          DimSet independent = dims.of(stage->getResult(0));
          independent.reset(stage.getAlong());
          outer &= independent;
        });
    llvm::TypeSwitch<Operation *>(&op)
        .Case<RoutineStageOp, AttentionBackwardStageOp>([&](auto stage) {
          for (OpResult result : op.getResults()) {
            DimSet independent = dims.of(result);
            for (int64_t dim : stage.getToDims(result.getResultNumber()))
              independent.reset(dim);
            outer &= independent;
          }
        });
  }
  return outer;
}

SmallVector<SmallVector<WriteOp>> tc::getWriteGroups(KernelOp kernel,
                                                     const KernelDims &dims,
                                                     const DimSet &outer) {
  SmallVector<SmallVector<WriteOp>> groups;
  DimSet last;
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    DimSet open = dims.ofWrite(write);
    open.reset(outer);
    if (groups.empty() || open != last)
      groups.emplace_back();
    groups.back().push_back(write);
    last = open;
  }
  return groups;
}

bool tc::isComputedAhead(Operation *op, const KernelDims &dims,
                         const DimSet &outer) {
  if (isWholeStage(op))
    return true;
  if (!isa<ReduceStageOp, ContractStageOp>(op))
    return false;
  DimSet open = dims.of(op->getResult(0));
  open.reset(outer);
  return open.none();
}

llvm::SetVector<Operation *>
tc::getLoopValues(WriteOp write, const KernelDims &dims, const DimSet &outer) {
  llvm::SetVector<Operation *> values;
  SmallVector<Value> pending(write->getOperands());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (op && !isComputedAhead(op, dims, outer) && values.insert(op))
      llvm::append_range(pending, op->getOperands());
  }
  return values;
}
