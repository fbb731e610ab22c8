//===- ScratchTasks.h - Launches with workspace of their own ----*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H
#define TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/TaskPlan.h"

namespace tc {

/// The part of a launch whose tasks have workspace that one call of its
/// function runs.
struct ScratchTasks {
  /// Of the launch that `plan` is of.
  static mlir::FailureOr<ScratchTasks> get(CPUFrame &frame,
                                           const TaskPlan &plan);

  LaunchShape shape;
  mlir::Value low, high; ///< the iterations of the call: [low, high)
  mlir::Value workspace; ///< the call's memory
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H
