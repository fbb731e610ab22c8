//===- Indexing.cpp - reading by index tensors ----------------------------===//

#include "AtenTable.h"
#include "IndexLists.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// Picks elements by `indices`, with tc's order of the result's dimensions.
static Value pick(AtenCall &call, Value x, const IndexList &indices,
                  bool nonNegative = false) {
  return IndexOp::create(
      call.builder, call.location,
      getTensorType(getIndexedSizes(x, indices), elementOf(x)), x,
      indices.values, indices.dims, nonNegative);
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

/// Picks whole slices of one dimension by indices that are not negative.
static LogicalResult pickAlong(AtenCall &call, Value x, Value index,
                               int64_t dim) {
  IndexList indices;
  SmallVector<Value> list(dim + 1);
  list[dim] = index;
  if (!readIndexList(call, x, list, indices, SizeExpr()))
    return failure();
  return call.replace(pick(call, x, indices, /*nonNegative=*/true));
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
