//===- OperandLoads.h - Elements of an operand that threads load *- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_OPERANDLOADS_H
#define TC_LIB_CONVERSION_TCTOGPU_OPERANDLOADS_H

#include "ContractionTiles.h"
#include "TC/Analysis/VectorAlignment.h"
#include "UnalignedVectors.h"

namespace tc {

/// One operand's tiles, whose elements the threads of a warp group compute and
/// store to a stage, 16 bytes of neighbours at a time.
class OperandLoads {
public:
  /// To `offset` bytes in a stage, for tiles of `tile` points along the
  /// operand's own dimension, rows or lanes. What is read for 16 bytes is one
  /// aligned vector with `areAligned`.
  OperandLoads(ContractionTiles &tiles,
               const TensorCoreProduct::Operand &operand, bool isRows,
               int64_t offset, int64_t tile, bool areAligned, Scope &scope);

  /// Whether (i1) it is for the operands that threads compute, along the
  /// dimension in which they are contiguous; null where it always is, nothing
  /// where it never is.
  static std::optional<mlir::Value> emitAreAligned(ContractionTiles &tiles);

  /// The tile that begins at `first` of the operand's own dimension and at
  /// `reduced` of what is summed over; 0 behind its end.
  void emit(mlir::Value pipeline, mlir::Value slot, mlir::Value batch,
            mlir::Value first, mlir::Value reduced);

private:
  /// The points of unit number `column` of row number `row` of the boxes of a
  /// tile: of its own dimension and of what is summed over.
  struct Place {
    mlir::Value own, reduced;
  };
  Place getPlace(mlir::Value row, mlir::Value column, mlir::Value first,
                 mlir::Value reduced);
  mlir::Value load(const Place &place, Scope &tile);
  mlir::Value loadVector(const Place &place, Scope &tile);
  mlir::Value loadElement(const Place &place, int64_t number, Scope &tile);
  bool hasWholeVectors() const;
  mlir::Value clamp(mlir::Value index, SizeExpr count, int64_t tilePoints);

  ContractionTiles &tiles;
  GPUFrame &frame;
  Words words;
  const TensorCoreProduct::Operand &operand;
  llvm::ArrayRef<unsigned> own;
  SizeExpr ownCount;
  int64_t offset, tile;
  int64_t unit; ///< elements of 16 bytes
  Scope &scope;
  VectorAlignment alignment;
  bool areAligned;
  UnalignedVectors unaligned;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_OPERANDLOADS_H
