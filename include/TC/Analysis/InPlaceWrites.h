//===- InPlaceWrites.h - Outputs written over inputs ------------*- C++ -*-===//

#ifndef TC_ANALYSIS_INPLACEWRITES_H
#define TC_ANALYSIS_INPLACEWRITES_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The buffer whose memory `buffer` shows, through `tc.buffer_reshape`s.
mlir::Value getShownBuffer(mlir::Value buffer);

/// The same, or the argument of the function that this one is written over.
mlir::Value getBufferRoot(mlir::Value buffer);

/// The one write to an output of a kernel, of all its points as they are; null
/// where there is none or several.
WriteOp getPlainWrite(mlir::BlockArgument out);

/// Whether code of the kernel, on memrefs or still on tensors, may write output
/// `outIndex` over input `inIndex` when the two are one buffer of one type, or,
/// in the last case, of types with as many elements:
///  - a kernel without contractions, where what an iteration over the outer
///    dimensions (KernelIterations.h) reads is written by itself alone, and
///    before that: by stages that are computed ahead, by the loops of earlier
///    writes, or at the point that writes the element, through an equal map,
///    for this write or one before it. On a GPU, whose threads share an
///    iteration, only without stages and with equal maps;
///  - tiled attention that writes a row's result over the row's queries, and a
///    small contraction that writes a row over the row that it multiplies, if
///    nothing else reads these and the code is a CPU's (`tc.target`).
/// Code is shared by kernels with equal bodies: the answer depends on the body
/// and the target, not on which operands are one buffer.
bool mayWriteOver(KernelOp kernel, unsigned inIndex, unsigned outIndex);

/// The inputs of a kernel on memrefs, by number, that are one buffer with an
/// output.
llvm::SmallVector<int64_t> getInputsWrittenOver(KernelOp kernel);

/// Fails, with a diagnostic, for a kernel on memrefs with an input and an
/// output of one buffer that `mayWriteOver` does not allow.
mlir::LogicalResult verifyInPlaceWrites(KernelOp kernel);

} // namespace tc

#endif // TC_ANALYSIS_INPLACEWRITES_H
