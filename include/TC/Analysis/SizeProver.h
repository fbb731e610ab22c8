//===- SizeProver.h - Inequalities between sizes ----------------*- C++ -*-===//

#ifndef TC_ANALYSIS_SIZEPROVER_H
#define TC_ANALYSIS_SIZEPROVER_H

#include "TC/Analysis/LinearProver.h"
#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/Dispatch.h"

namespace tc {

/// What holds of the sizes of a function wherever its kernels run: the ranges
/// of `tc.symbols`, and the guards that are checked before.
class SizeFacts {
public:
  explicit SizeFacts(mlir::Operation *function);
  /// What holds of a dispatch's sizes where `chosen` is taken; null: where no
  /// case is.
  SizeFacts(DispatchOp dispatch, CaseOp chosen);

  const SizeRanges &getRanges() const { return ranges; }
  /// Expressions that guards are about, and what they let through.
  llvm::ArrayRef<std::pair<SizeExpr, SizeRange>> getGuarded() const {
    return guarded;
  }
  /// What `tc.size_guard`s let through only where their `where` is at least 1.
  llvm::ArrayRef<SizePrecondition> getConditional() const {
    return conditional;
  }

private:
  void addGuard(GuardOp guard,
                llvm::function_ref<SizeExpr(SizeExpr)> translate);

  void addSizeGuard(SizeGuardOp guard);

  SizeRanges ranges;
  llvm::SmallVector<std::pair<SizeExpr, SizeRange>> guarded;
  llvm::SmallVector<SizePrecondition> conditional;
};

/// Fails, naming the case and the size, unless the guards of each case of
/// `dispatch` say that its inputs have the types of its version, and that the
/// symbols of that are in their ranges. Versions that are no functions of
/// tensors or memrefs any more are taken as they are.
llvm::LogicalResult verifyCases(DispatchOp dispatch);

/// Proves inequalities between size expressions from the facts of a function.
/// An expression is a linear form over unknowns: symbols, and what is not
/// linear (a product of symbols, a `floordiv`), of which linear bounds are
/// stated.
class SizeProver {
public:
  explicit SizeProver(const SizeFacts &facts);

  /// Whether `a <= b` whenever the facts hold. False: not known.
  bool isAtMost(SizeExpr a, SizeExpr b);
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
  void addSizeFacts(SizeExpr atom, const LinearForm &form);
  void addProductFacts(SizeExpr product, const LinearForm &form);
  void addQuotientFacts(SizeExpr quotient, const LinearForm &form);

  llvm::DenseMap<const void *, unsigned> unknowns;
};

/// No loop gets beyond that many points, and no tensor has more elements.
inline constexpr int64_t kMostPoints = int64_t(1) << 48;

} // namespace tc

#endif // TC_ANALYSIS_SIZEPROVER_H
