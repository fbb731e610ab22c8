//===- SizeProver.h - Inequalities between sizes ----------------*- C++ -*-===//

#ifndef TC_ANALYSIS_SIZEPROVER_H
#define TC_ANALYSIS_SIZEPROVER_H

#include "TC/Analysis/LinearProver.h"
#include "TC/Analysis/SizeRanges.h"

namespace tc {

/// What holds of the sizes of a function wherever its kernels run: the ranges
/// of `tc.symbols`, and the guards that are checked before.
class SizeFacts {
public:
  explicit SizeFacts(mlir::Operation *function);

  const SizeRanges &getRanges() const { return ranges; }
  /// Expressions that guards are about, and what they let through.
  llvm::ArrayRef<std::pair<SizeExpr, SizeRange>> getGuarded() const {
    return guarded;
  }

private:
  SizeRanges ranges;
  llvm::SmallVector<std::pair<SizeExpr, SizeRange>> guarded;
};

/// Proves inequalities between size expressions from the facts of a function.
/// An expression is a linear form over unknowns: symbols, and what is not
/// linear (a product of symbols, a `floordiv`), of which linear bounds are
/// stated.
class SizeProver {
public:
  explicit SizeProver(const SizeFacts &facts);

  /// Whether `a <= b` whenever the facts hold. False: not known.
  bool isAtMost(SizeExpr a, SizeExpr b);

protected:
  LinearForm formOf(SizeExpr size);
  /// The unknown for an expression, by its unique address.
  LinearForm unknownOf(const void *key, bool &isNew);
  /// States that `form` is in a range.
  void addRange(const LinearForm &form, std::optional<int64_t> low,
                std::optional<int64_t> high);

  const SizeFacts &facts;
  LinearProver prover;

private:
  void addSizeFacts(SizeExpr atom, const LinearForm &form);
  void addProductFacts(SizeExpr product, const LinearForm &form);
  void addQuotientFacts(SizeExpr quotient, const LinearForm &form);

  llvm::DenseMap<const void *, unsigned> unknowns;
};

/// No loop gets beyond that many points, and no tensor has more elements.
inline constexpr int64_t kMostPoints = int64_t(1) << 48;

} // namespace tc

#endif // TC_ANALYSIS_SIZEPROVER_H
