//===- Layout.h - Moving elements between layouts ---------------*- C++ -*-===//
//
// Strides are in elements and may be 0 (a broadcast) or negative.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_LAYOUT_H
#define TC_LIB_REFERENCE_LAYOUT_H

#include "TC/Reference/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc::reference {

using Sizes64 = llvm::SmallVector<int64_t, 6>;

int64_t countElements(llvm::ArrayRef<int64_t> sizes);

/// Strides of a row-major tensor without gaps.
Sizes64 getRowMajorStrides(llvm::ArrayRef<int64_t> sizes);

/// Calls `body(begin, end)` for disjoint tasks of [0, count), on several
/// threads when there are at least two tasks of `grain` iterations.
void parallelRanges(int64_t count, int64_t grain,
                    llvm::function_ref<void(int64_t begin, int64_t end)> body);

/// Advances a row-major index; false when it was the last one.
bool advanceIndex(llvm::MutableArrayRef<int64_t> index,
                  llvm::ArrayRef<int64_t> sizes);

/// The row-major index of flat element `flat`.
Sizes64 unflatten(int64_t flat, llvm::ArrayRef<int64_t> sizes);

/// result[i, j, ...] = source[i * strides[0] + j * strides[1] + ...], with
/// `result` row-major of `sizes`.
void readStrided(const Word *source, llvm::ArrayRef<int64_t> sizes,
                 llvm::ArrayRef<int64_t> strides, Word *result);

/// The other way: `source` is row-major of `sizes`.
void writeStrided(const Word *source, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> strides, Word *result);

/// Dimension i of the result is dimension `permutation[i]` of `x`.
Tensor permute(const Tensor &x, llvm::ArrayRef<int64_t> permutation);

/// Dimension i of `x` (which has that size or 1) becomes dimension `dims[i]`.
Tensor broadcast(const Tensor &x, llvm::ArrayRef<int64_t> dims,
                 llvm::ArrayRef<int64_t> sizes);

/// A tensor as `count` contiguous rows of `length` elements.
struct Rows {
  Tensor values;
  int64_t count = 0, length = 0;
  /// Sizes of the dimensions that are not in the rows, in order.
  Sizes64 outerSizes;
  /// Where each dimension of `values` comes from.
  llvm::SmallVector<int64_t, 6> permutation;
};

/// Moves the dimensions `dims` last, in the given order: they are the rows.
Rows arrangeRows(const Tensor &x, llvm::ArrayRef<int64_t> dims);

/// Undoes arrangeRows for a tensor of the arranged sizes.
Tensor restoreDims(const Tensor &arranged, llvm::ArrayRef<int64_t> permutation);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_LAYOUT_H
