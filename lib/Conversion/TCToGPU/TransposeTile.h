//===- TransposeTile.h - A tile of an input in shared memory ----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TRANSPOSETILE_H
#define TC_LIB_CONVERSION_TCTOGPU_TRANSPOSETILE_H

#include "GPUFrame.h"
#include "TC/Analysis/TiledTranspose.h"

namespace tc {

/// A tile of a transposed read: as rows, in the order of the input, that the
/// threads of a block copy to shared memory by granules of 16 aligned bytes.
/// Rows begin anywhere in a granule, the same in shared memory as in the input,
/// as they are as many bytes apart there but for a multiple of a granule. The
/// results' vectors are gathered from elements of a column.
class TransposeTile {
public:
  TransposeTile(GPUFrame &frame, ReadOp read, const TiledTranspose &roles,
                GPUTransposeScheduleAttr schedule);

  /// Where the block's tile is: its first row, which is `early` lanes before
  /// `laneLow`, and its first column.
  struct Place {
    mlir::Value rowLow, laneLow;
    int64_t early;
    bool isAligned; ///< each row begins with a granule
  };
  /// Emits addresses in `scope`, which binds the other dimensions.
  void place(Scope &scope, const Place &place);
  /// Whether (i1) the buffer has all granules of a tile in the domain; null
  /// where it always has.
  mlir::Value emitIsInside();
  /// Starts this thread's copies: of all granules, or of those that the domain
  /// has points of.
  void fill(Scope &scope, bool isWhole);
  /// Ends the copies that go through registers.
  void storeLoaded();
  /// The address of the element of the row `position` of the tile and the
  /// column `column` (i64).
  mlir::Value emitElement(mlir::Value position, mlir::Value column);
  /// The vector, as it is stored, of the elements below each other from
  /// `columns` columns after `element` on.
  mlir::Value gather(mlir::Value element, int64_t columns);

  ReadOp read;

private:
  mlir::Value rowBytes(mlir::Value row);
  /// How a granule gets to shared memory.
  enum class Way { Registers, Async, AsyncAsFarAsThere };
  void copy(Scope &scope, mlir::Value row, int64_t rows, mlir::Value granule,
            Way way);
  void copyGuarded(Scope &scope, mlir::Value row, int64_t rows, int64_t threads,
                   mlir::Value granule, bool isWhole);
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value roundDown(mlir::Value number);

  GPUFrame &frame;
  const TiledTranspose &roles;
  GPUTransposeScheduleAttr schedule;
  mlir::Type element;
  int64_t elementBytes;
  SizeExpr stride; ///< from row to row of the input, in elements
  mlir::Value memory;
  /// What was loaded to registers, and where it goes.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> loaded;
  Place at;
  /// Of the first row: its address, and what it is after a granule's (i64).
  mlir::Value first, rest;
  mlir::Value end;               ///< of the buffer
  mlir::Value inputPitch, pitch; ///< bytes from row to row (i64)
  int64_t skew; ///< and after as many rows as vectors have lanes
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TRANSPOSETILE_H
