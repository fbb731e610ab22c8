//===- MarginLosses.cpp - losses of distances and of margins --------------===//

#include "AtenTable.h"
#include "Distances.h"
#include "Losses.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

// Pattern: aten.triplet_margin_loss(a, p, n) -> relu(margin + |a - p| - |a -
// n|)
static LogicalResult convertTripletMargin(AtenCall &call) {
  double margin = call.getReal("margin");
  Value near = getPairwiseDistance(call, "anchor", "positive");
  Value far = getPairwiseDistance(call, "anchor", "negative");
  if (!near || !far)
    return failure();
  if (call.getBool("swap")) {
    Value other = getPairwiseDistance(call, "positive", "negative");
    if (!other)
      return failure();
    far = call.binary<MinimumOp>(far, call.broadcast(other, sizesOf(far)));
  }
  Sizes sizes = broadcastSizes(sizesOf(near), sizesOf(far));
  Value difference = call.binary<SubOp>(call.broadcast(near, sizes),
                                        call.broadcast(far, sizes));
  return finishLosses(
      call, call.unary<ReluOp>(call.binary<AddOp>(difference, margin)));
}

// Pattern: aten.cosine_embedding_loss(x, y, sign) -> 1 - cos, or relu(cos -
// margin) where the sign is -1
static LogicalResult convertCosineEmbedding(AtenCall &call) {
  constexpr double eps = 1e-12; // PyTorch's
  Value x = call.widen(call.getTensor("input1")),
        y = call.widen(call.getTensor("input2")),
        target = call.getTensor("target");
  double margin = call.getReal("margin");
  int64_t dim = rankOf(target);
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(y));
  if (call.hasFailed() || static_cast<int64_t>(sizes.size()) != dim + 1 ||
      !isa<FloatType>(elementOf(x)) || elementOf(x) != elementOf(y))
    return call.hasFailed() ? failure() : call.refuse("these ranks or types");
  x = call.broadcast(x, sizes);
  y = call.broadcast(y, sizes);
  auto sum = [&](Value a, Value b) {
    return call.reduce(ReductionKind::Sum, call.binary<MulOp>(a, b), dim);
  };
  Value sizesOfBoth = call.binary<MulOp>(call.binary<AddOp>(sum(x, x), eps),
                                         call.binary<AddOp>(sum(y, y), eps));
  Value cosine = call.binary<DivOp>(sum(x, y), call.unary<SqrtOp>(sizesOfBoth));
  Value zero = call.fill(0.0, cosine);
  Value alike = call.binary<SubOp>(call.fill(1.0, cosine), cosine);
  Value excess = call.unary<ReluOp>(call.binary<SubOp>(cosine, margin));
  target = call.withSizes(target, sizesOf(cosine));
  Value losses = call.binary<AddOp>(
      call.select(call.binary<EqOp>(target, 1.0), alike, zero),
      call.select(call.binary<EqOp>(target, -1.0), excess, zero));
  return call.hasFailed() ? failure() : finishLosses(call, losses);
}

namespace {
/// Scores of classes and targets, as rows: [rows, classes] and [rows, ...].
struct Rows {
  Value scores, target;
  bool hasBatch = true;
};
} // namespace

/// A single row becomes a batch of one.
static LogicalResult readRows(AtenCall &call, int64_t targetRank, Rows &rows) {
  Value x = call.widen(call.getTensor("self")),
        target = call.getTensor("target");
  rows.hasBatch = rankOf(x) == 2;
  if (rankOf(x) < 1 || rankOf(x) > 2 || !isa<FloatType>(elementOf(x)) ||
      !isa<IntegerType>(elementOf(target)))
    return call.refuse("these ranks or types");
  SizeExpr count = rows.hasBatch ? sizesOf(x)[0] : call.constant(1);
  Sizes targetSizes{count};
  if (targetRank == 2)
    targetSizes.push_back(sizesOf(x).back());
  rows.scores = call.reshape(x, {count, sizesOf(x).back()});
  rows.target =
      call.reshape(call.cast(target, call.builder.getI64Type()), targetSizes);
  return failure(call.hasFailed());
}

/// Sums over the classes, by their number; of a single row, without the batch.
static LogicalResult finishRows(AtenCall &call, const Rows &rows, Value sums,
                                Value isTarget = Value()) {
  SizeExpr classes = sizesOf(rows.scores)[1];
  Value losses = call.binary<DivOp>(sums, call.fillSize(classes, sums));
  int64_t reduction = call.getInteger("reduction");
  if (call.hasFailed() || reduction < 0 || reduction > 2)
    return call.refuse("reduction " + Twine(reduction) + "; expected 0 to 2");
  if (reduction == 0 && !rows.hasBatch)
    losses = call.reshape(losses, {});
  if (reduction != 0)
    losses = reduction == 1 ? call.mean(losses, 0) : sumAll(call, losses);
  if (call.getResultCount() == 1)
    return call.replace(losses);
  return call.replace({losses, isTarget});
}

