//===- SizeConditionProver.h - Which conditions on sizes always hold -----*- C++
//-*-===//

#ifndef TC_TRANSFORMS_SIZECONDITIONPROVER_H
#define TC_TRANSFORMS_SIZECONDITIONPROVER_H

#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/SizePreconditions.h"
#include "TC/Transforms/SizeBounds.h"
#include "llvm/ADT/DenseSet.h"

namespace tc {

/// Proves conditions on sizes from a function's `tc.symbols`, its `tc.guard`s
/// and conditions that are known to hold.
class SizeConditionProver {
public:
  explicit SizeConditionProver(mlir::Operation *function);

  /// Whether the condition holds wherever all that is known does. False: not
  /// known.
  bool proves(const SizePrecondition &condition);
  /// Adds a condition that holds.
  void assume(const SizePrecondition &condition);

private:
  SizeExpr normalize(SizeExpr expr) const;
  bool isNonNegative(SizeExpr expr);
  void addFact(SizeExpr expr, const SizeRange &range);

  /// Symbols with a divisor are that many times another symbol here, so that
  /// what they are divided by goes.
  llvm::StringMap<SizeExpr> multiples;
  SizeRanges ranges;
  SizeBounds bounds;
  /// Conditions that hold, as (value, bound), (where, relation).
  llvm::DenseSet<std::pair<std::pair<mlir::Attribute, mlir::Attribute>,
                           std::pair<mlir::Attribute, int>>>
      held;
};

} // namespace tc

#endif // TC_TRANSFORMS_SIZECONDITIONPROVER_H
