//===- FittedRowTeam.h - Whole warps that share a row -----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_FITTEDROWTEAM_H
#define TC_LIB_CONVERSION_TCTOGPU_FITTEDROWTEAM_H

#include "RowTeam.h"

namespace tc {

/// The warps of a row, as many as its length asks for when the kernel runs; a
/// block has as many such teams as fit. All of them have equally many warps.
class FittedRowTeam : public RowTeam {
public:
  /// `warps` (i64) of a row, at most those of the block. A warp holds units
  /// that are next to each other, `units` for each thread: they are at constant
  /// distances.
  FittedRowTeam(GPUFrame &frame, unsigned dim, mlir::Value warps,
                int64_t units);

  mlir::Value getRow() override;
  mlir::Value countRows() override;
  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                         mlir::ValueRange identity,
                                         Combine combine) override;

private:
  llvm::SmallVector<mlir::Value> exchangeWarps(mlir::ValueRange states,
                                               mlir::ValueRange identity,
                                               Combine combine);

  const mlir::Value warps;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_FITTEDROWTEAM_H
