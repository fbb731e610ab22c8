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

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_KERNELDIMENSIONS_H
