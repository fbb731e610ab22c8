//===- Diagonals.cpp - elements of matrices with equal row and column -----===//
//
// A diagonal is read and written in the flattened matrix, in which its elements
// have stride n + 1.
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

/// The position of a diagonal's first element in a flattened matrix.
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

static LogicalResult takeDiagonal(AtenCall &call, Value x,
                                  const Diagonal &diagonal) {
  x = call.transpose(x, diagonal.order);
  SizeExpr columns = sizesOf(x).back();
  SizeExpr length = getSizes(call.getResultType()).back();
  x = flattenMatrices(call, x);
  int64_t last = rankOf(x) - 1;
  if (columns.isConstant())
    return call.replace(call.slice(x, last,
                                   getStart(call, diagonal.offset, columns),
                                   length, columns.getValue() + 1));
  Sizes sizes = sizesOf(x);
  sizes[last] = length;
  Value places = getPlaces(call, diagonal.offset, columns, length);
  return call.replace(IndexOp::create(call.builder, call.location,
                                      getTensorType(sizes, elementOf(x)), x,
                                      places, last));
}

// Pattern: aten.diagonal(x) -> tc.slice of the flattened matrix, stride n + 1
static LogicalResult convertDiagonal(AtenCall &call) {
  Value x = call.getTensor("self");
  std::optional<Diagonal> diagonal = readDiagonal(call, rankOf(x));
  return diagonal ? takeDiagonal(call, x, *diagonal) : failure();
}

/// `matrices`, whose last two dimensions `order` moved there, with `source` on
/// their diagonals and the dimensions moved back.
static Value putDiagonal(AtenCall &call, Value matrices, Value source,
                         const Diagonal &diagonal) {
  Sizes whole = sizesOf(matrices);
  Value flat = flattenMatrices(call, matrices);
  int64_t last = rankOf(flat) - 1;
  Sizes sizes = sizesOf(flat);
  sizes[last] = sizesOf(source).back();
  source = call.withSizes(source, sizes);
  Value places = getPlaces(call, diagonal.offset, whole.back(), sizes[last]);
  flat = IndexPutOp::create(call.builder, call.location, flat.getType(),
                            CombineKind::Replace, flat, places, source, last);
  SmallVector<int64_t> back(whole.size());
  for (auto [position, dim] : llvm::enumerate(diagonal.order))
    back[dim] = position;
  return call.transpose(call.reshape(flat, whole), back);
}

/// Whether a source may be of the sizes of the diagonals of `matrices`, by what
/// is known of both.
static bool fits(const Sizes &source, Sizes matrices, int64_t offset) {
  SizeExpr columns = matrices.pop_back_val(), rows = matrices.pop_back_val();
  if (columns.isConstant() && rows.isConstant() && source.back().isConstant()) {
    int64_t length =
        std::min(rows.getValue() + std::min<int64_t>(offset, 0),
                 columns.getValue() - std::max<int64_t>(offset, 0));
    if (source.back().getValue() != std::max<int64_t>(length, 0))
      return false;
  }
  return llvm::all_of(llvm::zip(source, matrices), [](auto pair) {
    auto [one, other] = pair;
    return !one.isConstant() || !other.isConstant() ||
           one.getValue() == other.getValue();
  });
}

// Pattern: aten.diagonal_scatter(x, src) -> tc.index_put into the flattened
// matrix
static LogicalResult convertDiagonalScatter(AtenCall &call) {
  Value x = call.getTensor("self");
  std::optional<Diagonal> diagonal = readDiagonal(call, rankOf(x));
  if (!diagonal)
    return failure();
  Value source = call.cast(call.getTensor("src"), elementOf(x));
  if (rankOf(source) != rankOf(x) - 1)
    return call.refuse("a source of rank " + Twine(rankOf(source)));
  x = call.transpose(x, diagonal->order);
  if (!fits(sizesOf(source), sizesOf(x), diagonal->offset))
    return call.refuse("a source that is not of the diagonal's sizes");
  return call.replace(putDiagonal(call, x, source, *diagonal));
}

/// Square matrices of zeros with the rows of x on their diagonals.
static LogicalResult embed(AtenCall &call, Value x, const Diagonal &diagonal) {
  Sizes sizes = sizesOf(x);
  sizes.back() = sizes.back().add(std::abs(diagonal.offset));
  sizes.push_back(sizes.back());
  Value zeros =
      call.fill(0.0, EmptyOp::create(call.builder, call.location,
                                     getTensorType(sizes, elementOf(x))));
  return call.replace(putDiagonal(call, zeros, x, diagonal));
}

// Pattern: aten.diag_embed(x) -> tc.index_put of x into zeros
static LogicalResult convertDiagEmbed(AtenCall &call) {
  Value x = call.getTensor("self");
  std::optional<Diagonal> diagonal = readDiagonal(call, rankOf(x) + 1);
  if (!diagonal || rankOf(x) == 0)
    return diagonal ? call.refuse("a 0-d tensor") : failure();
  return embed(call, x, *diagonal);
}

// Pattern: aten.diag(x) -> tc.index_put of a vector into zeros, tc.slice of a
// flattened matrix
static LogicalResult convertDiag(AtenCall &call) {
  Value x = call.getTensor("self");
  Diagonal diagonal{{0, 1}, call.getInteger("diagonal")};
  if (call.hasFailed())
    return failure();
  if (rankOf(x) == 1)
    return embed(call, x, diagonal);
  if (rankOf(x) != 2)
    return call.refuse("a tensor of rank " + Twine(rankOf(x)));
  return takeDiagonal(call, x, diagonal);
}

void addDiagonals(AtenTable &table) {
  table.add({"diagonal.default", "diagonal_copy.default"}, convertDiagonal);
  table.add({"diagonal_scatter.default"}, convertDiagonalScatter);
  table.add({"diag_embed.default"}, convertDiagEmbed);
  table.add({"diag.default"}, convertDiag);
}

} // namespace tc::aten
