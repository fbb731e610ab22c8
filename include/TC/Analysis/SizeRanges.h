//===- SizeRanges.h - Least and largest values of sizes ---------*- C++ -*-===//

#ifndef TC_ANALYSIS_SIZERANGES_H
#define TC_ANALYSIS_SIZERANGES_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace tc {

class GuardOp;

/// What is known of an integer: its least and its largest possible value, and a
/// divisor. INT64_MIN and INT64_MAX mean that there is no bound.
struct SizeRange {
  int64_t min = INT64_MIN, max = INT64_MAX, divisor = 1;

  static SizeRange constant(int64_t value);
  /// What holds when both do; nothing when no integer is in both.
  std::optional<SizeRange> intersect(const SizeRange &other) const;
  /// Whether everything in this range is in `other`.
  bool isWithin(const SizeRange &other) const;
  /// "in [2, 64], a multiple of 4" or "8"
  std::string str() const;
};

/// What a guard about sizes says: the value of `subject` is in `range`.
struct SizeFact {
  SizeExpr subject;
  SizeRange range;
};

/// Nothing for a guard about something else.
std::optional<SizeFact> getSizeFact(GuardOp guard);

/// The entries of the function's `tc.symbols`.
llvm::SmallVector<SymbolAttr> getDeclaredSymbols(mlir::Operation *function);

/// Ranges of expressions in a function's symbols, from `tc.symbols` and from
/// facts that are added.
class SizeRanges {
public:
  explicit SizeRanges(mlir::Operation *function)
      : SizeRanges(getDeclaredSymbols(function)) {}
  explicit SizeRanges(llvm::ArrayRef<SymbolAttr> symbols);

  SizeRange of(SizeExpr expr) const;
  /// Adds what is known of `expr`; it must not contradict the rest. It is kept
  /// without the constant that is added to `expr` and the one that multiplies
  /// it, so that `s0 - 3 >= 0` says that `s0 >= 3`.
  void add(SizeExpr expr, const SizeRange &range);

private:
  SizeRange compute(SizeExpr expr) const;
  SizeRange lookUp(SizeExpr expr) const;

  llvm::DenseMap<mlir::Attribute, SizeRange> facts;
  bool hasFactsOfSums = false;
};

} // namespace tc

#endif // TC_ANALYSIS_SIZERANGES_H
