//===- SizeProver.h - Inequalities between sizes ----------------*- C++ -*-===//

#ifndef TC_ANALYSIS_SIZEPROVER_H
#define TC_ANALYSIS_SIZEPROVER_H

#include "TC/Analysis/LinearProver.h"
#include "TC/Analysis/SizeFacts.h"

namespace tc {

/// Proves inequalities between size expressions from the facts of a function.
/// An expression is a linear form over unknowns: symbols, and what is not
/// linear (a product of symbols, a `floordiv`), of which linear bounds are
/// stated.
class SizeProver {
public:
  explicit SizeProver(const SizeFacts &facts);

  /// Whether `a <= b` whenever the facts hold. False: not known.
  bool isAtMost(SizeExpr a, SizeExpr b);
  /// Whether the condition holds whenever the facts do. False: not known.
  bool proves(const SizePrecondition &condition);
  /// Whether a row-major memref of type `a` has certainly no more bytes than
  /// one of type `b`.
  bool hasAtMostBytesOf(mlir::MemRefType a, mlir::MemRefType b);

protected:
  LinearForm formOf(SizeExpr size);
  /// The unknown for an expression, by its unique address.
  LinearForm unknownOf(const void *key, bool &isNew);
  /// States that `form` is in a range.
  void addRange(const LinearForm &form, std::optional<int64_t> low,
                std::optional<int64_t> high);
  /// States the conditional facts whose `where` is now known to be at least 1.
  void addConditionalFacts();

  const SizeFacts &facts;
  LinearProver prover;

private:
  bool isNonNegative(SizeExpr expr, unsigned splits);
  void addSizeFacts(SizeExpr atom, const LinearForm &form);
  void addProductFacts(SizeExpr product, const LinearForm &form);
  void addMultipliedFacts(SizeExpr factor, SizeExpr sizes);
  void addQuotientFacts(SizeExpr quotient, const LinearForm &form);

  llvm::DenseMap<const void *, unsigned> unknowns;
  /// Which fact was multiplied by which sizes.
  llvm::DenseSet<std::pair<mlir::Attribute, mlir::Attribute>> multiplied;
};

/// No loop gets beyond that many points, and no tensor has more elements.
inline constexpr int64_t kMostPoints = int64_t(1) << 48;

} // namespace tc

#endif // TC_ANALYSIS_SIZEPROVER_H
