//===- IndexLists.cpp - lists of index tensors ----------------------------===//

#include "IndexLists.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

bool isMask(Value index) {
  auto type = dyn_cast_or_null<IntegerType>(index ? elementOf(index) : Type());
  return type &&
         (type.getWidth() == 1 || (type.isUnsigned() && type.getWidth() == 8));
}

int64_t getIndexedRank(Value x, ArrayRef<Value> list) {
  int64_t indexed = 0, shape = 0;
  for (Value index : list) {
    if (!index)
      continue;
    indexed += isMask(index) ? rankOf(index) : 1;
    shape = std::max<int64_t>(shape, isMask(index) ? 1 : rankOf(index));
  }
  return rankOf(x) - indexed + shape;
}

SizeExpr getCapturedCount(Value x, ArrayRef<Value> list,
                          ArrayRef<SizeExpr> sizes) {
  int64_t first = -1, last = -1, dim = 0;
  size_t shape = 0, groups = 0;
  for (Value index : list) {
    int64_t width = isMask(index) ? rankOf(index) : 1;
    if (index) {
      first = first < 0 ? dim : first;
      groups += last != dim || first == dim;
      last = dim + width;
      shape = std::max<size_t>(shape, isMask(index) ? 1 : rankOf(index));
    }
    dim += width;
  }
  // Indices that are not adjacent put their dimensions in front.
  size_t at = (groups > 1 ? 0 : std::max<int64_t>(first, 0)) + shape;
  return shape > 0 && at <= sizes.size() ? sizes[at - 1] : SizeExpr();
}

/// Takes the dimensions from `dim` on that `mask` is over as one of x, and
/// gives the positions there at which the mask is true.
static Value readMask(AtenCall &call, Value &x, Value mask, int64_t dim,
                      SizeExpr count) {
  int64_t width = rankOf(mask);
  Sizes sizes = sizesOf(x), joined(sizes);
  if (dim + width > rankOf(x)) {
    (void)call.refuse("more indices than dimensions");
    return mask;
  }
  auto *begin = joined.begin() + dim;
  SizeExpr places =
      getElementCount(ArrayRef(sizes).slice(dim, width), call.getContext());
  joined.erase(begin, begin + width);
  joined.insert(joined.begin() + dim, places);
  mask = call.broadcast(mask, ArrayRef(sizes).slice(dim, width));
  x = call.reshape(x, joined);
  return call.positionsOf(call.cast(mask, call.builder.getI1Type()), count);
}

bool readIndexList(AtenCall &call, Value &x, ArrayRef<Value> list,
                   IndexList &indices, SizeExpr maskCount) {
  Sizes shape;
  for (auto [dim, given] : llvm::enumerate(list)) {
    Value index = given;
    if (!index)
      continue;
    if (isMask(index))
      index = readMask(call, x, index, dim,
                       maskCount ? maskCount : call.makeSymbol());
    if (static_cast<int64_t>(dim) >= rankOf(x))
      (void)call.refuse("more indices than dimensions");
    if (call.hasFailed())
      return false;
    auto type = cast<IntegerType>(elementOf(index));
    bool isIndexType = type.isSignless() && type.getWidth() >= 32;
    indices.values.push_back(
        isIndexType ? index : call.cast(index, call.builder.getI64Type()));
    indices.dims.push_back(dim);
    shape = broadcastSizes(shape, sizesOf(index));
  }
  for (Value &index : indices.values)
    index = call.broadcast(index, shape);
  indices.shape = shape;
  indices.adjacent =
      !indices.dims.empty() && indices.dims.back() - indices.dims.front() + 1 ==
                                   static_cast<int64_t>(indices.dims.size());
  return !call.hasFailed();
}

Sizes getIndexedSizes(Value x, const IndexList &indices) {
  Sizes sizes;
  for (auto [dim, size] : llvm::enumerate(sizesOf(x))) {
    if (static_cast<int64_t>(dim) == indices.dims.front())
      sizes.append(indices.shape);
    if (!llvm::is_contained(indices.dims, static_cast<int64_t>(dim)))
      sizes.push_back(size);
  }
  return sizes;
}

SmallVector<int64_t> getFrontPermutation(const IndexList &indices,
                                         int64_t rank) {
  int64_t first = indices.dims.front(), count = indices.shape.size();
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i < count; ++i)
    permutation.push_back(first + i);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim < first || dim >= first + count)
      permutation.push_back(dim);
  return permutation;
}

} // namespace tc::aten
