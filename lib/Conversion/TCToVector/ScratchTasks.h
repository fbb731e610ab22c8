//===- ScratchTasks.h - Launches with memory of their own -------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H
#define TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H

#include "../KernelEmission/KernelLaunches.h"
#include "CPUFrame.h"

namespace tc {

/// A launch whose iterations need scratch memory. It has as many tasks as the
/// kernel's #tc.task_schedule says, or one for each iteration where these are
/// fewer. A task has scratch for one iteration, and
/// goes through its own iterations one after the other: what the launch takes
/// does not grow with them.
struct ScratchTasks {
  /// For `iterations` iterations, of `bytes` bytes of scratch and about `work`
  /// elements of a pointwise kernel each.
  ScratchTasks(CPUFrame &frame, SizeExpr iterations, SizeExpr bytes,
               SizeExpr work);

  LaunchShape shape;
  mlir::Value low, high; ///< the iterations of the call: [low, high)
  mlir::Value scratch;   ///< the call's memory
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_SCRATCHTASKS_H
