//===- ContractionStores.h - Results that the copy engine stores *- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONSTORES_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONSTORES_H

#include "ContractionTiles.h"

namespace tc {

/// The results of a tile, which a warp group keeps in registers until the
/// products of the next one are under way. They are a list of values, as loops
/// carry it: whether there are any (i1), the tile's corner, and the words of
/// two neighbours each.
class ContractionStores {
public:
  explicit ContractionStores(ContractionTiles &tiles);

  llvm::SmallVector<mlir::Value> getNone();
  llvm::SmallVector<mlir::Value> getResults(const TileCorner &corner,
                                            llvm::ArrayRef<mlir::Value> words);
  /// Boxes of a warp's part of a tile.
  int64_t countBoxes() const {
    return tiles.schedule.getLanes() / tiles.getStoredLanes();
  }
  /// Starts the copy of box number `box` of `results`.
  void emit(mlir::ValueRange results, int64_t box);

private:
  int64_t countWords() const;
  int64_t countWaiting() const;
  int64_t countBehind(int64_t box) const;

  ContractionTiles &tiles;
  mlir::Value place;     ///< of the warp's boxes in shared memory (i32)
  mlir::Value firstRow;  ///< of the warp in a tile (i32)
  mlir::Value firstLane; ///< the coordinate of the first lane of all (i32)
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONSTORES_H
