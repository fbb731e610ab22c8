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

/// Decides whether an inequality between integers follows from others, over
/// the rationals: "yes" is certain, "no" means that it does not follow there.
/// The simplex method, as MLIR's Presburger library has it.
class LinearProver {
public:
  /// A new unknown.
  unsigned addUnknown() { return unknowns++; }
  /// States that `form >= 0`.
  void addFact(LinearForm form) { facts.push_back(std::move(form)); }
  /// Whether `form >= 0` follows from the facts.
  bool isNonNegative(const LinearForm &form) const;

private:
  unsigned unknowns = 0;
  llvm::SmallVector<LinearForm> facts;
};

} // namespace tc

#endif // TC_ANALYSIS_LINEARPROVER_H
