//===- RegisterTile.h - Tiles of rows and their epilogues -------*- C++ -*-===//

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

/// A tile of a contraction whose accumulators in memory have all points.
struct FinishedTile {
  mlir::Value result; ///< the contraction's result in the kernel's body
  /// Dimensions of the rows and of the lanes, each list walked as one
  /// dimension.
  llvm::ArrayRef<unsigned> rows, lanes;
  mlir::Value accumulators; ///< address of that of row `start`, lane `lane`
  int64_t stride;           ///< of the rows of accumulators, in elements
  mlir::Value start, lane;  ///< first row and lane of the tile (i64)
  /// Whether there may be no memory behind the accumulator of the last lane.
  bool endsMemory = false;
};

/// Emits the epilogue and the kernel's writes of the rows [low, high) and of
/// the lanes before `laneEnd`, row by row. `prepare`, if given, may add values
/// to the scope of a row; `number` counts rows from the tile's first.
void emitTileEpilogue(
    PointEmitter &epilogue, Scope &scope, const FinishedTile &tile,
    mlir::Value low, mlir::Value high, mlir::Value laneEnd,
    llvm::function_ref<void(Scope &row, mlir::Value number)> prepare);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_REGISTERTILE_H
