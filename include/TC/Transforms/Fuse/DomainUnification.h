//===- DomainUnification.h - One domain for two kernels ---------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_DOMAINUNIFICATION_H
#define TC_TRANSFORMS_FUSE_DOMAINUNIFICATION_H

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "llvm/Support/Error.h"

namespace tc {

/// One domain for the stages of two kernels.
struct MergedDomain {
  llvm::SmallVector<DimAttr> dims;
  /// For each dimension of the first and the second kernel, an expression over
  /// `dims`.
  llvm::SmallVector<mlir::AffineExpr> first, second;

  /// Dimensions that an expression of `exprs` uses.
  static DimSet usedBy(llvm::ArrayRef<mlir::AffineExpr> exprs, unsigned rank);
  /// `old` dimensions of a kernel, in this domain.
  static DimSet image(const DimSet &old, llvm::ArrayRef<mlir::AffineExpr> exprs,
                      unsigned rank);
  /// The estimated number of points of `used`, dimensions of `dims`, whose
  /// symbols are those of the function that `kernel` is in.
  double estimatePoints(KernelOp kernel, const DimSet &used) const;
};

/// The domain in which `second` finds every element of `first`'s results at
/// the point where `first` computes it, and in which both read their shared
/// inputs at the same points where that is possible. The error says why there
/// is none.
llvm::Expected<MergedDomain> unifyDomains(KernelOp first, KernelOp second);

/// As above for kernels that only share inputs: every dimension of both must
/// match.
llvm::Expected<MergedDomain> unifySiblings(KernelOp first, KernelOp second);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_DOMAINUNIFICATION_H
