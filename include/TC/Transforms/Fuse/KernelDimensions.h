//===- KernelDimensions.h - Renumbering a kernel's domain -------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_KERNELDIMENSIONS_H
#define TC_TRANSFORMS_FUSE_KERNELDIMENSIONS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Gives `kernel` the domain `dims`, in which its old dimensions are `exprs`,
/// and rewrites its body in place. Fails, leaving it as it is, where a stage
/// cannot be expressed.
mlir::LogicalResult changeDomain(KernelOp kernel, llvm::ArrayRef<DimAttr> dims,
                                 llvm::ArrayRef<mlir::AffineExpr> exprs);

/// Removes the reduced dimensions of a kernel that folds nothing.
void dropReducedDims(KernelOp kernel);

/// `dims` of `kernel`, of constant sizes, walked as one dimension, the last the
/// fastest.
mlir::AffineExpr flattenDims(KernelOp kernel, llvm::ArrayRef<unsigned> dims);

/// The opposite: sets those of `values` that are for `dims`, whose index as one
/// dimension is `flat`.
void unflattenDims(KernelOp kernel, llvm::ArrayRef<unsigned> dims,
                   mlir::AffineExpr flat,
                   llvm::MutableArrayRef<mlir::AffineExpr> values);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_KERNELDIMENSIONS_H
