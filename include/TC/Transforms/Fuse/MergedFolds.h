//===- MergedFolds.h - Folds of two kernels that become one -----*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_MERGEDFOLDS_H
#define TC_TRANSFORMS_FUSE_MERGEDFOLDS_H

#include "TC/Analysis/MachineModel.h"
#include "TC/Transforms/Fuse/DomainUnification.h"

namespace tc {

/// Columns that a block of a GPU folds next to each other, at least: 8 vectors
/// of 8.
inline constexpr double kColumnsOfBlock = 64;

/// What the folds of two kernels leave to be computed independently, should
/// they become one kernel with a domain.
class MergedFolds {
public:
  MergedFolds(KernelOp first, KernelOp second, const MergedDomain &domain);

  /// Parts that units of the machine compute independently of each other;
  /// `writesFirst`: the results of the first kernel are still written. On a GPU
  /// blocks share the folds of columns, but not where the kernel also writes at
  /// the points that it folds: a block then has so many columns.
  double getParallelism(const MachineModel &machine, bool writesFirst) const;
  /// Whether a machine's units would be short of such columns.
  bool lacksColumns(const MachineModel &machine) const;
  /// Whether columns are folded whose points are also written.
  bool keepsColumnsWhole(bool writesFirst) const;

private:
  /// Points of the dimensions along which all is independent, also what is
  /// written of the first kernel.
  double countPoints(bool writesFirst) const;
  /// Whether both fold, along different dimensions: one row after the other.
  bool foldsTwoWays() const;

  KernelOp first, second;
  const MergedDomain &domain;
  /// Along which no fold runs and the second kernel writes; along which the
  /// first one writes.
  DimSet parallel, ofFirst;
};

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_MERGEDFOLDS_H
