//===- RowTeam.h - Threads that share a row ---------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ROWTEAM_H
#define TC_LIB_CONVERSION_TCTOGPU_ROWTEAM_H

#include "../KernelEmission/WorkerTeam.h"
#include "GPUFrame.h"

namespace tc {

/// Consecutive threads of a block that share a row; a block may have several
/// such teams, one for each row. Their states are folded by shuffles within
/// warps, then through shared memory.
class RowTeam : public WorkerTeam {
public:
  /// `threads` of a row: a power of two that divides those of the block.
  RowTeam(GPUFrame &frame, unsigned dim, int64_t threads);

  /// The number (i64) of the team in its block.
  mlir::Value getRow();

  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                         Combine combine) override;
  mlir::Value emitElectWriter() override;

private:
  llvm::SmallVector<mlir::Value> combineLanes(mlir::ValueRange states,
                                              int64_t lanes, Combine combine);
  llvm::SmallVector<mlir::Value>
  combineWarps(llvm::SmallVector<mlir::Value> states, Combine combine);

  GPUFrame &frame;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ROWTEAM_H
