//===- NeuralNetworks.cpp - softmax, attention, dropout -------------------===//

#include "AtenTable.h"

#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

// Pattern: aten.softmax(x, dim, dtype) -> tc.softmax of the cast x
template <typename OpTy> static LogicalResult convertSoftmax(AtenCall &call) {
  Value x =
      call.cast(call.getTensor("self"), call.getResultType().getElementType());
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  if (!isa<FloatType>(elementOf(x)))
    return call.refuse("integers");
  if (rankOf(x) == 0) // a row of one
    x = call.reshape(x, call.constant(1));
  return call.replace(
      OpTy::create(call.builder, call.location, x.getType(), x, dim));
}

// Pattern: aten._safe_softmax(x, dim) -> tc.softmax x, 0 where a row is all
// -inf
static LogicalResult convertSafeSoftmax(AtenCall &call) {
  Value x =
      call.cast(call.getTensor("self"), call.getResultType().getElementType());
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  Value softmax =
      SoftmaxOp::create(call.builder, call.location, x.getType(), x, dim);
  Value largest = call.reduce(ReductionKind::Max, x, dim, /*allowEmpty=*/true);
  Value isEmpty = call.binary<EqOp>(largest, -INFINITY);
  Sizes column = sizesOf(x);
  column[dim] = call.constant(1);
  isEmpty = call.broadcast(call.reshape(isEmpty, column), sizesOf(x));
  return call.replace(call.select(isEmpty, call.fill(0.0, softmax), softmax));
}

/// The batch dimensions of k or v as those of q: PyTorch broadcasts them. Heads
/// stay fewer where queries are grouped.
static Value alignBatch(AtenCall &call, Value x, Value q, bool isGrouped) {
  Sizes sizes = sizesOf(x), wanted = sizesOf(q);
  int64_t rank = rankOf(q);
  if (rankOf(x) > rank || rankOf(x) < 2) {
    (void)call.refuse("a key or value of rank " + Twine(rankOf(x)) +
                      " and a query of rank " + Twine(rank));
    return x;
  }
  wanted[rank - 1] = sizes[sizes.size() - 1];
  wanted[rank - 2] = sizes[sizes.size() - 2];
  if (isGrouped && rank >= 3 && sizes.size() >= 3)
    wanted[rank - 3] = sizes[sizes.size() - 3];
  return call.broadcast(x, wanted);
}

static Value getMask(AtenCall &call, Value q) {
  for (StringRef name : {"attn_mask", "attn_bias"}) {
    if (!call.getArgument(name))
      continue;
    Value mask = call.getTensor(name);
    if (mask && !elementOf(mask).isInteger(1))
      return call.cast(mask, elementOf(q));
    return mask;
  }
  return Value();
}

// Pattern: aten.scaled_dot_product_attention(q, k, v) -> tc.attention q, k, v
static LogicalResult convertAttention(AtenCall &call) {
  Value q = call.getTensor("query"), k = call.getTensor("key"),
        v = call.getTensor("value");
  if (call.getReal("dropout_p") != 0.0)
    return call.refuse("dropout; use eval()");
  if (rankOf(q) < 2 || !isa<FloatType>(elementOf(q)))
    return call.refuse("a query of this rank or type");
  bool isGrouped = call.getArgument("enable_gqa") && call.getBool("enable_gqa");
  k = alignBatch(call, call.cast(k, elementOf(q)), q, isGrouped);
  v = alignBatch(call, call.cast(v, elementOf(q)), q, isGrouped);
  std::optional<int64_t> depth = sizesOf(q).back().getConstant();
  if (call.isNone("scale") && (!depth || *depth == 0))
    return call.refuse("a symbolic depth and no scale");
  double scale = call.isNone("scale")
                     ? 1.0 / std::sqrt(static_cast<double>(*depth))
                     : call.getReal("scale");
  if (call.hasFailed())
    return failure();
  Sizes sizes = sizesOf(q);
  sizes.back() = sizesOf(v).back();
  SmallVector<Value> results{AttentionOp::create(
      call.builder, call.location, getTensorType(sizes, elementOf(q)), q, k, v,
      getMask(call, q), llvm::APFloat(scale), call.getBool("is_causal"))};
  // What training would save is not computed.
  results.resize(call.getResultCount());
  return call.replace(results);
}

// Pattern: aten.dropout(x, p, False) -> x
static LogicalResult convertDropout(AtenCall &call) {
  bool trains = !call.isNone("train") && call.getBool("train");
  if (trains && call.getReal("p") != 0.0)
    return call.refuse("train=True; use eval()");
  Value x = call.getTensor("input");
  if (call.getResultCount() == 1)
    return call.replace(x);
  Value mask;
  if (call.isResultUsed(1))
    mask = call.fill(call.builder.getBoolAttr(true), call.getResultType(1));
  return call.replace({x, mask});
}

void addNeuralNetworks(AtenTable &table) {
  table.add({"softmax.int", "_softmax.default", "special_softmax.int"},
            convertSoftmax<SoftmaxOp>);
  table.add(
      {"log_softmax.int", "_log_softmax.default", "special_log_softmax.int"},
      convertSoftmax<LogSoftmaxOp>);
  table.add({"_safe_softmax.default"}, convertSafeSoftmax);
  table.add({"scaled_dot_product_attention.default",
             "_scaled_dot_product_flash_attention_for_cpu.default",
             "_scaled_dot_product_flash_attention.default",
             "_scaled_dot_product_efficient_attention.default",
             "_scaled_dot_product_attention_math.default"},
            convertAttention);
  table.add({"dropout.default", "native_dropout.default",
             "feature_dropout.default", "alpha_dropout.default"},
            convertDropout);
}

} // namespace tc::aten
