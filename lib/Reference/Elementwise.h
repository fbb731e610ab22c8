//===- Elementwise.h - The elementwise table --------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_ELEMENTWISE_H
#define TC_LIB_REFERENCE_ELEMENTWISE_H

#include "Evaluation.h"

namespace tc::reference {

/// An op of the elementwise table on operands of equal sizes.
mlir::FailureOr<Tensor> evaluateElementwise(const Evaluation &evaluation,
                                            mlir::Operation *op,
                                            llvm::ArrayRef<Tensor> operands);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_ELEMENTWISE_H
