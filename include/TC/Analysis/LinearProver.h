//===- LinearProver.h - Inequalities that follow from others ----*- C++ -*-===//

#ifndef TC_ANALYSIS_LINEARPROVER_H
#define TC_ANALYSIS_LINEARPROVER_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"

namespace tc {

/// An integer plus integer multiples of unknowns, which are numbered by a
/// LinearProver. The integers are of any size: nothing overflows.
struct LinearForm {
  llvm::SmallVector<std::pair<unsigned, llvm::DynamicAPInt>, 4> terms;
  llvm::DynamicAPInt constant;

  static LinearForm of(int64_t constant);
  static LinearForm unknown(unsigned number);
  LinearForm plus(const LinearForm &other, int64_t factor = 1) const;
  LinearForm plus(int64_t value) const;
  LinearForm times(int64_t factor) const;
};

/// Decides whether an inequality between integers follows from others: "yes" is
/// certain, "no" means that it was not found to follow. The simplex method, and
/// for few unknowns a search for integers, as MLIR's Presburger library has
/// them.
class LinearProver {
public:
  /// A new unknown.
  unsigned addUnknown() { return unknowns++; }
  /// States that `form >= 0`.
  void addFact(const LinearForm &form);
  /// Whether `form >= 0` follows from the facts; all does from facts that
  /// contradict each other.
  bool isNonNegative(const LinearForm &form);

private:
  /// The coefficients of the unknowns, then the constant.
  using Row = llvm::SmallVector<llvm::DynamicAPInt>;
  Row toRow(const LinearForm &form) const;

  unsigned unknowns = 0;
  llvm::SmallVector<Row> facts;
  bool isImpossible = false; ///< a fact without unknowns is false
};

} // namespace tc

#endif // TC_ANALYSIS_LINEARPROVER_H
