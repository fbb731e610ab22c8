//===- BlockTeam.h - The threads of a block as a team -----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_BLOCKTEAM_H
#define TC_LIB_CONVERSION_TCTOGPU_BLOCKTEAM_H

#include "GPUFrame.h"

namespace tc {

/// The threads of a block. Their states are folded by shuffles within warps,
/// then through shared memory.
class BlockTeam : public WorkerTeam {
public:
  BlockTeam(GPUFrame &frame, unsigned dim)
      : WorkerTeam(dim, frame.threadNumber, frame.constant(frame.threads)),
        frame(frame) {}

  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                         Combine combine) override;
  mlir::Value emitElectWriter() override;

private:
  llvm::SmallVector<mlir::Value> combineLanes(mlir::ValueRange states,
                                              int64_t lanes, Combine combine);

  GPUFrame &frame;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_BLOCKTEAM_H
