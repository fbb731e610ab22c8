//===- AttentionResults.h - What attention writes ---------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONRESULTS_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONRESULTS_H

#include "AttentionScores.h"
#include "TileStores.h"

namespace tc {

/// The results of tiles, stored by the threads that have them or by the copy
/// engine, and what is written of rows alone.
class AttentionResults : AttentionEmission {
public:
  /// Of threads whose first one of every 8 columns is `column` (i32).
  AttentionResults(AttentionTiles &tiles, mlir::Value column, Scope &scope);

  /// Of the tile at `tiles.place`: the thread's `results`, of rows with these
  /// states, which `scores` knows.
  void emit(llvm::ArrayRef<mlir::Value> results, const RowStates &states,
            AttentionScores &scores);
  /// Waits for copies that are under way.
  void finish();

private:
  void leaveOut(Scope &point, mlir::Value lane,
                const UnalignedVectors &unaligned);
  void emitWritesOf(llvm::ArrayRef<mlir::Value> results,
                    const RowStates &states, bool isAligned,
                    llvm::SmallVector<mlir::Value> *stored, Scope &inner);
  void emitRowWrites(const RowStates &states);
  mlir::Value scaleLargest(const RowStates &states, int64_t half);
  void bindRow(Scope &row, int64_t half);

  mlir::Value column;
  Scope &scope;
  AttentionScores *scores = nullptr; ///< of the tile
  std::optional<TileStores> stores;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONRESULTS_H
