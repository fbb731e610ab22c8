//===- RowTeam.h - Threads that share a row ---------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ROWTEAM_H
#define TC_LIB_CONVERSION_TCTOGPU_ROWTEAM_H

#include "../KernelEmission/WorkerTeam.h"
#include "ClusterExchange.h"

namespace tc {

/// Consecutive threads of a block that share a row; a block may have several
/// such teams, one for each row, or the blocks of a cluster may be one team.
/// Their states are folded by shuffles within warps, then through shared memory
/// of the block, then through that of the cluster's blocks.
class RowTeam : public WorkerTeam {
public:
  /// `threads` of a row in a block: a power of two that divides those of the
  /// block. In a cluster of several blocks all threads are of one row.
  /// `exchange` is the kernel's, null without clusters.
  RowTeam(GPUFrame &frame, unsigned dim, int64_t threads,
          ClusterExchange *exchange = nullptr);

  /// The number (i64) of the team in its block.
  virtual mlir::Value getRow();
  /// How many teams (i64) a block has; null for one.
  virtual mlir::Value countRows();

  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                         mlir::ValueRange identity,
                                         Combine combine) override;
  mlir::Value emitElectWriter() override;
  /// Emits what ends the kernel: blocks of a cluster whose memory others read
  /// wait until all have.
  void emitEnd();

protected:
  /// Worker `number` of `count`, which are at most `threads`.
  RowTeam(GPUFrame &frame, unsigned dim, mlir::Value number, mlir::Value count,
          int64_t threads)
      : WorkerTeam(dim, number, count, threads), frame(frame),
        threads(threads) {}

  /// Folds groups of `lanes` neighbouring lanes; all lanes get the result.
  llvm::SmallVector<mlir::Value> combineLanes(mlir::ValueRange states,
                                              int64_t lanes, Combine combine);
  /// Whether what is emitted now runs several times.
  bool isInLoop();

  GPUFrame &frame;

private:
  llvm::SmallVector<mlir::Value>
  combineWarps(llvm::SmallVector<mlir::Value> states, Combine combine);

  llvm::SmallVector<mlir::Value>
  combineBlocks(llvm::SmallVector<mlir::Value> states, Combine combine);
  llvm::SmallVector<mlir::Value>
  readBlocks(llvm::SmallVector<mlir::Value> states, Combine combine);
  void emitReady();
  void emitClusterBarrier();

  const int64_t threads; ///< of a row in a block
  ClusterExchange *const exchange = nullptr;
  mlir::Block *const begin = frame.builder.getInsertionBlock();
  bool isReady = false;
  bool readsOthers = false; ///< other blocks' memory
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ROWTEAM_H
