//===- Contraction.h - Contractions and convolution -------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_CONTRACTION_H
#define TC_LIB_REFERENCE_CONTRACTION_H

#include "Evaluation.h"

namespace tc::reference {

/// Sum of products over the labels that both operands have and the result
/// lacks. A label is any number; each operand's dimensions have distinct ones,
/// and a label that only one operand has is in the result. `chained` sums in
/// f32.
Tensor contract(const Tensor &lhs, llvm::ArrayRef<int64_t> lhsLabels,
                const Tensor &rhs, llvm::ArrayRef<int64_t> rhsLabels,
                llvm::ArrayRef<int64_t> resultLabels,
                mlir::Type resultElementType, bool chained);

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, ContractOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ConvolutionOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_CONTRACTION_H
