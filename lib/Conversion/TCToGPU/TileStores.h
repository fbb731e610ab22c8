//===- TileStores.h - Results that the copy engine stores -------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TILESTORES_H
#define TC_LIB_CONVERSION_TCTOGPU_TILESTORES_H

#include "CopiedBoxes.h"
#include "Words.h"

namespace tc {

/// A tile: its point of the batch dimensions, walked as one, and its first row
/// and lane (i32).
struct TileCorner {
  mlir::Value batch, row, lane;
};

/// The results of tiles, of rows of `lanes` elements of 16 bits that the
/// threads of warp groups have in words of two neighbours each.
class TileStores {
public:
  /// Of `results`, whose tensor map is the last one of the launch. They wait in
  /// shared memory from `offset` on, in `waitingBytes` for each row: all boxes
  /// of a warp's part of a tile, or fewer.
  TileStores(GPUFrame &frame, llvm::ArrayRef<unsigned> batches,
             const CopiedMatrix &results, int64_t lanes, int64_t offset,
             int64_t waitingBytes);

  /// Lanes of a box of tiles that have `lanes`.
  static int64_t getBoxLanes(int64_t lanes) {
    return lanes % block::kBoxElements == 0 ? block::kBoxElements
                                            : block::kBoxElements / 2;
  }
  /// Boxes of a warp's part of a tile.
  int64_t countBoxes() const { return lanes / getBoxLanes(lanes); }
  /// The results of a tile as a list of values, as loops carry it: whether
  /// there are any (i1), the tile's corner, and the words.
  llvm::SmallVector<mlir::Value> getNone();
  /// With `isStored` (i1) there are none for a warp for which it does not hold.
  llvm::SmallVector<mlir::Value> getResults(const TileCorner &corner,
                                            llvm::ArrayRef<mlir::Value> words,
                                            mlir::Value isStored = {});
  /// Starts the copy of box number `box` of the results `tile`.
  void emit(mlir::ValueRange tile, int64_t box);

private:
  int64_t countWords() const;
  int64_t countWaiting() const;
  int64_t countBehind(int64_t box) const;

  GPUFrame &frame;
  Words words;
  llvm::ArrayRef<unsigned> batches;
  const CopiedMatrix &results;
  int64_t lanes, waitingBytes;
  mlir::Value place;     ///< of the warp's boxes in shared memory (i32)
  mlir::Value firstRow;  ///< of the warp in a tile (i32)
  mlir::Value firstLane; ///< the coordinate of the first lane of all (i32)
};

/// Makes `emitter` append what `write` stores of two neighbours to `words`, as
/// a word, instead of storing it.
void collectWords(GPUFrame &frame, PointEmitter &emitter, WriteOp write,
                  llvm::SmallVector<mlir::Value> &words);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TILESTORES_H
