//===- TaskPlan.h - Tasks of sorts and routines -----------------*- C++ -*-===//
//
// A sort or a routine is launched in tasks, each of which has workspace for one
// iteration and goes through its own iterations one after the other: what the
// launch takes does not grow with them. What is planned here is what the memory
// plan reserves, the verifier of phase bufferize checks and the emitters use.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_TASKPLAN_H
#define TC_ANALYSIS_TASKPLAN_H

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Dialect/TC/IR/RoutineSignature.h"

namespace tc {

class SizeFacts;

/// Bytes of workspace that an element of a sorted row takes: two values and two
/// places of 8 bytes each.
inline constexpr int64_t kSortBytesPerElement = 32;

/// Bytes of workspace that a segment of a scanned row takes: its fold.
inline constexpr int64_t kScanBytesPerSegment = 8;

/// Where the matrices of one stage are in the workspace of a task, in numbers
/// of f64 from the stage's first.
struct RoutineLayout {
  explicit RoutineLayout(RoutineStageOp stage);

  RoutineSizes sizes;
  llvm::SmallVector<SizeExpr> offsets; ///< of operands, then of results
  SizeExpr total; ///< numbers, the routine's own workspace among them
};

/// The tasks of a kernel with a sort or a routine.
struct TaskPlan {
  llvm::SmallVector<unsigned> dims; ///< whose points are the iterations
  SizeExpr iterations;
  /// As many as the kernel's #tc.task_schedule says, one without a schedule; no
  /// more than iterations.
  SizeExpr tasks;
  SizeExpr perTask; ///< iterations of a task, fewer for the last ones
  SizeExpr bytes;   ///< workspace of one task
  SizeExpr work;    ///< of one iteration, in points of a pointwise kernel

  /// Bytes of workspace of the launch.
  SizeExpr getWorkspace() const { return bytes.mul(tasks); }
};

/// Whether a write of `kernel` at indices replaces what is in place: which
/// point is the last at an element has to be found where they come in any
/// order.
bool replacesAtomically(KernelOp kernel);

/// Bytes of workspace that `kernel` needs: those of its tasks on a CPU; on a
/// GPU two copies of all rows that it sorts, the folds of the segments that it
/// scans or of the parts that its blocks fold, the number of the last point for
/// each element that it replaces by atomic operations, or what its schedule
/// gives a library. Nothing where it needs none.
std::optional<SizeExpr> getWorkspaceBytes(KernelOp kernel);

/// Nothing for a kernel that is no sort and no routine, or is one with a
/// schedule for a GPU.
std::optional<TaskPlan> planTasks(KernelOp kernel);

/// Fails after an error unless a kernel on memrefs that needs a workspace has
/// one of at least the bytes of getWorkspaceBytes whenever `facts` hold, and
/// for another kernel that has one.
mlir::LogicalResult verifyWorkspace(KernelOp kernel, const SizeFacts &facts);

} // namespace tc

#endif // TC_ANALYSIS_TASKPLAN_H
