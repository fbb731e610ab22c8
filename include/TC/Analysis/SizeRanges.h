//===- SizeRanges.h - Between what ends a size lies -------------*- C++ -*-===//

#ifndef TC_ANALYSIS_SIZERANGES_H
#define TC_ANALYSIS_SIZERANGES_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace tc {

/// What is known of an integer: its ends, both possible, and a divisor.
/// INT64_MIN and INT64_MAX stand for no end.
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

/// Ranges of expressions in a function's symbols, from `tc.symbols` and from
/// facts that are added.
class SizeRanges {
public:
  explicit SizeRanges(mlir::Operation *function);

  SizeRange of(SizeExpr expr) const;
  /// Adds what is known of `expr`; it must not contradict the rest.
  void add(SizeExpr expr, const SizeRange &range);

private:
  SizeRange compute(SizeExpr expr) const;

  llvm::DenseMap<mlir::Attribute, SizeRange> facts;
};

} // namespace tc

#endif // TC_ANALYSIS_SIZERANGES_H
