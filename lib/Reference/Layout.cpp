//===- Layout.cpp - Moving elements between layouts -----------------------===//

#include "Layout.h"
#include "TC/Runtime/ThreadPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cstring>

using namespace mlir;

namespace tc::reference {

int64_t countElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

Sizes64 getRowMajorStrides(ArrayRef<int64_t> sizes) {
  Sizes64 strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  return strides;
}

void parallelRanges(int64_t count, int64_t grain,
                    function_ref<void(int64_t, int64_t)> body) {
  // The runtime's threads: there are such after a fork() too.
  runtime::ThreadPool &pool = runtime::ThreadPool::global();
  int64_t threads = pool.threadCount();
  int64_t tasks = std::min(count / std::max<int64_t>(grain, 1), threads * 4);
  if (tasks < 2) {
    if (count > 0)
      body(0, count);
    return;
  }
  auto runTasks = [&](int64_t first, int64_t end) {
    for (int64_t task = first; task < end; ++task)
      body(count * task / tasks, count * (task + 1) / tasks);
  };
  pool.parallelFor(
      [](void *context, int64_t first, int64_t end) {
        (*static_cast<decltype(runTasks) *>(context))(first, end);
      },
      &runTasks, tasks, /*grain=*/1);
}

bool advanceIndex(MutableArrayRef<int64_t> index, ArrayRef<int64_t> sizes) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++index[i] < sizes[i])
      return true;
    index[i] = 0;
  }
  return false;
}

Sizes64 unflatten(int64_t flat, ArrayRef<int64_t> sizes) {
  Sizes64 index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = flat % sizes[i];
    flat /= sizes[i];
  }
  return index;
}

/// Calls `row(contiguous offset, strided offset)` for every run of the last
/// dimension of a row-major tensor and a strided one.
static void
forEachRow(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
           function_ref<void(int64_t contiguous, int64_t strided)> row) {
  int64_t length = sizes.empty() ? 1 : sizes.back();
  ArrayRef<int64_t> outerSizes = sizes.empty() ? sizes : sizes.drop_back();
  int64_t rows = length == 0 ? 0 : countElements(outerSizes);
  parallelRanges(rows,
                 std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(length, 1)),
                 [&](int64_t begin, int64_t end) {
                   Sizes64 index = unflatten(begin, outerSizes);
                   for (int64_t r = begin; r < end; ++r) {
                     int64_t offset = 0;
                     for (size_t i = 0; i < index.size(); ++i)
                       offset += index[i] * strides[i];
                     row(r * length, offset);
                     advanceIndex(index, outerSizes);
                   }
                 });
}

void readStrided(const Word *source, ArrayRef<int64_t> sizes,
                 ArrayRef<int64_t> strides, Word *result) {
  int64_t length = sizes.empty() ? 1 : sizes.back();
  int64_t stride = sizes.empty() ? 1 : strides.back();
  forEachRow(sizes, strides, [&](int64_t contiguous, int64_t strided) {
    const Word *from = source + strided;
    Word *to = result + contiguous;
    for (int64_t i = 0; i < length; ++i)
      to[i] = from[i * stride];
  });
}

void writeStrided(const Word *source, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> strides, Word *result) {
  int64_t length = sizes.empty() ? 1 : sizes.back();
  int64_t stride = sizes.empty() ? 1 : strides.back();
  forEachRow(sizes, strides, [&](int64_t contiguous, int64_t strided) {
    const Word *from = source + contiguous;
    Word *to = result + strided;
    for (int64_t i = 0; i < length; ++i)
      to[i * stride] = from[i];
  });
}

Tensor permute(const Tensor &x, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return x;
  Sizes64 sourceStrides = getRowMajorStrides(x.getSizes());
  Sizes64 sizes, strides;
  for (int64_t dim : permutation) {
    sizes.push_back(x.getSizes()[dim]);
    strides.push_back(sourceStrides[dim]);
  }
  Tensor result(x.getElementType(), sizes);
  readStrided(x.words(), sizes, strides, result.words());
  return result;
}

Tensor broadcast(const Tensor &x, ArrayRef<int64_t> dims,
                 ArrayRef<int64_t> sizes) {
  if (x.getSizes() == sizes)
    return x;
  Sizes64 sourceStrides = getRowMajorStrides(x.getSizes());
  Sizes64 strides(sizes.size(), 0);
  for (auto [i, dim] : llvm::enumerate(dims))
    strides[dim] = x.getSizes()[i] == 1 ? 0 : sourceStrides[i];
  Tensor result(x.getElementType(), sizes);
  readStrided(x.words(), sizes, strides, result.words());
  return result;
}

Rows arrangeRows(const Tensor &x, ArrayRef<int64_t> dims) {
  Rows rows;
  rows.count = rows.length = 1;
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    if (llvm::is_contained(dims, dim))
      continue;
    rows.permutation.push_back(dim);
    rows.outerSizes.push_back(x.getSizes()[dim]);
    rows.count *= x.getSizes()[dim];
  }
  for (int64_t dim : dims) {
    rows.permutation.push_back(dim);
    rows.length *= x.getSizes()[dim];
  }
  rows.values = permute(x, rows.permutation);
  return rows;
}

Tensor restoreDims(const Tensor &arranged, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t, 6> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return permute(arranged, inverse);
}

} // namespace tc::reference
