//===- SharedMemoryRows.h - Rows copied to shared memory --------*- C++ -*-===//

#ifndef TC_ANALYSIS_SHAREDMEMORYROWS_H
#define TC_ANALYSIS_SHAREDMEMORYROWS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A kernel of rows along one dimension whose blocks copy the rows of inputs to
/// shared memory as bytes, wherever they begin and however far apart their
/// elements are, and results from there.
struct SharedMemoryRows {
  /// What the copy engine moves: pieces of so many bytes, at multiples of them.
  static constexpr int64_t kUnitBytes = 16;
  /// Largest stride of an input's elements; what is between is copied, too.
  static constexpr int64_t kMostStride = 4;

  struct Input {
    ReadOp read;
    int64_t stride;  ///< elements from one point of the row to the next
    bool hasRows;    ///< differs from row to row of the kernel
    bool isOnePiece; ///< rows follow each other in memory
  };
  llvm::SmallVector<Input> inputs;
  /// Writes along the row whose rows follow each other in memory.
  llvm::SmallVector<WriteOp> outputs;
  unsigned dim;

  /// Nothing where the kernel is more than folds along `dim` and values along
  /// it, or reads no such input.
  static std::optional<SharedMemoryRows> find(KernelOp kernel, unsigned dim);

  /// Bytes of a row, with what is between its elements and behind the last.
  SizeExpr getRowBytes(KernelOp kernel, const Input &input) const;
  SizeExpr getRowBytes(KernelOp kernel, WriteOp output) const;
  /// Bytes from row to row in shared memory of an input that is not one piece:
  /// each of its rows begins anywhere in a unit.
  SizeExpr getPitch(KernelOp kernel, const Input &input) const;
  /// Bytes of shared memory that an input or a result takes for blocks of
  /// `rows` rows, a multiple of kUnitBytes.
  SizeExpr getArea(KernelOp kernel, const Input &input, int64_t rows) const;
  SizeExpr getArea(KernelOp kernel, WriteOp output, int64_t rows) const;
  /// The same of all.
  SizeExpr getArea(KernelOp kernel, int64_t rows) const;
};

} // namespace tc

#endif // TC_ANALYSIS_SHAREDMEMORYROWS_H
