//===- AccessBounds.h - Accesses that stay in their buffers -----*- C++ -*-===//

#ifndef TC_ANALYSIS_ACCESSBOUNDS_H
#define TC_ANALYSIS_ACCESSBOUNDS_H

#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/TCOps.h"

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

/// Fails, naming the access, unless at every point of the kernel's domain that
/// is `within` an access each of its index expressions is proved to lie in the
/// buffer: at least 0 and below the size. Results of a map that depend on
/// dynamic indices are checked when they are computed instead. No divisor of
/// a `mod` or `floordiv` may be zero at such a point, and no dividend may be
/// beyond 64 bits.
llvm::LogicalResult verifyAccessBounds(KernelOp kernel, const SizeFacts &facts);

} // namespace tc

#endif // TC_ANALYSIS_ACCESSBOUNDS_H
