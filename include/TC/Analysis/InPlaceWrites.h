//===- InPlaceWrites.h - Outputs written over inputs ------------*- C++ -*-===//

#ifndef TC_ANALYSIS_INPLACEWRITES_H
#define TC_ANALYSIS_INPLACEWRITES_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The buffer whose memory `buffer` shows, through `tc.buffer_reshape`s.
mlir::Value getBufferRoot(mlir::Value buffer);

/// Whether code of the kernel may write output `outIndex` over input `inIndex`
/// when the two are one buffer:
///  - a pointwise kernel that reads each element only at the point that writes
///    it, through equal maps of buffers of equal types;
///  - tiled attention that writes a row's result over the row's queries, and a
///    small product that writes a row over the row it is a product of, if
///    nothing else reads these and the code is a CPU's (`tc.target`).
bool mayWriteOver(KernelOp kernel, unsigned inIndex, unsigned outIndex);

/// Whether some input and some output of a kernel on memrefs are one buffer.
bool writesOverInput(KernelOp kernel);

/// Fails, with a diagnostic, for a kernel on memrefs with an input and an
/// output of one buffer that `mayWriteOver` does not allow.
mlir::LogicalResult verifyInPlaceWrites(KernelOp kernel);

} // namespace tc

#endif // TC_ANALYSIS_INPLACEWRITES_H
