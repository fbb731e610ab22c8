//===- OperandCopies.h - Copies of an operand to stages ---------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_OPERANDCOPIES_H
#define TC_LIB_CONVERSION_TCTOGPU_OPERANDCOPIES_H

#include "ContractionTiles.h"

namespace tc {

/// Copies of one operand's tiles, which one thread starts.
class OperandCopies {
public:
  /// Of boxes of `map`, to `offset` bytes in a stage, for tiles of `tile`
  /// points along the operand's own dimension; `sharers` blocks need the tile,
  /// and copy a part of it each for all of them.
  OperandCopies(ContractionTiles &tiles, const CopiedMatrix &matrix,
                mlir::Value map, int64_t offset, int64_t tile, int64_t sharers)
      : tiles(tiles), matrix(matrix), map(map), offset(offset), tile(tile),
        sharers(sharers), shift(emitShift(tiles.frame, matrix)) {}

  /// The tile that begins at `first` of the operand's own dimension and at
  /// `step` of what is summed over.
  void emit(mlir::Value pipeline, mlir::Value slot, mlir::Value batch,
            mlir::Value first, StepPlace step);

private:
  /// What a copy of a stage is told.
  struct Box {
    llvm::SmallVector<mlir::Value> coordinates, under;
    int64_t offset, bytes;
  };
  void copy(mlir::Value pipeline, mlir::Value slot, const Box &box);
  Box getPlaces(mlir::Value first, llvm::ArrayRef<mlir::Value> points,
                mlir::Value channel, int64_t count);
  void emitImages(mlir::Value pipeline, mlir::Value slot, mlir::Value first,
                  StepPlace step);
  void emitImagesAcross(mlir::Value pipeline, mlir::Value slot,
                        mlir::Value first, StepPlace step);
  llvm::SmallVector<SizeExpr> getPlaceSizes() const;
  /// Runs `body` for this block's boxes of the tile that begins at `first`,
  /// with the box's own first point and its place in a stage.
  void forEachBox(mlir::Value first,
                  llvm::function_ref<void(mlir::Value, int64_t)> body);
  /// The first point of this block's part of `points` points from `begin` on.
  mlir::Value getPart(mlir::Value begin, int64_t points);

  ContractionTiles &tiles;
  const CopiedMatrix &matrix;
  mlir::Value map;
  int64_t offset, tile, sharers;
  mlir::Value shift; ///< of the coordinate along which it is contiguous
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_OPERANDCOPIES_H
