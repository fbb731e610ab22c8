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
  /// Those for blocks of a GPU, without pairs: reads whose lanes have one
  /// stride.
  static std::optional<TiledTranspose>
  findForBlocks(KernelOp kernel, const KernelDims &dims, int64_t vectorDim);
};

/// On a GPU: bytes of a copy to shared memory.
inline constexpr int64_t kGranuleBytes = 16;

/// On a GPU: lanes of the results that a row of a tile may begin early, so that
/// vectors of `lanes` and pairs of them are aligned.
int64_t getTransposeEarly(int64_t lanes);
/// Bytes from one row of a tile of `rows` points of each in shared memory to
/// the next; rows that begin anywhere take as many more as those of the input
/// are more than a multiple of a granule apart.
int64_t getTransposePitch(int64_t rows, int64_t elementBytes);
/// Bytes by which each `lanes` rows of a tile of aligned ones are moved on, so
/// that threads next to each other access different banks.
int64_t getTransposeSkew(int64_t lanes, int64_t elementBytes);
/// Bytes of a tile of `tile` rows, which may begin early, in shared memory.
int64_t getTransposeBytes(int64_t tile, int64_t rows, int64_t lanes,
                          int64_t elementBytes);

} // namespace tc

#endif // TC_ANALYSIS_TILEDTRANSPOSE_H
