//===- WorkerTeam.h - Workers that divide a dimension -----------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_WORKERTEAM_H
#define TC_CONVERSION_KERNELEMISSION_WORKERTEAM_H

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tc {

/// Workers that run the same code together, each at its own points of one
/// dimension: the threads of a block on a GPU. Each worker has its own values
/// of what varies over that dimension, and a reduction over it combines those
/// of all. Everything else all workers compute alike, and one of them writes
/// it.
class WorkerTeam {
public:
  WorkerTeam(unsigned dim, mlir::Value number, mlir::Value count,
             int64_t workers)
      : dim(dim), number(number), count(count), workers(workers) {}
  virtual ~WorkerTeam() = default;

  const unsigned dim;
  /// The dimensions that it may go over as if they were one: a fold over all of
  /// these, and no other, is one loop of the team.
  llvm::SmallVector<unsigned> dims{dim};
  /// Which worker this is, and how many there are (i64).
  const mlir::Value number, count;
  const int64_t workers; ///< how many at most, as a constant
  /// Of the units that it holds of a row, a worker's first one (i64), and how
  /// many units each is after the one before (i64).
  mlir::Value firstHeld = number, heldStride = count;

  /// Folds the states of all workers, in a fixed order; each gets the result.
  /// `identity` are states that change nothing when folded with.
  using Combine = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange, mlir::ValueRange)>;
  virtual llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                                 mlir::ValueRange identity,
                                                 Combine combine) = 0;
  /// Emits a barrier, after which all earlier reads of the team are done, and
  /// whether (i1) this worker is the one that writes for the team.
  virtual mlir::Value emitElectWriter() = 0;
};

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_WORKERTEAM_H
