//===- Attention.h - Attention ----------------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_ATTENTION_H
#define TC_LIB_REFERENCE_ATTENTION_H

#include "Evaluation.h"

namespace tc::reference {

/// The results of the op, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, AttentionOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, AttentionBackwardOp);

/// The same of operands that are the values over their dimensions, as the stage
/// names them, behind others that all of them have; not rounded.
Tensors evaluateStage(AttentionBackwardStageOp op,
                      llvm::ArrayRef<Tensor> operands);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_ATTENTION_H
