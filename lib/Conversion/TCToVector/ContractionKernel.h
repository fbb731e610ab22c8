//===- ContractionKernel.h - Blocked contractions ---------------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONKERNEL_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONKERNEL_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "ContractionPlan.h"

namespace tc {

/// Emits a contraction by `plan`, and calls of few points by `few` where there
/// is one, as a blocked matrix product with tiles of accumulators in registers;
/// the epilogue runs on each finished tile.
mlir::FailureOr<LaunchShape>
emitContractionKernel(CPUFrame &frame, const ContractionPlan &plan,
                      const std::optional<ContractionPlan> &few);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONKERNEL_H
