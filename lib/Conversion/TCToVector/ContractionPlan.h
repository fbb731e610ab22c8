//===- ContractionPlan.h - Code of a planned contraction --------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H

#include "../KernelEmission/PointEmitter.h"
#include "TC/Analysis/ContractionPlan.h"

namespace tc {

/// The plan of a kernel that `emitContractionKernel` knows.
std::optional<ContractionPlan> planContraction(KernelFrame &frame);

/// The plan by the schedule's `few_tile`, of a kernel whose other calls have
/// `plan`; nothing when the schedule has none, or one too large for code.
std::optional<ContractionPlan> planFewTile(KernelFrame &frame,
                                           const ContractionPlan &plan);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
