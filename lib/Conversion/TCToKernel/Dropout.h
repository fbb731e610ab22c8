//===- Dropout.h - Which weights of attention are kept ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOKERNEL_DROPOUT_H
#define TC_LIB_CONVERSION_TCTOKERNEL_DROPOUT_H

#include "TC/Dialect/TC/IR/AttentionDropout.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"

namespace tc {

/// Whether (i1) attention with dropout keeps the weight of a query and a key of
/// a batch point, whose batch dimensions are of `sizes`.
mlir::Value buildKept(KernelBuilder &kernel, mlir::Value seed,
                      mlir::Value offset, const llvm::APFloat &dropout,
                      llvm::ArrayRef<mlir::AffineExpr> batch,
                      llvm::ArrayRef<SizeExprAttr> sizes,
                      mlir::AffineExpr query, SizeExprAttr queries,
                      mlir::AffineExpr key);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOKERNEL_DROPOUT_H
