//===- KernelEmitters.h - One emitter for each shape of kernel --*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
#define TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H

#include "KernelFrame.h"

namespace tc {

/// How the emitted function is to be run.
struct LaunchShape {
  SizeExpr count;    ///< outer iterations
  int64_t grain = 1; ///< smallest piece worth a thread
};

/// Pointwise ops, reductions, and any kernel without a better emitter: outer
/// parallel dimensions are the iterations, the schedule's vector dimension the
/// lanes. Fails, with a diagnostic, on stages that need another emitter.
mlir::FailureOr<LaunchShape> emitPointKernel(KernelFrame &frame);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
