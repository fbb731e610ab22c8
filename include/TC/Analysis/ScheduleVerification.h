//===- ScheduleVerification.h - Schedules that fit their kernel -*- C++ -*-===//

#ifndef TC_ANALYSIS_SCHEDULEVERIFICATION_H
#define TC_ANALYSIS_SCHEDULEVERIFICATION_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// What the verifier of #tc.schedule cannot know: that the fields are those of
/// a kernel of this class and rank. Fails after an error that names the field.
mlir::LogicalResult verifySchedule(KernelOp kernel, ScheduleAttr schedule);

} // namespace tc

#endif // TC_ANALYSIS_SCHEDULEVERIFICATION_H
