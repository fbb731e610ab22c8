//===- Routine.h - Factorisations and Fourier transforms --------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_ROUTINE_H
#define TC_LIB_REFERENCE_ROUTINE_H

#include "Evaluation.h"

namespace tc::reference {

/// A routine on operands whose matrices are the rows; the results have the
/// outer sizes, which all operands have alike, then those of the matrices.
/// `sizes` are those of the operands' matrices. Emits an error at `op` where
/// the routine fails and is `checked`.
mlir::FailureOr<Tensors> runRoutine(mlir::Operation *op, RoutineKind kind,
                                    llvm::ArrayRef<Rows> operands,
                                    llvm::ArrayRef<Sizes64> sizes,
                                    bool checked);

/// The results of the op, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, RoutineOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_ROUTINE_H
