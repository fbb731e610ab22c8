//===- DrawnTiles.h - Tiles that blocks take in turns -----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_DRAWNTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_DRAWNTILES_H

#include "Words.h"
#include <functional>

namespace tc {

/// Tiles of a launch, by number: each has a block of its own, or blocks that
/// stay draw the numbers of those after their first from a counter, so that the
/// copies of the next tile are under way while one ends. A block has its tiles
/// in the order of their numbers.
class DrawnTiles {
public:
  /// What is known of a tile by its number, below `count` (i32), in at most 3
  /// words.
  using Describe =
      std::function<llvm::SmallVector<mlir::Value>(mlir::Value number)>;
  /// `count` tiles, of at most `blocks` blocks that stay; of 0, of none. The
  /// thread that draws a number tells what `describe` knows of it, too.
  DrawnTiles(GPUFrame &frame, SizeExpr count, int64_t blocks, Describe describe)
      : frame(frame), words{frame.builder, frame.loc}, count(count),
        blocks(blocks), describe(std::move(describe)) {}

  SizeExpr countBlocks() const;
  /// Makes that pipeline at `offset` bytes in shared memory, where blocks stay:
  /// the first threads of `takers` warps, or all threads of these, take
  /// numbers.
  void emitNumbers(int64_t offset, int64_t takers);
  /// Runs `body` for each tile of the block, of which it is told the number
  /// (i32) and what `describe` knows, with values that it carries on, from
  /// `first`; those after the last tile. One thread `draws` the numbers of
  /// tiles once `body` is done, and others take them.
  using TileBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange tile, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> emitTiles(bool draws, mlir::ValueRange first,
                                           TileBody body);
  /// What `describe` knows of the first tile.
  llvm::SmallVector<mlir::Value> describeFirst() {
    return describe(words.narrow(frame.blockNumber));
  }
  /// In a body of `emitTiles`, of blocks that stay, takes the number of the
  /// tile that follows, as the end of the body does otherwise: whether (i1)
  /// there is such a tile, and what `describe` knows of it, or of the last of
  /// all tiles.
  std::pair<mlir::Value, llvm::SmallVector<mlir::Value>> takeNext();

private:
  mlir::Value emitCount() { return words.narrow(frame.size(count)); }
  void draw();
  void take();
  mlir::Value isTile(mlir::Value number) {
    return words.isLess(number, emitCount());
  }

  GPUFrame &frame;
  Words words;
  SizeExpr count;
  int64_t blocks;
  mlir::Value numbers; ///< the pipeline; null where every tile has a block
  mlir::Value slot;    ///< of the number of the tile that follows
  /// That number and what is known of its tile, once it is taken.
  llvm::SmallVector<mlir::Value> next;
  Describe describe;
  size_t known = 0; ///< words that it gives
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_DRAWNTILES_H
