//===- Pool.h - Pooling and resampling --------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_POOL_H
#define TC_LIB_REFERENCE_POOL_H

#include "Evaluation.h"

namespace tc::reference {

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, MaxPoolOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, AvgPoolOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, AdaptiveAvgPoolOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ResampleOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_POOL_H
