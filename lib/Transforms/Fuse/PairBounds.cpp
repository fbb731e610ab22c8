//===- PairBounds.cpp - Bounds of two dimensions that become one ----------===//

#include "TC/Transforms/Fuse/PairBounds.h"

using namespace mlir;
using namespace tc;

AffineExpr tc::getRest(AffineExpr expr, unsigned dim, unsigned numDims,
                       unsigned numSymbols) {
  return simplifyAffineExpr(expr - getAffineDimExpr(dim, expr.getContext()),
                            numDims, numSymbols);
}

/// The same where that is of no dimension; else null.
static AffineExpr getOffset(AffineExpr expr, unsigned dim, unsigned numDims,
                            unsigned numSymbols) {
  AffineExpr offset = getRest(expr, dim, numDims, numSymbols);
  for (unsigned other = 0; other < numDims; ++other)
    if (offset.isFunctionOfDim(other))
      return {};
  return offset;
}

/// A constraint that bounds dimension `outer` alone, as one that bounds the
/// points of it and of an inner dimension of `innerSize` points, which are
/// still numbered by `outer`; null for another one that needs either.
static AffineExpr boundPair(AffineExpr constraint, bool isEquality,
                            unsigned outer, unsigned inner, int64_t innerSize,
                            const IntegerSet &set) {
  if (!constraint.isFunctionOfDim(outer) && !constraint.isFunctionOfDim(inner))
    return constraint;
  if (isEquality)
    return {};
  AffineExpr dim = getAffineDimExpr(outer, constraint.getContext());
  if (AffineExpr low =
          getOffset(constraint, outer, set.getNumDims(), set.getNumSymbols()))
    return dim + low * innerSize;
  if (AffineExpr above =
          getOffset(-constraint, outer, set.getNumDims(), set.getNumSymbols()))
    return -dim - above * innerSize + (innerSize - 1);
  return {};
}

std::optional<IntegerSet> tc::boundPairs(IntegerSet set, unsigned outer,
                                         unsigned inner, int64_t innerSize) {
  SmallVector<AffineExpr> constraints;
  for (auto [constraint, isEquality] :
       llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    constraints.push_back(
        boundPair(constraint, isEquality, outer, inner, innerSize, set));
    if (!constraints.back())
      return std::nullopt;
  }
  return IntegerSet::get(set.getNumDims(), set.getNumSymbols(), constraints,
                         set.getEqFlags());
}
