//===- KernelDims.cpp - Which dimensions a kernel's values vary over ------===//

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

/// Adds the dimensions in `expr` that `used` has room for.
static void addDims(AffineExpr expr, DimSet &used) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() < used.size())
      used.set(dim.getPosition());
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    addDims(binary.getLHS(), used);
    addDims(binary.getRHS(), used);
  }
}

DimSet KernelDims::ofMap(AffineMap map, unsigned rank) {
  DimSet used(rank);
  for (AffineExpr expr : map.getResults())
    addDims(expr, used);
  return used;
}

DimSet KernelDims::ofSet(IntegerSet set, unsigned rank) {
  DimSet used(rank);
  for (AffineExpr constraint : set.getConstraints())
    addDims(constraint, used);
  return used;
}

const DimSet &KernelDims::of(Value value) const {
  auto found = dims.find(value);
  return found == dims.end() ? none : found->second;
}

/// The dimensions that `write` goes along whatever it writes.
static DimSet getScatteredDims(WriteOp write, unsigned rank) {
  bool scatters =
      !write.getIndices().empty() || write.getCombine() != CombineKind::Replace;
  DimSet dims(rank, scatters);
  if (!scatters)
    return dims;
  auto fold = [&](ArrayRef<int64_t> over) {
    for (int64_t dim : over)
      if (dim >= 0 && dim < static_cast<int64_t>(rank))
        dims.reset(dim);
  };
  for (Operation &op : *write->getBlock()) {
    fold(getFoldedDims(&op));
    llvm::TypeSwitch<Operation *>(&op)
        .Case<RoutineStageOp, AttentionBackwardStageOp>([&](auto stage) {
          for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
            fold(stage.getOverDims(operand));
        });
  }
  return dims;
}

DimSet KernelDims::ofOp(Operation *op) const {
  DimSet used(rank);
  for (Value operand : op->getOperands())
    used |= of(operand);
  if (auto write = dyn_cast<WriteOp>(op))
    used |= getScatteredDims(write, rank);
  llvm::TypeSwitch<Operation *>(op)
      .Case<ReadOp, WriteOp>([&](auto access) {
        used |= ofMap(access.getMap(), rank);
        if (access.getWithin())
          used |= ofSet(*access.getWithin(), rank);
      })
      .Case<DimIndexOp>(
          [&](DimIndexOp index) { used |= ofMap(index.getMap(), rank); })
      .Case<WithinOp>(
          [&](WithinOp within) { used |= ofSet(within.getSet(), rank); })
      .Case<ReduceStageOp, ContractStageOp>([&](auto stage) {
        for (int64_t dim : stage.getOver())
          if (dim >= 0 && dim < static_cast<int64_t>(rank))
            used.reset(dim);
      })
      .Case<ScanStageOp, SortStageOp>([&](auto stage) {
        if (stage.getAlong() < rank)
          used.set(stage.getAlong());
      });
  return used;
}

DimSet KernelDims::ofResult(OpResult result, DimSet used) const {
  llvm::TypeSwitch<Operation *>(result.getOwner())
      .Case<RoutineStageOp, AttentionBackwardStageOp>([&](auto stage) {
        for (unsigned operand = 0; operand < stage->getNumOperands(); ++operand)
          for (int64_t dim : stage.getOverDims(operand))
            used.reset(dim);
        for (int64_t dim : stage.getToDims(result.getResultNumber()))
          used.set(dim);
      });
  return used;
}

KernelDims::KernelDims(KernelOp kernel)
    : rank(kernel.getNumDims()), writtenDims(rank), none(rank) {
  for (Operation &op : kernel.getBodyBlock()) {
    DimSet used = ofOp(&op);
    if (isa<WriteOp>(op))
      writtenDims |= used;
    for (OpResult result : op.getResults())
      dims.try_emplace(result, ofResult(result, used));
  }
}

ArrayRef<int64_t> tc::getFoldedDims(Operation *op) {
  if (auto stage = dyn_cast<ReduceStageOp>(op))
    return stage.getOver();
  if (auto stage = dyn_cast<ContractStageOp>(op))
    return stage.getOver();
  return {};
}
