//===- Diagonals.cpp - elements of matrices with equal row and column -----===//
//
// A diagonal is read and written in the flattened matrix, in which its elements
// lie n + 1 apart.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

using namespace mlir;

namespace tc::aten {

namespace {
/// Two dimensions of a tensor, and which diagonal of them is meant.
struct Diagonal {
  /// The dimensions of the tensor, the rows and columns last.
  SmallVector<int64_t> order;
  int64_t offset = 0;
};
} // namespace

/// Reads dim1, dim2 and offset; none after a refusal.
static std::optional<Diagonal> readDiagonal(AtenCall &call, int64_t rank) {
  int64_t first = call.getDim("dim1", rank), second = call.getDim("dim2", rank);
  Diagonal diagonal;
  diagonal.offset = call.getInteger("offset");
  if (call.hasFailed())
    return std::nullopt;
  if (rank < 2 || first == second) {
    (void)call.refuse("these dimensions");
    return std::nullopt;
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != first && dim != second)
      diagonal.order.push_back(dim);
  diagonal.order.push_back(first);
  diagonal.order.push_back(second);
  return diagonal;
}

/// Where the first element of a diagonal lies in a flattened matrix.
static SizeExpr getStart(AtenCall &call, int64_t offset, SizeExpr columns) {
  return offset >= 0 ? call.constant(offset) : columns.mul(-offset);
}

/// The places of `length` elements of a diagonal in a flattened matrix.
static Value getPlaces(AtenCall &call, int64_t offset, SizeExpr columns,
                       SizeExpr length) {
  Value index = call.iota(length, 0);
  index = call.binary<MulOp>(index, call.fillSize(columns.add(1), index));
  return call.binary<AddOp>(
      index, call.fillSize(getStart(call, offset, columns), index));
}

/// The matrices, whose dimensions are the last two, as one dimension.
static Value flattenMatrices(AtenCall &call, Value x) {
  Sizes sizes = sizesOf(x);
  SizeExpr columns = sizes.pop_back_val();
  sizes.back() = sizes.back().mul(columns);
  return call.reshape(x, sizes);
}

// Pattern: aten.diagonal(x) -> tc.slice of the flattened matrix, stride n + 1
static LogicalResult convertDiagonal(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x);
  std::optional<Diagonal> diagonal = readDiagonal(call, rank);
  if (!diagonal)
    return failure();
  x = call.transpose(x, diagonal->order);
  SizeExpr columns = sizesOf(x).back();
  SizeExpr length = getSizes(call.getResultType()).back();
  x = flattenMatrices(call, x);
  if (columns.isConstant())
    return call.replace(call.slice(x, rank - 2,
                                   getStart(call, diagonal->offset, columns),
                                   length, columns.getValue() + 1));
  Sizes sizes = sizesOf(x);
  sizes.back() = length;
  Value places = getPlaces(call, diagonal->offset, columns, length);
  return call.replace(IndexOp::create(call.builder, call.location,
                                      getTensorType(sizes, elementOf(x)), x,
                                      places, rank - 2));
}

// Pattern: aten.diagonal_scatter(x, src) -> tc.index_put into the flattened
// matrix
static LogicalResult convertDiagonalScatter(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x);
  std::optional<Diagonal> diagonal = readDiagonal(call, rank);
  if (!diagonal)
    return failure();
  Value turned = call.transpose(x, diagonal->order);
  Sizes matrices = sizesOf(turned);
  Value flat = flattenMatrices(call, turned);
  Sizes sizes = sizesOf(flat);
  Value source = call.cast(call.getTensor("src"), elementOf(x));
  if (rankOf(source) != rank - 1)
    return call.refuse("a source of rank " + Twine(rankOf(source)));
  sizes.back() = sizesOf(source).back();
  source = call.withSizes(source, sizes);
  Value places =
      getPlaces(call, diagonal->offset, matrices.back(), sizes.back());
  flat =
      IndexPutOp::create(call.builder, call.location, flat.getType(),
                         CombineKind::Replace, flat, places, source, rank - 2);
  SmallVector<int64_t> back(rank);
  for (auto [position, dim] : llvm::enumerate(diagonal->order))
    back[dim] = position;
  return call.replace(call.transpose(call.reshape(flat, matrices), back));
}

void addDiagonals(AtenTable &table) {
  table.add({"diagonal.default", "diagonal_copy.default"}, convertDiagonal);
  table.add({"diagonal_scatter.default"}, convertDiagonalScatter);
}

} // namespace tc::aten
