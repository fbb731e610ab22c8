//===- TileOperations.h - Multiply-adds of tiles ----------------*- C++ -*-===//
//
// The core of a matrix product: a tile of accumulators, the rows of one operand
// by the lanes of the other, in registers while reduced points are walked. Each
// row is contiguous in memory, the lanes are in a panel, point after point
// (pair of points after pair). The layout says how many points a step
// multiplies, and in which registers: multiply-adds of vectors, of pairs of
// bf16 in vectors (AVX512-BF16), or of pairs of bf16 in tile registers
// (AMX-BF16). Contractions and attention use the same tiles, and allocate and
// pack what these read.
//
// A tile register holds 16 rows of 64 bytes: 16 rows of 32 bf16 of one operand,
// 16 pairs of points of 16 lanes of the other, or 16 by 16 accumulators in f32.
// Denormal numbers count as zeros where pairs of bf16 are multiplied.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOVECTOR_TILEOPERATIONS_H
#define TC_LIB_CONVERSION_TCTOVECTOR_TILEOPERATIONS_H

#include "../KernelEmission/PointEmitter.h"

namespace tc {

/// One operand of a tile in memory.
struct TileOperand {
  mlir::Type stored; ///< element in memory: bf16 as i16
  mlir::Type value;  ///< what `stored` is widened from: the operand's type
  int64_t stride;    ///< elements from row to row, or from point to point
};

struct TileLayout {
  int64_t rows, lanes;    ///< of the accumulators
  int64_t width;          ///< accumulators of a vector register
  int64_t pair = 1;       ///< points multiplied together: 2 of bf16
  bool usesAMX = false;   ///< multiplies in tile registers, 32 points at a time
  mlir::Type accumulator; ///< f32 or f64
  TileOperand row, panel;
  int64_t accumulatorStride; ///< elements from row to row, in memory
  /// Whether the points of a row may end in the first half of a pair, with
  /// memory behind it that is not to be read. Vectors only.
  bool mayEndInHalfPair = false;
  /// Bytes of `TileAddresses::next` that the tile fetches for each point, and
  /// bytes from those of one point to those of the next.
  int64_t fetchedBytes = 0, fetchedStride = 0;
  /// Of a tile that sums vectors: the lanes from `TileAddresses::next` on whose
  /// points it fetches, and whether its points are whole vectors.
  int64_t fetchedLanes = 0;
  bool isWholeVectors = false;
};

/// Where the points of a tile's operands begin, and where its accumulators are
/// kept: pointers. The tile has the cache fetch what is at `next`, unless that
/// is null. Of a tile that sums vectors the first `lanes` lanes (i64) exist, or
/// all where that is null.
struct TileAddresses {
  mlir::Value rows, panel, accumulators;
  mlir::Value next = {}, lanes = {};
};

/// Asks for what a tile fetches for `steps` points from `point` on to be in the
/// core's cache.
void emitFetch(KernelFrame &frame, const TileLayout &layout, mlir::Value next,
               mlir::Value point, int64_t steps);
/// Asks for the cache line at `address` to be in the core's cache.
void emitFetch(KernelFrame &frame, mlir::Value address);

/// The elements of a vector from `pointer` on, which are aligned as such; those
/// of `mask`, and zeros in other lanes, where it is not null.
mlir::Value loadLanes(KernelFrame &frame, mlir::VectorType type,
                      mlir::Value pointer, mlir::Value mask);

/// A vector register of the elements of `operand` from `pointer` on, as they
/// are multiplied, with a mask as in `loadLanes`.
mlir::Value loadVector(KernelFrame &frame, const TileLayout &layout,
                       const TileOperand &operand, mlir::Value pointer,
                       mlir::Value mask = {});

/// `accumulator` plus the products of `x` and `y`, vector registers of elements
/// as they are multiplied.
mlir::Value multiplyAdd(KernelFrame &frame, const TileLayout &layout,
                        mlir::Value x, mlir::Value y, mlir::Value accumulator);

/// The mask of the first `count` (i64) of `lanes` lanes.
mlir::Value maskFirst(KernelFrame &frame, int64_t lanes, mlir::Value count);

/// Multiplies the tile's rows and lanes over `points` points (i64), which the
/// operands fill up with zeros to whole steps, and stores the accumulators:
/// those in memory count too unless `isFirst` (i1, or null for true) holds.
void emitMultiplyAdds(KernelFrame &frame, const TileLayout &layout,
                      TileAddresses addresses, mlir::Value points,
                      mlir::Value isFirst);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOVECTOR_TILEOPERATIONS_H
