//===- AttentionMask.h - Which keys of attention count ----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOKERNEL_ATTENTIONMASK_H
#define TC_LIB_CONVERSION_TCTOKERNEL_ATTENTIONMASK_H

#include "TC/Dialect/TC/IR/KernelBuilder.h"

namespace tc {

/// The score of a query and a key with `mask`, where there is one, added, or
/// minus infinity where that, or `isCausal`, leaves the key out. Of a null
/// `score` it is what is added to one, null where that is nothing. The last two
/// of `point`, which the mask is aligned at, are the query and the key.
mlir::Value buildMasked(KernelBuilder &kernel, mlir::Value score,
                        mlir::Type type, mlir::Value mask, bool isCausal,
                        llvm::ArrayRef<mlir::AffineExpr> point);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOKERNEL_ATTENTIONMASK_H
