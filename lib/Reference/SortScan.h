//===- SortScan.h - Sorts ---------------------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_SORTSCAN_H
#define TC_LIB_REFERENCE_SORTSCAN_H

#include "Evaluation.h"

namespace tc::reference {

/// The first `keep` of every row's elements in order, and their places.
std::pair<Tensor, Tensor> sortRows(const Rows &rows, bool descending,
                                   int64_t keep);

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, SortOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, TopKOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_SORTSCAN_H
