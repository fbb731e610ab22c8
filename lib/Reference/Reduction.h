//===- Reduction.h - Folds of rows ------------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_REDUCTION_H
#define TC_LIB_REFERENCE_REDUCTION_H

#include "Evaluation.h"

namespace tc::reference {

/// Folds every row; the result has the rows' outer sizes. Sum to Any only.
/// `chained` rounds floats to f32 after every step.
Tensor reduceRows(const Rows &rows, ReductionKind kind, bool chained);

/// Index of the extreme element of every row (i64).
Tensor argReduceRows(const Rows &rows, bool largest);

/// Mean of every row and sum of squared deviations from it.
std::pair<Tensor, Tensor> welfordRows(const Rows &rows);

/// Running fold along every row; the result has the arranged sizes.
Tensor scanRows(const Rows &rows, ReductionKind kind);

/// `current` with `update` folded in.
Word combineWords(CombineKind combine, Word current, Word update,
                  ElementKind kind);

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, ReduceOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ArgReduceOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, VarianceOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ScanOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_REDUCTION_H
