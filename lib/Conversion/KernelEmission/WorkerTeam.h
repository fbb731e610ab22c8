//===- WorkerTeam.h - Workers that share out a dimension --------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_WORKERTEAM_H
#define TC_CONVERSION_KERNELEMISSION_WORKERTEAM_H

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tc {

/// Workers that run the same code together, each at its own points of one
/// dimension: the threads of a block on a GPU. What varies over that dimension
/// is a worker's own, a fold over it is combined among them; everything else
/// all of them compute alike, and one of them writes.
class WorkerTeam {
public:
  WorkerTeam(unsigned dim, mlir::Value number, mlir::Value count)
      : dim(dim), number(number), count(count) {}
  virtual ~WorkerTeam() = default;

  const unsigned dim;
  /// Which worker this is, and how many there are (i64).
  const mlir::Value number, count;

  /// Folds the states of all workers, in a fixed order; each gets the result.
  using Combine = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange, mlir::ValueRange)>;
  virtual llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                                 Combine combine) = 0;
  /// Waits until all workers have read what they read before, and tells (i1)
  /// whether this one writes for the team.
  virtual mlir::Value emitTurn() = 0;
};

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_WORKERTEAM_H
