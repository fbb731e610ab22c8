//===- OperandCopies.h - Copies of an operand to stages ---------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_OPERANDCOPIES_H
#define TC_LIB_CONVERSION_TCTOGPU_OPERANDCOPIES_H

#include "ContractionTiles.h"

namespace tc {

/// Copies of one operand's tiles, which one thread starts.
class OperandCopies {
public:
  /// Of operand number `number` of the product, to `offset` bytes in a stage.
  /// Blocks of a cluster that need the same tile copy a part of it each for all
  /// of them.
  OperandCopies(ContractionTiles &tiles,
                const TensorCoreProduct::Operand &operand, size_t number,
                int64_t offset);

  /// Bytes that come to a stage: boxes that are not whole leave others.
  int64_t countBytes() const { return points * block::kBoxRowBytes; }
  /// The tile that begins at `first` of the operand's own dimension and at
  /// `step` of what is summed over.
  void emit(mlir::Value pipeline, mlir::Value slot, mlir::Value batch,
            mlir::Value first, StepPlace step);

private:
  /// What a copy of a stage is told.
  struct Box {
    llvm::SmallVector<mlir::Value> coordinates, under;
    int64_t offset, bytes;
    mlir::Value map;
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
  /// with the box's own first point, its place in a stage, of which the blocks
  /// of a cluster have one behind the other, and its map.
  using BoxBody =
      llvm::function_ref<void(mlir::Value, int64_t, mlir::Value map)>;
  void forEachBox(mlir::Value first, BoxBody body);
  void emitLastBoxes(mlir::Value first, int64_t box, BoxBody body);
  /// The first point of this block's part of `points` points from `begin` on.
  mlir::Value getPart(mlir::Value begin, int64_t points);

  ContractionTiles &tiles;
  const CopiedMatrix &matrix;
  OperandMaps maps;
  /// Blocks that copy a part of a tile each, and its points of the operand's
  /// own dimension, without those that fill up boxes.
  int64_t offset, sharers, points;
  mlir::Value shift; ///< of the coordinate along which it is contiguous
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_OPERANDCOPIES_H
