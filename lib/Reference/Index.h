//===- Index.h - Gathers and scatters ---------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_INDEX_H
#define TC_LIB_REFERENCE_INDEX_H

#include "Evaluation.h"

namespace tc::reference {

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, GatherOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IndexOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, NonzeroOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ScatterOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IndexPutOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_INDEX_H
