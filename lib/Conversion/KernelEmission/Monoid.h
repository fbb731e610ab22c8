//===- Monoid.h - What reductions, scans and scatters fold with -*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_MONOID_H
#define TC_CONVERSION_KERNELEMISSION_MONOID_H

#include "KernelFrame.h"

namespace tc {

/// A monoid over a tuple of states, scalars or vectors: one state for `sum`,
/// `prod`, `max`, `min`, `all` and `any`; value and index for `argmax` and
/// `argmin`; mean, sum of squared deviations and count for `welford`. Where the
/// sign of a zero matters, `max` and `min` of floats have a second one: the
/// bits of all elements, and-ed or or-ed. A maximum of zero has no positive
/// elements, so it is -0 when all of them have the sign bit.
class Monoid {
public:
  /// Folds elements of type `meaning`, which has the sign.
  Monoid(ReductionKind kind, mlir::Type meaning);
  explicit Monoid(CombineKind kind, mlir::Type meaning);

  bool isArg() const {
    return kind == ReductionKind::ArgMax || kind == ReductionKind::ArgMin;
  }
  bool isWelford() const { return kind == ReductionKind::Welford; }
  unsigned numStates() const {
    return isArg() || tracksSigns ? 2 : isWelford() ? 3 : 1;
  }
  /// Makes the fold of `max` or `min` of floats exact in the sign of a zero: by
  /// the target's instruction where that `ordersZeros`, else by a state.
  void keepZeroSigns(bool ordersZeros) {
    usesOrder = ordersZeros && compute.isF32();
    tracksSigns = !usesOrder && isFloat() && isExtreme();
  }

  /// The states that change nothing when folded with.
  llvm::SmallVector<mlir::Value> init(mlir::OpBuilder &b, mlir::Location loc,
                                      int64_t lanes) const;
  /// The states of one element. `position` is its index, for arg*.
  llvm::SmallVector<mlir::Value> ofElement(mlir::OpBuilder &b,
                                           mlir::Location loc,
                                           mlir::Value element,
                                           mlir::Value position) const;
  /// `first` and `second` folded; `first` comes first in the order of elements.
  llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::ValueRange first,
                                         mlir::ValueRange second) const;
  /// What folded scalar states come to.
  llvm::SmallVector<mlir::Value> finish(mlir::OpBuilder &b, mlir::Location loc,
                                        mlir::ValueRange states) const;
  /// The fold of two values of a monoid of one state, +0 above -0.
  mlir::Value fold(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                   mlir::Value y) const;

  ReductionKind kind;
  mlir::Type meaning, compute;

private:
  bool isExtreme() const {
    return kind == ReductionKind::Max || kind == ReductionKind::Min;
  }
  mlir::Value combineSigns(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value x, mlir::Value y) const;
  bool isFloat() const { return llvm::isa<mlir::FloatType>(meaning); }
  mlir::TypedAttr identity(mlir::OpBuilder &b) const;
  mlir::Value takesSecond(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::ValueRange first,
                          mlir::ValueRange second) const;
  llvm::SmallVector<mlir::Value> mergeMoments(mlir::OpBuilder &b,
                                              mlir::Location loc,
                                              mlir::ValueRange first,
                                              mlir::ValueRange second) const;

  bool tracksSigns = false, usesOrder = false;
};

/// The lanes of `states` folded in a tree, each state a scalar.
llvm::SmallVector<mlir::Value> foldLanes(mlir::OpBuilder &b, mlir::Location loc,
                                         const Monoid &monoid,
                                         mlir::ValueRange states);

/// Whether float `x` comes before float or integer `y` in ascending order, NaN
/// last: i1 or a vector of it.
mlir::Value emitIsBelow(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Type meaning, mlir::Value x, mlir::Value y);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_MONOID_H
