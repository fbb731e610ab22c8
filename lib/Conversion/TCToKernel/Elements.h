//===- Elements.h - Elements of tensors in kernels --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOKERNEL_ELEMENTS_H
#define TC_LIB_CONVERSION_TCTOKERNEL_ELEMENTS_H

#include "TC/Dialect/TC/IR/KernelBuilder.h"

namespace tc {

/// A kernel without stages yet, with a point for each element of the only
/// result of `op`.
KernelBuilder makeKernelOverResult(mlir::OpBuilder &builder,
                                   mlir::Operation *op, llvm::StringRef name);

/// The element of `tensor` at these indices in the type it is computed in; a
/// splat or a size is a scalar of the body.
mlir::Value readElement(KernelBuilder &kernel, mlir::Value tensor,
                        llvm::ArrayRef<mlir::AffineExpr> at);

/// Product of the sizes of dimensions `over`, as a value of float type `type`.
mlir::Value countOf(KernelBuilder &kernel, llvm::ArrayRef<int64_t> over,
                    mlir::Type type);

/// Dimensions first, ..., first + count - 1.
llvm::SmallVector<int64_t> dimRange(int64_t first, int64_t count);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOKERNEL_ELEMENTS_H
