//===- ColumnTeam.h - Threads that share columns ----------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_COLUMNTEAM_H
#define TC_LIB_CONVERSION_TCTOGPU_COLUMNTEAM_H

#include "../KernelEmission/WorkerTeam.h"
#include "GPUFrame.h"

namespace tc {

/// Threads of a block whose numbers differ by multiples of `columnThreads`:
/// they share the points of a column, or of a vector of columns. Their states
/// are folded through shared memory, in the order of their numbers.
class ColumnTeam : public WorkerTeam {
public:
  ColumnTeam(GPUFrame &frame, unsigned dim, int64_t columnThreads);

  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                         mlir::ValueRange identity,
                                         Combine combine) override;
  mlir::Value emitElectWriter() override;

  /// The number (i64) of the team in its block.
  const mlir::Value column;

private:
  mlir::Value getSlot(size_t state, mlir::Type type, mlir::Value worker);
  void store(mlir::ValueRange states);
  /// The states of a worker, of the types of `like`.
  llvm::SmallVector<mlir::Value> load(mlir::ValueRange like,
                                      mlir::Value worker);

  GPUFrame &frame;
  int64_t columnThreads;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_COLUMNTEAM_H
