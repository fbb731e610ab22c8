//===- PairBounds.h - Bounds of two dimensions that become one --*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_PAIRBOUNDS_H
#define TC_TRANSFORMS_FUSE_PAIRBOUNDS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/IntegerSet.h"
#include <optional>

namespace tc {

/// `expr` less dimension `dim`.
mlir::AffineExpr getRest(mlir::AffineExpr expr, unsigned dim, unsigned numDims,
                         unsigned numSymbols);

/// `set` where dimension `outer` numbers the points of it and of dimension
/// `inner` together, `innerSize` for each of the old ones. Nothing where a
/// constraint needs either of the two otherwise than as a bound of `outer`.
std::optional<mlir::IntegerSet> boundPairs(mlir::IntegerSet set, unsigned outer,
                                           unsigned inner, int64_t innerSize);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_PAIRBOUNDS_H
