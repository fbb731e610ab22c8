//===- Guards.h - Guards and preconditions ----------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_GUARDS_H
#define TC_LIB_REFERENCE_GUARDS_H

#include "Evaluation.h"

namespace tc::reference {

/// Emits an error at `op`, which names the need of `user`, where the condition
/// does not hold.
mlir::LogicalResult checkPrecondition(Evaluation &evaluation,
                                      mlir::Operation *op, llvm::StringRef user,
                                      const SizePrecondition &condition);

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, SizeFromOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, GuardOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SizeGuardOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_GUARDS_H
