//===- ReshapeParts.h - What a reshape splits and merges --------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SIMPLIFY_RESHAPEPARTS_H
#define TC_LIB_TRANSFORMS_SIMPLIFY_RESHAPEPARTS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Neighbouring dimensions, numbered from `begin` to `end`.
struct DimRange {
  size_t begin, end;
  size_t count() const { return end - begin; }
};

/// Dimensions of the operand and of the result of a reshape that have as many
/// elements. One side has none where the others are of size 1.
struct ReshapePart {
  DimRange from, to;
  bool keepsDim() const { return from.count() == 1 && to.count() == 1; }
};

/// The smallest parts of a reshape, in order; nothing where sizes cannot be
/// matched part by part.
std::optional<llvm::SmallVector<ReshapePart>>
matchReshape(llvm::ArrayRef<SizeExpr> from, llvm::ArrayRef<SizeExpr> to);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SIMPLIFY_RESHAPEPARTS_H
