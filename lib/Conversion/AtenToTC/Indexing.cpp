//===- Indexing.cpp - reading by index tensors ----------------------------===//

#include "AtenTable.h"
#include "IndexLists.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

bool readIndexList(AtenCall &call, Value x, ArrayRef<Value> list,
                   IndexList &indices) {
  Sizes shape;
  for (auto [dim, index] : llvm::enumerate(list)) {
    if (!index)
      continue;
    auto type = dyn_cast<IntegerType>(elementOf(index));
    if (!type || type.getWidth() == 1 ||
        (type.isUnsigned() && type.getWidth() == 8)) {
      (void)call.refuse("a mask as index, whose result has as many elements "
                        "as the mask has true; use torch.where");
      return false;
    }
    if (static_cast<int64_t>(dim) >= rankOf(x)) {
      (void)call.refuse("more indices than dimensions");
      return false;
    }
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
  if (!readIndexList(call, x, call.getTensors("indices"), indices))
    return failure();
  if (indices.dims.empty())
    return call.replace(x);
  Value result = pick(call, x, indices);
  // Indices apart from each other put their dimensions in front.
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
  if (!readIndexList(call, x, list, indices))
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
