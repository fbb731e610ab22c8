//===- ContractionPlan.h - Code of a planned contraction --------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H

#include "../KernelEmission/PointEmitter.h"
#include "TC/Analysis/ContractionPlan.h"

namespace tc {

/// The plan of the frame's kernel, where it has a #tc.contraction_schedule that
/// `emitContractionKernel` can follow; nothing otherwise.
std::optional<ContractionPlan> planContraction(KernelFrame &frame);

/// The plan of the schedule's `few_tile`, where other calls of the kernel
/// follow `plan`; nothing where the schedule has none, or one that completePlan
/// refuses.
std::optional<ContractionPlan> planFewTile(KernelFrame &frame,
                                           const ContractionPlan &plan);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
