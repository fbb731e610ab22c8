//===- ClusterExchange.h - States that blocks send each other ---*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CLUSTEREXCHANGE_H
#define TC_LIB_CONVERSION_TCTOGPU_CLUSTEREXCHANGE_H

#include "GPUFrame.h"

namespace tc {

/// What the blocks of a cluster send each other (`st.async`). A block has a
/// slot for the states of each block, and for each exchange a barrier that
/// counts the bytes that arrive: none waits for anything else than what it
/// needs. A barrier of the cluster would wait until memory has what threads
/// have stored, and drop what the first-level cache has.
class ClusterExchange {
public:
  /// Emits, where a kernel begins, that this block's barriers are there.
  explicit ClusterExchange(GPUFrame &frame);

  /// Emits, once on every way through the kernel and before the first exchange,
  /// a wait until those of all blocks are.
  void emitReady();
  /// Sends `states`, which all threads of a block have, to all blocks; gives
  /// those of every block, by its rank. Emitted where code runs once.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  exchange(mlir::ValueRange states);

private:
  mlir::Value addBarrier();
  void send(mlir::ValueRange states, mlir::Value slots, mlir::Value barrier);

  GPUFrame &frame;
  mlir::scf::IfOp setUp; ///< the first thread's part of the begin
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CLUSTEREXCHANGE_H