/// x as a column of [rows, other, classes], or as a row of it.
static Value spreadPairs(AtenCall &call, Value x, bool isColumn) {
  Sizes sizes = sizesOf(x);
  return call.spreadBack(x, isColumn ? 2 : 1, {sizes[0], sizes[1], sizes[1]});
}

// Pattern: aten.multi_margin_loss(x, class) -> sum of relu(margin - x[class] +
// x)^p of the other classes
static LogicalResult convertMultiMargin(AtenCall &call) {
  double p = call.getReal("p"), margin = call.getReal("margin");
  Rows rows;
  if (failed(readRows(call, 1, rows)))
    return failure();
  Sizes sizes = sizesOf(rows.scores), column{sizes[0], call.constant(1)};
  Value classes = call.reshape(rows.target, column);
  Value own = GatherOp::create(call.builder, call.location,
                               getTensorType(column, elementOf(rows.scores)),
                               rows.scores, classes, 1);
  Value distance = call.binary<AddOp>(
      call.binary<SubOp>(rows.scores, call.broadcast(own, sizes)), margin);
  Value parts = call.unary<ReluOp>(distance);
  if (p == 2.0)
    parts = call.binary<MulOp>(parts, parts);
  else if (p != 1.0)
    return call.refuse("p of other than 1 and 2");
  if (Value weight = call.getTensor("weight")) {
    weight = IndexOp::create(
        call.builder, call.location,
        getTensorType(sizesOf(rows.target), elementOf(parts)),
        call.cast(weight, elementOf(parts)), rows.target, ArrayRef<int64_t>{0});
    parts = call.binary<MulOp>(parts, call.spreadBack(weight, 1, sizes));
  }
  Value isOwn =
      call.binary<EqOp>(call.broadcast(classes, sizes), call.iota(sizes, 1));
  parts = call.select(isOwn, call.fill(0.0, parts), parts);
  return finishRows(call, rows, call.reduce(ReductionKind::Sum, parts, 1));
}

// Pattern: aten.multilabel_margin_loss(x, classes) -> sum of relu(1 - x[class]
// + x) of each class before the first -1 and each that is none of them
static LogicalResult convertMultilabelMargin(AtenCall &call) {
  Rows rows;
  if (failed(readRows(call, 2, rows)))
    return failure();
  Type i64 = call.builder.getI64Type();
  Sizes sizes = sizesOf(rows.scores), cube{sizes[0], sizes[1], sizes[1]};
  Value isClass = call.cast(
      call.binary<GeOp>(rows.target, call.fill(0.0, rows.target)), i64);
  Value isValid = ScanOp::create(call.builder, call.location, isClass.getType(),
                                 ReductionKind::Prod, isClass, 1);
  isValid = call.cast(isValid, call.builder.getI1Type());
  Value classes =
      call.select(isValid, rows.target, call.fill(0.0, rows.target));
  Value own = GatherOp::create(call.builder, call.location,
                               rows.scores.getType(), rows.scores, classes, 1);
  Value isThis = call.binary<BitwiseAndOp>(
      spreadPairs(call, isValid, true),
      call.binary<EqOp>(spreadPairs(call, classes, true), call.iota(cube, 2)));
  Value isTarget = call.reduce(ReductionKind::Any, isThis, 1);
  Value distance = call.binary<AddOp>(
      call.binary<SubOp>(spreadPairs(call, rows.scores, false),
                         spreadPairs(call, own, true)),
      1.0);
  Value counts = call.binary<BitwiseAndOp>(
      spreadPairs(call, isValid, true),
      spreadPairs(call, call.unary<BitwiseNotOp>(isTarget), false));
  Value parts = call.unary<ReluOp>(distance);
  parts = call.select(counts, parts, call.fill(0.0, parts));
  if (call.hasFailed())
    return failure();
  Value sums = call.reduce(ReductionKind::Sum, parts, {1, 2});
  Value isTargetOfRank = call.cast(isTarget, elementOf(rows.scores));
  if (!rows.hasBatch)
    isTargetOfRank = call.reshape(isTargetOfRank, sizes[1]);
  return finishRows(call, rows, sums, isTargetOfRank);
}

void addMarginLosses(AtenTable &table) {
  table.add({"triplet_margin_loss.default"}, convertTripletMargin);
  table.add({"cosine_embedding_loss.default"}, convertCosineEmbedding);
  table.add({"multi_margin_loss.default"}, convertMultiMargin);
  table.add({"multilabel_margin_loss.default",
             "multilabel_margin_loss_forward.default"},
            convertMultilabelMargin);
}

} // namespace tc::aten
