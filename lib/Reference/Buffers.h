//===- Buffers.h - Kernels and ops on memrefs -------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_BUFFERS_H
#define TC_LIB_REFERENCE_BUFFERS_H

#include "Evaluation.h"

namespace tc::reference {

/// The contents of a buffer.
Tensor readBuffer(const Buffer &);

mlir::LogicalResult evaluateBufferOp(Evaluation &, mlir::Operation *);

/// The results of the op, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, KernelOp);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_BUFFERS_H
