//===- DrawnTiles.h - Tiles that blocks take in turns -----------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_DRAWNTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_DRAWNTILES_H

#include "Words.h"

namespace tc {

/// Tiles of a launch, by number: each has a block of its own, or blocks that
/// stay draw the numbers of those after their first from a counter, so that the
/// copies of the next tile are under way while one ends. A block has its tiles
/// in the order of their numbers.
class DrawnTiles {
public:
  /// `count` tiles, of at most `blocks` blocks that stay; of 0, of none.
  DrawnTiles(GPUFrame &frame, SizeExpr count, int64_t blocks)
      : frame(frame), words{frame.builder, frame.loc}, count(count),
        blocks(blocks) {}

  SizeExpr countBlocks() const;
  /// Makes that pipeline at `offset` bytes in shared memory, where blocks stay:
  /// the first threads of `takers` warps, or all threads of these, take
  /// numbers.
  void emitNumbers(int64_t offset, int64_t takers);
  /// Runs `body` for each tile of the block, by its number (i32), with values
  /// that it carries on, from `first`; those after the last tile. One thread
  /// `draws` the numbers of tiles once `body` is done, and others take them.
  using TileBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value number, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> emitTiles(bool draws, mlir::ValueRange first,
                                           TileBody body);
  /// In a body of `emitTiles`, of blocks that stay: the number (i32) of the
  /// tile that follows, of threads that take it at the end of the body
  /// otherwise.
  mlir::Value takeNext();
  mlir::Value emitCount() { return words.narrow(frame.size(count)); }

private:
  mlir::Value emitDraw();

  GPUFrame &frame;
  Words words;
  SizeExpr count;
  int64_t blocks;
  mlir::Value numbers; ///< the pipeline; null where every tile has a block
  mlir::Value slot;    ///< of the number of the tile that follows
  mlir::Value next;    ///< that number, once it is taken
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_DRAWNTILES_H
