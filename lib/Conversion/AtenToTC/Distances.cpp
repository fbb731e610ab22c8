//===- Distances.cpp - distances and similarities -------------------------===//

#include "AtenTable.h"

#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

// Pattern: aten.cdist(x, y, p) -> p-norm of the differences of all pairs of
// rows
static LogicalResult convertCdist(AtenCall &call) {
  Value x = call.widen(call.getTensor("x1")),
        y = call.widen(call.getTensor("x2"));
  double p = call.getReal("p");
  int64_t rank = rankOf(x);
  if (call.hasFailed() || rank < 2 || rankOf(y) != rank)
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
  Value size = call.unary<AbsOp>(difference);
  if (std::isinf(p))
    return call.replace(call.reduce(ReductionKind::Max, size, rank));
  if (p == 1.0)
    return call.replace(call.reduce(ReductionKind::Sum, size, rank));
  if (p == 2.0) {
    Value square = call.binary<MulOp>(difference, difference);
    return call.replace(
        call.unary<SqrtOp>(call.reduce(ReductionKind::Sum, square, rank)));
  }
  if (p <= 0.0)
    return call.refuse("p of " + Twine(static_cast<int64_t>(p)));
  Value sum =
      call.reduce(ReductionKind::Sum, call.binary<PowOp>(size, p), rank);
  return call.replace(call.binary<PowOp>(sum, 1.0 / p));
}

// Pattern: aten.cosine_similarity(x, y) -> x . y / max(|x| |y|, eps), each norm
// apart
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

void addDistances(AtenTable &table) {
  table.add({"cdist.default", "_cdist_forward.default"}, convertCdist);
  table.add({"cosine_similarity.default"}, convertCosineSimilarity);
}

} // namespace tc::aten
