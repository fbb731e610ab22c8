//===- KernelDims.cpp - Which dimensions a kernel's values vary over ------===//

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

DimSet KernelDims::ofMap(AffineMap map, unsigned rank) {
  DimSet used(rank);
  for (unsigned dim = 0; dim < rank && dim < map.getNumDims(); ++dim)
    if (map.isFunctionOfDim(dim))
      used.set(dim);
  return used;
}

DimSet KernelDims::ofSet(IntegerSet set, unsigned rank) {
  DimSet used(rank);
  for (AffineExpr constraint : set.getConstraints())
    for (unsigned dim = 0; dim < rank && dim < set.getNumDims(); ++dim)
      if (constraint.isFunctionOfDim(dim))
        used.set(dim);
  return used;
}

const DimSet &KernelDims::of(Value value) const {
  auto found = dims.find(value);
  return found == dims.end() ? none : found->second;
}

DimSet KernelDims::ofOp(Operation *op) const {
  DimSet used(rank);
  for (Value operand : op->getOperands())
    used |= of(operand);
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

KernelDims::KernelDims(KernelOp kernel)
    : rank(kernel.getNumDims()), writtenDims(rank), none(rank) {
  for (Operation &op : kernel.getBodyBlock()) {
    DimSet used = ofOp(&op);
    if (isa<WriteOp>(op))
      writtenDims |= used;
    for (Value result : op.getResults())
      dims[result] = used;
  }
}

ArrayRef<int64_t> tc::getFoldedDims(Operation *op) {
  if (auto stage = dyn_cast<ReduceStageOp>(op))
    return stage.getOver();
  if (auto stage = dyn_cast<ContractStageOp>(op))
    return stage.getOver();
  return {};
}
