//===- EmbeddingBags.cpp - sums of rows of a table ------------------------===//

#include "AtenTable.h"

#include <limits>

using namespace mlir;
using namespace tc;

namespace tc::aten {

namespace {
/// Rows of a table, and the bag of each.
struct Bags {
  Value rows;   ///< [indices, width]
  Value isUsed; ///< [indices], null where all are
  Value bag;    ///< [indices], i64
  SizeExpr count;
};
} // namespace

/// The index of rows that count for nothing, as large as `indices`.
static std::optional<Value> getPadding(AtenCall &call, Value weight,
                                       Value indices) {
  // None is an index in one overload, -1 in the others.
  bool takesNone = call.getSchema().name == "embedding_bag.padding_idx";
  if (!call.getArgument("padding_idx") || call.isNone("padding_idx"))
    return std::nullopt;
  int64_t padding = call.getInteger("padding_idx");
  if (padding < 0 && !takesNone)
    return std::nullopt;
  Value number = call.fill(static_cast<double>(padding), indices);
  if (padding < 0)
    number =
        call.binary<AddOp>(number, call.fillSize(sizesOf(weight)[0], number));
  return number;
}

static LogicalResult readBags(AtenCall &call, Bags &bags) {
  Value weight = call.getTensor("weight");
  Type i64 = call.builder.getI64Type();
  Value indices = call.cast(call.getTensor("indices"), i64);
  Value offsets = call.cast(call.getTensor("offsets"), i64);
  if (rankOf(weight) != 2 || rankOf(indices) != 1 || rankOf(offsets) != 1)
    return call.refuse("these ranks");
  bags.count = sizesOf(offsets)[0];
  if (call.getBool("include_last_offset")) {
    bags.count = bags.count.add(-1);
    offsets = call.slice(offsets, 0, call.constant(0), bags.count);
  }
  // The bag of an index is the last that does not start after it.
  Sizes sizes{sizesOf(indices)[0], bags.count};
  Value hasStarted =
      call.binary<LeOp>(call.broadcast(offsets, sizes), call.iota(sizes, 0));
  bags.bag = call.binary<SubOp>(
      call.reduce(ReductionKind::Sum, call.cast(hasStarted, i64), 1), 1.0);
  if (std::optional<Value> padding = getPadding(call, weight, indices))
    bags.isUsed = call.binary<NeOp>(indices, *padding);
  Sizes rowSizes{sizesOf(indices)[0], sizesOf(weight)[1]};
  bags.rows = call.widen(IndexOp::create(
      call.builder, call.location, getTensorType(rowSizes, elementOf(weight)),
      weight, indices, ArrayRef<int64_t>{0}, /*non_negative=*/true));
  return success();
}

/// `values` combined into the bags, which hold `start` before.
static Value fillBags(AtenCall &call, CombineKind combine, const Bags &bags,
                      Value values, double start) {
  if (bags.isUsed)
    values = call.select(
        call.spreadBack(bags.isUsed,
                        llvm::to_vector(llvm::seq<int64_t>(1, rankOf(values))),
                        sizesOf(values)),
        values, call.fill(start, values));
  Sizes sizes = sizesOf(values);
  sizes[0] = bags.count;
  RankedTensorType type = getTensorType(sizes, elementOf(values));
  Value empty = call.fill(call.builder.getF64FloatAttr(start), type);
  return IndexPutOp::create(call.builder, call.location, type, combine, empty,
                            bags.bag, values, ArrayRef<int64_t>{0},
                            /*non_negative=*/true);
}

// Pattern: aten._embedding_bag(weight, indices, offsets) -> tc.index_put sum of
// weight[indices] into zeros, by the bag of each index
static LogicalResult convertEmbeddingBag(AtenCall &call) {
  int64_t mode = call.getInteger("mode");
  Bags bags;
  if (failed(readBags(call, bags)))
    return failure();
  Value counts =
      fillBags(call, CombineKind::Sum, bags, call.fill(1.0, bags.bag), 0.0);
  if (Value weights = call.getTensor("per_sample_weights")) {
    weights = call.cast(weights, elementOf(bags.rows));
    bags.rows = call.binary<MulOp>(
        bags.rows, call.spreadBack(weights, 1, sizesOf(bags.rows)));
  }
  auto spread = [&](Value perBag, Value like) {
    return call.spreadBack(perBag, 1, sizesOf(like));
  };
  Value result;
  if (mode == 2) {
    result = fillBags(call, CombineKind::Max, bags, bags.rows,
                      -std::numeric_limits<double>::infinity());
    Value isEmpty = call.binary<EqOp>(counts, 0.0);
    result =
        call.select(spread(isEmpty, result), call.fill(0.0, result), result);
  } else {
    result = fillBags(call, CombineKind::Sum, bags, bags.rows, 0.0);
  }
  if (mode == 1) {
    Value divisor = call.binary<MaximumOp>(counts, 1.0);
    result = call.binary<DivOp>(
        result, spread(call.cast(divisor, elementOf(result)), result));
  }
  if (call.hasFailed() || mode < 0 || mode > 2)
    return call.hasFailed()
               ? failure()
               : call.refuse("mode " + Twine(mode) + "; expected 0 to 2");
  // The rest is for gradients.
  SmallVector<Value> results{result, bags.bag, counts};
  results.resize(call.getResultCount());
  for (unsigned index = 1; index < results.size(); ++index)
    if (!call.isResultUsed(index))
      results[index] = Value();
  return call.replace(results);
}

void addEmbeddingBags(AtenTable &table) {
  table.add({"_embedding_bag.default", "_embedding_bag_forward_only.default",
             "embedding_bag.default", "embedding_bag.padding_idx"},
            convertEmbeddingBag);
}

} // namespace tc::aten
