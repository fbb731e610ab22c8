//===- SortScan.cpp - Sorting ---------------------------------------------===//

#include "SortScan.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tc::reference {

/// Whether x comes before y in ascending order; NaN is largest.
template <typename T> static bool isBelow(T x, T y) {
  if (x != x || y != y)
    return x == x;
  return x < y;
}

/// Stable: equal elements stay in the order of their places.
template <typename T>
static void sortRow(const T *values, int64_t length, bool descending,
                    int64_t *places) {
  std::iota(places, places + length, 0);
  std::sort(places, places + length, [&](int64_t a, int64_t b) {
    T first = values[descending ? b : a], second = values[descending ? a : b];
    if (isBelow(first, second))
      return true;
    return !isBelow(second, first) && a < b;
  });
}

std::pair<Tensor, Tensor> sortRows(const Rows &rows, bool descending,
                                   int64_t keep) {
  const Tensor &values = rows.values;
  Sizes64 sizes = rows.outerSizes;
  sizes.push_back(keep);
  Tensor sorted(values.getElementType(), sizes);
  Tensor origin(IntegerType::get(values.getElementType().getContext(), 64),
                sizes);
  parallelRanges(rows.count, 1 + (1 << 10) / (rows.length + 1),
                 [&](int64_t begin, int64_t end) {
                   std::vector<int64_t> places(rows.length);
                   for (int64_t row = begin; row < end; ++row) {
                     int64_t start = row * rows.length;
                     if (values.getKind() == ElementKind::Float)
                       sortRow(values.data<double>() + start, rows.length,
                               descending, places.data());
                     else if (values.getKind() == ElementKind::Signed)
                       sortRow(values.data<int64_t>() + start, rows.length,
                               descending, places.data());
                     else
                       sortRow(values.data<uint64_t>() + start, rows.length,
                               descending, places.data());
                     for (int64_t i = 0; i < keep; ++i) {
                       sorted.words()[row * keep + i] =
                           values.words()[start + places[i]];
                       origin.data<int64_t>()[row * keep + i] = places[i];
                     }
                   }
                 });
  return {sorted, origin};
}

static Tensors restoreBoth(const std::pair<Tensor, Tensor> &arranged,
                           const Rows &rows) {
  return {restoreDims(arranged.first, rows.permutation),
          restoreDims(arranged.second, rows.permutation)};
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, SortOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), {int64_t(op.getDim())});
  return restoreBoth(sortRows(rows, op.getDescending(), rows.length), rows);
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, TopKOp op) {
  Rows rows = arrangeRows(evaluation.get(op.getX()), {int64_t(op.getDim())});
  int64_t k = op.getK();
  if (k > rows.length)
    return op.emitOpError()
           << "asks for " << k << " elements of a dimension of size "
           << rows.length;
  return restoreBoth(sortRows(rows, !op.getSmallest(), k), rows);
}

} // namespace tc::reference
