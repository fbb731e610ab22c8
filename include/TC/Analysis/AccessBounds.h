//===- AccessBounds.h - Accesses that stay in their buffers -----*- C++ -*-===//

#ifndef TC_ANALYSIS_ACCESSBOUNDS_H
#define TC_ANALYSIS_ACCESSBOUNDS_H

#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// An index expression of symbols and constants alone as a size; nothing for
/// another one.
std::optional<SizeExpr> toSize(KernelOp kernel, mlir::AffineExpr expr);

/// Fails, naming the access, unless at every point of the kernel's domain that
/// is `within` an access each of its index expressions is proved to be in the
/// buffer: at least 0 and below the size. Results of a map that depend on
/// dynamic indices are checked when they are computed instead. No divisor of
/// a `mod` or `floordiv` may be zero at such a point, and no dividend may be
/// beyond 64 bits. An access of a domain without points is never made; one that
/// uses only some of its dimensions may be, ahead of the loops over the others.
llvm::LogicalResult verifyAccessBounds(KernelOp kernel, const SizeFacts &facts);

} // namespace tc

#endif // TC_ANALYSIS_ACCESSBOUNDS_H
