//===- DecomposeAttentionBackward.h - Gradients by products -----*- C++ -*-===//

#ifndef TC_TRANSFORMS_DECOMPOSEATTENTIONBACKWARD_H
#define TC_TRANSFORMS_DECOMPOSEATTENTIONBACKWARD_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Builds what `op` computes as contractions of the weights of all queries and
/// keys, in f32 for bf16 and f16. Returns the gradients of q, k and v, of the
/// types of the results of `op`, which stays as it is.
llvm::SmallVector<mlir::Value>
decomposeAttentionBackward(AttentionBackwardOp op, mlir::OpBuilder &builder);

} // namespace tc

#endif // TC_TRANSFORMS_DECOMPOSEATTENTIONBACKWARD_H
