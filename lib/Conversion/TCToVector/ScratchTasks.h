//===- ScratchTasks.h - Launches with workspace of their own ----*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H
#define TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"
#include "TC/Analysis/TaskPlan.h"

namespace tc {

/// The tasks of a launch with workspace in the arena that one call of the
/// kernel's function runs one after the other, all in the workspace of the
/// first.
struct ScratchTasks {
  /// The tasks of the call, in a launch planned by `plan`.
  static mlir::FailureOr<ScratchTasks> get(CPUFrame &frame,
                                           const TaskPlan &plan);

  LaunchShape shape;
  mlir::Value low, high; ///< the iterations of the call: [low, high)
  mlir::Value workspace; ///< address of the first task's workspace
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H
