//===- Distances.cpp - distances and similarities -------------------------===//

#include "Distances.h"
#include "AtenTable.h"
#include "Factories.h"
#include "Promotion.h"

#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

Value getNormAlong(AtenCall &call, Value x, double p, int64_t dim) {
  Value size = call.unary<AbsOp>(x);
  if (std::isinf(p))
    return call.reduce(p > 0 ? ReductionKind::Max : ReductionKind::Min, size,
                       dim);
  if (p == 0.0)
    return call.reduce(ReductionKind::Sum,
                       call.cast(call.binary<NeOp>(size, 0.0), elementOf(x)),
                       dim);
  if (p == 1.0)
    return call.reduce(ReductionKind::Sum, size, dim);
  if (p == 2.0)
    return call.unary<SqrtOp>(
        call.reduce(ReductionKind::Sum, call.binary<MulOp>(x, x), dim));
  Value sum = call.reduce(ReductionKind::Sum, call.binary<PowOp>(size, p), dim);
  return call.binary<PowOp>(sum, 1.0 / p);
}

Value getPairwiseDistance(AtenCall &call, StringRef first, StringRef second) {
  Value x = call.getTensor(first), y = call.getTensor(second);
  Type element = promoteTypes(elementOf(x), elementOf(y));
  double p = call.getReal("p"), eps = call.getReal("eps");
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(y));
  if (call.hasFailed() || sizes.empty() || !isa<FloatType>(element)) {
    (void)call.refuse("operands of this rank or type");
    return Value();
  }
  auto prepare = [&](Value value) {
    return call.broadcast(call.widen(call.cast(value, element)), sizes);
  };
  Value difference =
      call.binary<AddOp>(call.binary<SubOp>(prepare(x), prepare(y)), eps);
  return getNormAlong(call, difference, p,
                      static_cast<int64_t>(sizes.size()) - 1);
}

// Pattern: aten.cdist(x, y, p) -> p-norm of the differences of all pairs of
// rows
static LogicalResult convertCdist(AtenCall &call) {
  Value x = call.widen(call.getTensor("x1")),
        y = call.widen(call.getTensor("x2"));
  double p = call.getReal("p");
  int64_t rank = std::max(rankOf(x), rankOf(y));
  if (call.hasFailed() || rankOf(x) < 2 || rankOf(y) < 2)
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  Sizes xSizes = sizesOf(x), ySizes = sizesOf(y);
  xSizes.insert(xSizes.end() - 1, call.constant(1));
  ySizes.insert(ySizes.end() - 2, call.constant(1));
  Sizes sizes = broadcastSizes(xSizes, ySizes);
  Value difference =
      call.binary<SubOp>(call.broadcast(call.reshape(x, xSizes), sizes),
                         call.broadcast(call.reshape(y, ySizes), sizes));
  if (call.hasFailed())
    return failure();
  return call.replace(getNormAlong(call, difference, p, rank));
}

// Pattern: aten.cosine_similarity(x, y) -> x . y / (max(|x|, eps) max(|y|,
// eps))
static LogicalResult convertCosineSimilarity(AtenCall &call) {
  Value x = call.widen(call.getTensor("x1")),
        y = call.widen(call.getTensor("x2"));
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(y));
  x = call.broadcast(x, sizes);
  y = call.broadcast(y, sizes);
  int64_t dim = call.getDim("dim", sizes.size());
  double eps = call.getReal("eps");
  if (call.hasFailed() || sizes.empty())
    return call.hasFailed() ? failure() : call.refuse("0-d tensors");
  auto sum = [&](Value a, Value b) {
    return call.reduce(ReductionKind::Sum, call.binary<MulOp>(a, b), dim);
  };
  auto norm = [&](Value a) {
    return call.binary<MaximumOp>(call.unary<SqrtOp>(sum(a, a)), eps);
  };
  return call.replace(
      call.binary<DivOp>(sum(x, y), call.binary<MulOp>(norm(x), norm(y))));
}

// Pattern: aten.pdist(x, p) -> p-norm of the differences of each pair of rows,
// the first before the second
static LogicalResult convertPdist(AtenCall &call) {
  Value x = call.widen(call.getTensor("self"));
  double p = call.getReal("p");
  if (call.hasFailed() || rankOf(x) != 2)
    return call.hasFailed() ? failure() : call.refuse("this rank");
  SizeExpr rows = sizesOf(x)[0];
  SizeExpr pairs = rows.mul(rows.add(-1)).floorDiv(call.constant(2));
  auto [first, second] =
      getTriangle(call, {rows, rows}, 1, /*isLower=*/false, pairs);
  auto pick = [&](Value index) {
    return IndexOp::create(call.builder, call.location,
                           getTensorType({pairs, sizesOf(x)[1]}, elementOf(x)),
                           x, index, ArrayRef<int64_t>{0});
  };
  return call.replace(
      getNormAlong(call, call.binary<SubOp>(pick(first), pick(second)), p, 1));
}

// Pattern: aten.pairwise_distance(x, y, p, eps) -> p-norm of x - y + eps along
// the last dimension
static LogicalResult convertPairwiseDistance(AtenCall &call) {
  Value distance = getPairwiseDistance(call, "x1", "x2");
  return distance ? call.replace(distance) : failure();
}

void addDistances(AtenTable &table) {
  table.add({"pdist.default", "_pdist_forward.default"}, convertPdist);
  table.add({"pairwise_distance.default"}, convertPairwiseDistance);
  table.add({"cdist.default", "_cdist_forward.default"}, convertCdist);
  table.add({"cosine_similarity.default"}, convertCosineSimilarity);
}

} // namespace tc::aten
