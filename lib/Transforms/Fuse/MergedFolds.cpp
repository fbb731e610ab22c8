//===- MergedFolds.cpp - Folds of two kernels that become one -------------===//

#include "TC/Transforms/Fuse/MergedFolds.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"

using namespace mlir;
using namespace tc;

/// Rows that a multiprocessor folds at a time, at least, so that it does not
/// wait for memory.
static constexpr double kRowsOfUnit = 16;

MergedFolds::MergedFolds(KernelOp first, KernelOp second,
                         const MergedDomain &domain)
    : first(first), second(second), domain(domain),
      parallel(domain.dims.size(), true), ofFirst(domain.dims.size()) {
  unsigned rank = domain.dims.size();
  auto restrict = [&](KernelOp kernel, ArrayRef<AffineExpr> exprs) {
    KernelDims values(kernel);
    for (Operation &op : kernel.getBodyBlock())
      if (isa<ReduceStageOp, ContractStageOp>(op))
        parallel &=
            MergedDomain::image(values.of(op.getResult(0)), exprs, rank);
    return MergedDomain::image(getParallelDims(kernel, values), exprs, rank);
  };
  ofFirst = restrict(first, domain.first);
  parallel &= restrict(second, domain.second);
}

double MergedFolds::countPoints(bool writesFirst) const {
  DimSet all(parallel);
  if (writesFirst)
    all &= ofFirst;
  return domain.estimatePoints(first, all);
}

double MergedFolds::getParallelism(const MachineModel &machine,
                                   bool writesFirst) const {
  double points = countPoints(writesFirst);
  if (!machine.isGPU)
    return points;
  if (keepsColumnsWhole(writesFirst))
    return points / kColumnsOfBlock;
  return foldsTwoWays() ? points / kRowsOfUnit : points;
}

bool MergedFolds::foldsTwoWays() const {
  unsigned rank = domain.dims.size();
  auto getFolded = [&](KernelOp kernel, ArrayRef<AffineExpr> exprs) {
    DimSet folded(kernel.getNumDims());
    for (ReduceStageOp stage : kernel.getBodyBlock().getOps<ReduceStageOp>())
      for (int64_t dim : getFoldedDims(stage))
        folded.set(unsigned(dim));
    return MergedDomain::image(folded, exprs, rank);
  };
  DimSet ofFirst = getFolded(first, domain.first),
         ofSecond = getFolded(second, domain.second);
  return ofFirst.any() && ofSecond.any() && ofFirst != ofSecond;
}

bool MergedFolds::lacksColumns(const MachineModel &machine) const {
  return machine.isGPU && keepsColumnsWhole(/*writesFirst=*/true) &&
         countPoints(/*writesFirst=*/false) / kColumnsOfBlock <
             double(machine.units);
}

bool MergedFolds::keepsColumnsWhole(bool writesFirst) const {
  unsigned rank = domain.dims.size();
  DimSet columns(rank), written(rank);
  auto add = [&](KernelOp kernel, ArrayRef<AffineExpr> exprs, bool isWritten) {
    KernelDims values(kernel);
    if (isWritten)
      written |= MergedDomain::image(values.written(), exprs, rank);
    int64_t contiguous = getContiguousDim(kernel);
    if (!hasStages(kernel) || contiguous < 0)
      return;
    DimSet own(kernel.getNumDims());
    own.set(unsigned(contiguous));
    columns |= MergedDomain::image(own, exprs, rank);
  };
  add(first, domain.first, writesFirst);
  add(second, domain.second, /*isWritten=*/true);
  columns &= parallel;
  written.reset(parallel);
  return columns.any() && written.any();
}
