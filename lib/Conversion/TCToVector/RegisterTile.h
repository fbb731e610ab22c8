//===- RegisterTile.h - Tiles of rows, and what becomes of them -*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_REGISTERTILE_H
#define TC_CONVERSION_TCTOVECTOR_REGISTERTILE_H

#include "../KernelEmission/Loops.h"

namespace tc {

/// Calls `body` in loops over [low, high) with the base and the number of rows
/// of each tile: whole tiles of `rows` (where `usesWhole`, if given, holds),
/// then tiles of `fewRows`, then single rows.
void emitRowTiles(
    KernelFrame &frame, Scope &scope, mlir::Value low, mlir::Value high,
    int64_t rows, int64_t fewRows, mlir::Value usesWhole,
    llvm::function_ref<void(Scope &, mlir::Value base, int64_t rows)> body);

/// A tile of a contraction's results, in memory.
struct FinishedTile {
  mlir::Value result; ///< the contraction's, at a point
  /// Dimensions that the rows and the lanes are, each walked as one.
  llvm::ArrayRef<unsigned> rows, lanes;
  mlir::Value accumulators; ///< pointer to those of row `start`, lane `lane`
  int64_t stride;           ///< elements from one row of them to the next
  mlir::Value start, lane;
};

/// Emits the kernel's writes of the rows [low, high) and the lanes up to
/// `laneEnd`, row by row; `prepare`, if given, may put values into the scope of
/// a row, which is that number from the tile's first.
void emitTileEpilogue(
    PointEmitter &epilogue, Scope &scope, const FinishedTile &tile,
    mlir::Value low, mlir::Value high, mlir::Value laneEnd,
    llvm::function_ref<void(Scope &row, mlir::Value number)> prepare);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_REGISTERTILE_H
