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
  /// Bytes of `TileAddresses::next` that the tile fetches for each point.
  int64_t fetchedBytes = 0;
};

/// Where the points of a tile's operands begin, and where its accumulators are
/// kept: pointers. The tile has the cache fetch what is at `next`, unless that
/// is null.
struct TileAddresses {
  mlir::Value rows, panel, accumulators;
  mlir::Value next = {};
};

/// Asks for what a tile fetches for `steps` points from `point` on to be in the
/// core's cache.
void emitFetch(KernelFrame &frame, const TileLayout &layout, mlir::Value next,
               mlir::Value point, int64_t steps);

/// Multiplies the tile's rows and lanes over `points` points (i64), which the
/// operands fill up with zeros to whole steps, and stores the accumulators:
/// those in memory count too unless `isFirst` (i1, or null for true) holds.
void emitMultiplyAdds(KernelFrame &frame, const TileLayout &layout,
                      TileAddresses addresses, mlir::Value points,
                      mlir::Value isFirst);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOVECTOR_TILEOPERATIONS_H
