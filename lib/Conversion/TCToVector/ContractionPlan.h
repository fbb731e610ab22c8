//===- ContractionPlan.h - Code of a planned contraction --------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
#define TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H

#include "../KernelEmission/PointEmitter.h"
#include "TC/Analysis/ContractionPlan.h"

namespace tc {

/// A block of reduced points: [low, high) of the first reduced dimension and
/// all of the others; `points` of them.
struct ReducedBlock {
  mlir::Value low, high, points;
};

/// The plan of a kernel that `emitContractionKernel` knows.
std::optional<ContractionPlan> planContraction(KernelFrame &frame);

/// The plan by the schedule's `few_tile`, of a kernel whose other calls have
/// `plan`; nothing when the schedule has none, or one too large for code.
std::optional<ContractionPlan> planFewTile(KernelFrame &frame,
                                           const ContractionPlan &plan);

/// Index of the scope's reduced point in its block.
mlir::Value getBlockPosition(KernelFrame &frame, const ContractionPlan &plan,
                             Scope &scope, ReducedBlock block);

/// Where the points of `block` of row `row` lie, in a row operand that is not
/// staged.
mlir::Value pointerToRow(KernelFrame &frame, const ContractionPlan &plan,
                         Scope &scope, mlir::Value row, ReducedBlock block);

/// Puts the rows [low, high) of the row operand, and up to a whole register
/// tile more, into `scratch`, the points of `block` one after the other.
void stageRows(KernelFrame &frame, const ContractionPlan &plan, Scope &scope,
               mlir::Value low, mlir::Value high, ReducedBlock block,
               mlir::Value scratch);

/// Puts the lanes [low, high) of the panel operand, one panel at most, into
/// `scratch`: for each reduced point (each pair of points) all lanes.
void packPanel(KernelFrame &frame, const ContractionPlan &plan, Scope &scope,
               mlir::Value low, mlir::Value high, ReducedBlock block,
               mlir::Value scratch);

/// Calls `body` for each run of neighbouring points of the last of `dims` in
/// the range [low, high) of all: with the run's ends in that dimension and the
/// number, among all, of that dimension's point 0.
void emitRuns(KernelFrame &frame, Scope &scope, llvm::ArrayRef<unsigned> dims,
              mlir::Value low, mlir::Value high,
              llvm::function_ref<void(Scope &, mlir::Value low,
                                      mlir::Value high, mlir::Value origin)>
                  body);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_CONTRACTIONPLAN_H
