//===- RegisterTile.h - Accumulators of rows by lanes -----------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_REGISTERTILE_H
#define TC_CONVERSION_TCTOVECTOR_REGISTERTILE_H

#include "../KernelEmission/Loops.h"

namespace tc {

/// Rows of the tiles that finish what whole tiles of `rows` leave, or take all
/// where whole ones would be large beside what is written.
inline int64_t getPartOfTile(int64_t rows) {
  return std::max<int64_t>(1, rows / 3);
}

/// Calls `body` in loops over [low, high) with the base and the number of rows
/// of each tile: whole tiles of `rows` (where `usesWhole`, if given, holds),
/// then parts of one, then single rows.
void emitRowTiles(
    KernelFrame &frame, Scope &scope, mlir::Value low, mlir::Value high,
    int64_t rows, mlir::Value usesWhole,
    llvm::function_ref<void(Scope &, mlir::Value base, int64_t rows)> body);

/// A tile of f32 or f64 that has been accumulated and is written out.
struct RegisterTile {
  mlir::Value result; ///< the contraction whose elements the tile holds
  std::optional<unsigned> rowDim;
  unsigned vectorDim;
  int64_t lanes;
  mlir::Value scratch; ///< room for the tile

  /// Accumulates, over `reduced`, `factor` a row times `panel`.
  llvm::SmallVector<mlir::Value> accumulate(
      PointEmitter &emitter, Scope &scope, llvm::ArrayRef<unsigned> reduced,
      mlir::Value base, int64_t rows,
      llvm::function_ref<mlir::Value(Scope &inner)> panel,
      llvm::function_ref<mlir::Value(Scope &row, int64_t number)> factor) const;

  /// Stores the accumulators to scratch and emits the kernel's writes, one row
  /// at a time; `prepare` may put values into the row's scope first.
  void emitEpilogue(
      PointEmitter &epilogue, Scope &scope, mlir::Value base, int64_t rows,
      mlir::ValueRange accumulators,
      llvm::function_ref<void(Scope &row, mlir::Value number)> prepare) const;
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_REGISTERTILE_H
