//===- TiledTranspose.h - Reads transposed in registers ---------*- C++ -*-===//

#ifndef TC_ANALYSIS_TILEDTRANSPOSE_H
#define TC_ANALYSIS_TILEDTRANSPOSE_H

#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// A pointwise kernel whose writes are contiguous along one dimension and some
/// of whose reads are along another: squares of both are transposed in
/// registers on a CPU.
struct TiledTranspose {
  unsigned lanesDim;               ///< writes are contiguous along it
  unsigned rowDim;                 ///< `reads` are
  llvm::SmallVector<ReadOp> reads; ///< what is transposed
  /// The dimension, of size 2, of elements of 16 bits that are copied in pairs:
  /// then the other two count pairs.
  std::optional<unsigned> pairDim;

  /// The roles of the dimensions for lanes along `vectorDim`; nothing when the
  /// kernel has stages, writes to computed indices or along a stride, or no
  /// such read.
  static std::optional<TiledTranspose>
  find(KernelOp kernel, const KernelDims &dims, int64_t vectorDim);
};

/// On a GPU: lanes of the results that a tile may begin early, so that vectors
/// of `lanes` and pairs of them are aligned.
int64_t getTransposeEarly(int64_t lanes);
/// Elements from one row to the next of a tile of `tile` by `tile` points in
/// shared memory, and bytes of the tile, of elements of `elementBytes`; it may
/// begin early along either side.
int64_t getTransposePitch(int64_t tile, int64_t lanes);
int64_t getTransposeBytes(int64_t tile, int64_t lanes, int64_t elementBytes);

} // namespace tc

#endif // TC_ANALYSIS_TILEDTRANSPOSE_H
