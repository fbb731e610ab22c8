//===- Normalization.h - Softmax and norms ----------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_NORMALIZATION_H
#define TC_LIB_REFERENCE_NORMALIZATION_H

#include "Evaluation.h"

namespace tc::reference {

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, SoftmaxOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, LogSoftmaxOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, LayerNormOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, RmsNormOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, GroupNormOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, BatchNormOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_NORMALIZATION_H
