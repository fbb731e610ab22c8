//===- Indexing.cpp - reading by index tensors ----------------------------===//

#include "AtenTable.h"
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

/// Picks elements by `indices`, with tc's order of the result's dimensions.
static Value pick(AtenCall &call, Value x, const IndexList &indices) {
  return IndexOp::create(
      call.builder, call.location,
      getTensorType(getIndexedSizes(x, indices), elementOf(x)), x,
      indices.values, indices.dims);
}

// Pattern: aten.index(x, [i, j]) -> tc.index_tensors x[i, j]
static LogicalResult convertIndex(AtenCall &call) {
  Value x = call.getTensor("self");
  IndexList indices;
  SmallVector<Value> list = call.getTensors("indices");
  SizeExpr count = getCapturedCount(x, list, getSizes(call.getResultType()));
  if (!readIndexList(call, x, list, indices, count))
    return failure();
  if (indices.dims.empty())
    return call.replace(x);
  Value result = pick(call, x, indices);
  // Indices that are not adjacent put their dimensions in front.
  if (!indices.adjacent)
    result =
        call.transpose(result, getFrontPermutation(indices, rankOf(result)));
  return call.replace(result);
}

/// Picks whole slices of one dimension.
static LogicalResult pickAlong(AtenCall &call, Value x, Value index,
                               int64_t dim) {
  IndexList indices;
  SmallVector<Value> list(dim + 1);
  list[dim] = index;
  if (!readIndexList(call, x, list, indices, SizeExpr()))
    return failure();
  return call.replace(pick(call, x, indices));
}

// Pattern: aten.index_select(x, dim, index) -> tc.index_tensors x[index]
static LogicalResult convertIndexSelect(AtenCall &call) {
  Value x = call.getTensor("self"), index = call.getTensor("index");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  if (rankOf(index) == 0)
    index = call.reshape(index, call.constant(1));
  return pickAlong(call, x, index, dim);
}

// Pattern: aten.embedding(weight, indices) -> tc.index_tensors weight[indices]
static LogicalResult convertEmbedding(AtenCall &call) {
  return pickAlong(call, call.getTensor("weight"), call.getTensor("indices"),
                   0);
}

/// An index of one of the types that tc takes.
static Value toIndex(AtenCall &call, Value index) {
  Type element = elementOf(index);
  bool taken = element.isSignlessInteger(32) || element.isSignlessInteger(64);
  return taken ? index : call.cast(index, call.builder.getI64Type());
}

// Pattern: aten.gather(x, dim, index) -> tc.gather x[index]
static LogicalResult convertGather(AtenCall &call) {
  Value x = call.getTensor("self"), index = call.getTensor("index");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  if (rankOf(x) == 0)
    return call.replace(call.broadcast(x, sizesOf(index)));
  if (rankOf(index) != rankOf(x))
    return call.refuse("an index of rank " + Twine(rankOf(index)) +
                       " into rank " + Twine(rankOf(x)));
  index = toIndex(call, index);
  return call.replace(GatherOp::create(
      call.builder, call.location, getTensorType(sizesOf(index), elementOf(x)),
      x, index, dim));
}

// Pattern: aten.take_along_dim(x, indices, dim) -> tc.gather of the broadcast x
static LogicalResult convertTakeAlongDim(AtenCall &call) {
  Value x = call.getTensor("self"), index = call.getTensor("indices");
  int64_t dim = 0;
  if (call.isNone("dim")) {
    x = call.flatten(x);
    index = call.flatten(index);
  } else {
    dim = call.getDim("dim", rankOf(x));
  }
  if (call.hasFailed() || rankOf(x) != rankOf(index) || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("ranks that differ");
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(index)), indexSizes = sizes;
  sizes[dim] = sizesOf(x)[dim];
  indexSizes[dim] = sizesOf(index)[dim];
  x = call.broadcast(x, sizes);
  index = call.broadcast(toIndex(call, index), indexSizes);
  if (call.hasFailed())
    return failure();
  return call.replace(GatherOp::create(call.builder, call.location,
                                       getTensorType(indexSizes, elementOf(x)),
                                       x, index, dim));
}

// Pattern: aten.one_hot(x, n) -> tc.eq of x and tc.iota
static LogicalResult convertOneHot(AtenCall &call) {
  Value x = call.getTensor("self");
  Sizes sizes = getSizes(call.getResultType());
  Sizes column = sizesOf(x);
  column.push_back(call.constant(1));
  if (sizes.size() != column.size())
    return call.refuse("a result of rank " + Twine(sizes.size()));
  Value classes = call.iota(sizes, sizes.size() - 1);
  Value spread = call.broadcast(
      call.reshape(call.cast(x, call.builder.getI64Type()), column), sizes);
  if (call.hasFailed())
    return failure();
  return call.replace(call.binary<EqOp>(spread, classes));
}

void addIndexing(AtenTable &table) {
  table.add({"index.Tensor", "_unsafe_index.Tensor"}, convertIndex);
  table.add({"index_select.default"}, convertIndexSelect);
  table.add({"embedding.default"}, convertEmbedding);
  table.add({"gather.default"}, convertGather);
  table.add({"take_along_dim.default"}, convertTakeAlongDim);
  table.add({"one_hot.default"}, convertOneHot);
}

} // namespace tc::aten
