//===- WrittenBuffers.h - Buffers that kernels write whole ------*- C++ -*-===//

#ifndef TC_ANALYSIS_WRITTENBUFFERS_H
#define TC_ANALYSIS_WRITTENBUFFERS_H

#include "TC/Analysis/SizeFacts.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Whether `kernel` certainly writes every element of `outs[outIndex]`,
/// whatever its sizes: one write, of no dynamic index, takes the points of the
/// domain to the elements one to one.
bool writesWhole(KernelOp kernel, unsigned outIndex, const SizeFacts &facts);

/// Fails, naming the buffer, unless every part of the arena is written whole
/// before a kernel or a condition reads it, and every output before the
/// function ends, on each way through branches and loops; nothing but these is
/// written.
llvm::LogicalResult verifyWritten(mlir::Block &body, const SizeFacts &facts);

} // namespace tc

#endif // TC_ANALYSIS_WRITTENBUFFERS_H
