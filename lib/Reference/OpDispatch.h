//===- OpDispatch.h - One op of any kind ------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_OPDISPATCH_H
#define TC_LIB_REFERENCE_OPDISPATCH_H

#include "Evaluation.h"

namespace tc::reference {

/// Runs one op: its results are set in `evaluation`.
mlir::LogicalResult evaluateOp(Evaluation &evaluation, mlir::Operation *op);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_OPDISPATCH_H
