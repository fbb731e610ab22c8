//===- NeuralNetworks.cpp - softmax and attention ------------------------===//

#include "AtenTable.h"
#include "TC/Analysis/SizeProver.h"
#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"

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

// Pattern: aten._safe_softmax(x, dim) -> tc.exp of x less the largest of a row,
// divided by the row's sum; of a row that is all -inf 0 is subtracted, and its
// sum of 0 counts as 1
static LogicalResult convertSafeSoftmax(AtenCall &call) {
  Type element = call.getResultType().getElementType();
  Value x = call.widen(call.cast(call.getTensor("self"), element));
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  auto replace = [&](Value value, double special, double other) {
    Value isSpecial = call.binary<EqOp>(value, special);
    return call.select(isSpecial, call.fill(other, value), value);
  };
  Value largest =
      replace(call.reduce(ReductionKind::Max, x, dim, /*allowEmpty=*/true),
              -INFINITY, 0);
  Value weights = call.unary<ExpOp>(
      call.binary<SubOp>(x, call.spreadBack(largest, dim, sizesOf(x))));
  Value sum = replace(call.reduce(ReductionKind::Sum, weights, dim), 0, 1);
  Value result =
      call.binary<DivOp>(weights, call.spreadBack(sum, dim, sizesOf(x)));
  return call.replace(call.cast(result, element));
}

/// The dimensions in front of the rows, without the heads where those of the
/// queries are grouped.
static Sizes getBatch(Value x, bool isGrouped) {
  return Sizes(ArrayRef(sizesOf(x)).drop_back(isGrouped ? 3 : 2));
}

/// x with the batch dimensions that PyTorch broadcasts all operands to.
static Value broadcastBatch(AtenCall &call, Value x, ArrayRef<SizeExpr> batch,
                            bool isGrouped) {
  Sizes wanted(batch), sizes = sizesOf(x);
  wanted.append(sizes.end() - (isGrouped ? 3 : 2), sizes.end());
  return call.broadcast(x, wanted);
}

/// The number that all elements of `x` are; nothing where they differ.
static std::optional<double> getNumber(Value x) {
  while (Operation *op = x.getDefiningOp()) {
    if (!isa<CastOp, BroadcastOp, ReshapeOp>(op))
      break;
    x = op->getOperand(0);
  }
  return getSplatFloat(x);
}

/// Where a mask is 0, of one that is minus infinity elsewhere, as PyTorch makes
/// it of a truth; null of others.
static Value getTruth(AtenCall &call, Value mask) {
  if (auto cast = mask.getDefiningOp<CastOp>())
    return isa<FloatType>(elementOf(cast.getX())) ? getTruth(call, cast.getX())
                                                  : Value();
  if (auto broadcast = mask.getDefiningOp<BroadcastOp>()) {
    Value truth = getTruth(call, broadcast.getX());
    return truth ? BroadcastOp::create(
                       call.builder, call.location,
                       getTensorType(sizesOf(mask), elementOf(truth)), truth,
                       broadcast.getDims())
                 : Value();
  }
  if (auto reshape = mask.getDefiningOp<ReshapeOp>()) {
    Value truth = getTruth(call, reshape.getX());
    return truth ? call.reshape(truth, sizesOf(mask)) : Value();
  }
  auto select = mask.getDefiningOp<SelectOp>();
  return select && getNumber(select.getX()) == 0 &&
                 getNumber(select.getY()) == -INFINITY
             ? select.getCondition()
             : Value();
}

/// The mask in the type of the queries, if it is no truth or f32, and with the
/// sizes [..., queries, keys] for those that are not 1.
static Value getMask(AtenCall &call, Value q, ArrayRef<SizeExpr> scores) {
  for (StringRef name : {"attn_mask", "attn_bias"}) {
    if (!call.getArgument(name))
      continue;
    Value mask = call.getTensor(name);
    if (!mask || rankOf(mask) > static_cast<int64_t>(scores.size()))
      return mask;
    if (Value truth = getTruth(call, mask))
      mask = truth;
    else if (!elementOf(mask).isInteger(1) && !elementOf(mask).isF32())
      mask = call.cast(mask, elementOf(q));
    Sizes sizes = sizesOf(mask);
    for (auto [size, wanted] :
         llvm::zip_equal(sizes, scores.take_back(sizes.size())))
      if (!size.isConstant(1))
        size = wanted;
    return call.withSizes(mask, sizes);
  }
  return Value();
}

/// `v` with as many rows as `k`, which a guard sees to where an expression
/// differs.
static Value withRowsOf(AtenCall &call, Value v, Value k) {
  Sizes sizes = sizesOf(v);
  SizeExpr &rows = sizes[sizes.size() - 2], wanted = sizesOf(k)[rankOf(k) - 2];
  if (rows == wanted || (rows.isConstant() && wanted.isConstant()))
    return v;
  rows = wanted;
  return call.withSizes(v, sizes);
}

/// The factor of scores; nothing after an error.
static std::optional<double> getScale(AtenCall &call, Value q) {
  if (!call.isNone("scale"))
    return call.getReal("scale");
  std::optional<int64_t> depth = sizesOf(q).back().getConstant();
  if (!depth || *depth == 0)
    return std::nullopt;
  return 1.0 / std::sqrt(static_cast<double>(*depth));
}

/// The type of a number for each query, as sums are computed in.
static RankedTensorType getRowType(Value q) {
  return getTensorType(ArrayRef(sizesOf(q)).drop_back(),
                       TensorBuilder::getComputeType(elementOf(q)));
}

/// The logarithms of the sums of rows as an operator of `type` saves them: with
/// a dimension of one behind (cuDNN), or with more rows behind, of infinities
/// (the memory-efficient kernels have multiples of 32); null for other forms.
static Value asSaved(AtenCall &call, Value sums, RankedTensorType type) {
  Sizes own = sizesOf(sums), saved = getSizes(type), column = own;
  column.push_back(call.constant(1));
  if (type.getElementType() != elementOf(sums))
    return Value();
  if (saved == own)
    return sums;
  if (saved == column)
    return call.reshape(sums, column);
  if (saved.size() != own.size() ||
      ArrayRef(saved).drop_back() != ArrayRef(own).drop_back())
    return Value();
  SizeFacts facts(call.builder.getInsertionBlock()->getParentOp());
  if (!SizeProver(facts).isAtMost(own.back(), saved.back()))
    return Value();
  own.back() = saved.back().sub(own.back());
  Value behind = call.fill(call.builder.getFloatAttr(elementOf(sums), INFINITY),
                           getTensorType(own, elementOf(sums)));
  return ConcatOp::create(call.builder, call.location, ValueRange{sums, behind},
                          rankOf(sums) - 1);
}

/// The logarithms of the sums of `queries`, from what an operator saved.
static Value fromSaved(AtenCall &call, Value saved, Value queries) {
  RankedTensorType type = getRowType(queries);
  saved = call.cast(saved, type.getElementType());
  Sizes rows = getSizes(type);
  if (rankOf(saved) == type.getRank() && sizesOf(saved).back() != rows.back())
    saved =
        call.slice(saved, type.getRank() - 1, call.constant(0), rows.back());
  return rankOf(saved) == type.getRank() ? call.withSizes(saved, rows)
                                         : call.reshape(saved, rows);
}

/// The state of random numbers of an attention, with its probability; nothing
/// where there is no dropout.
struct Dropout {
  FloatAttr probability;
  Value seed, offset; ///< 0-d, of i64
};

/// The probability that the call drops weights with; nothing after an error.
static FailureOr<Dropout> getDropout(AtenCall &call) {
  Dropout dropout;
  const double p = call.getReal("dropout_p");
  if (call.hasFailed())
    return failure();
  if (p == 0)
    return dropout;
  if (call.getTarget().contains("_for_cpu"))
    return call.refuse("dropout, of which this operator saves no state");
  if (!(p > 0 && p <= 1))
    return call.refuse("a dropout_p of " + Twine(std::to_string(p)) +
                       "; expected one from 0 to 1");
  dropout.probability = call.builder.getF64FloatAttr(p);
  return dropout;
}

/// The state in the form of results `index` and behind: one tensor of both
/// numbers, or one for each.
static void saveState(AtenCall &call, const Dropout &dropout, unsigned index,
                      MutableArrayRef<Value> results) {
  if (index + 1 >= results.size())
    return;
  Value seed = dropout.seed, offset = dropout.offset;
  auto elementOfResult = [&](unsigned number) {
    return call.getResultType(number).getElementType();
  };
  if (call.getResultType(index).getRank() == 1) {
    seed = call.concat({call.reshape(seed, call.constant(1)),
                        call.reshape(offset, call.constant(1))},
                       0);
    results[index] = call.cast(seed, elementOfResult(index));
    return;
  }
  results[index] = call.cast(seed, elementOfResult(index));
  results[index + 1] = call.cast(offset, elementOfResult(index + 1));
}

/// Sets the state to what the forward call saved.
static void loadState(AtenCall &call, Dropout &dropout) {
  Type type = call.builder.getI64Type();
  Value seed = call.cast(call.getTensor("philox_seed"), type);
  if (rankOf(seed) == 1) {
    auto number = [&](int64_t index) {
      return call.reshape(
          call.slice(seed, 0, call.constant(index), call.constant(1)), {});
    };
    dropout.offset = number(1);
    dropout.seed = number(0);
    return;
  }
  dropout.seed = seed;
  dropout.offset = call.cast(call.getTensor("philox_offset"), type);
}

/// What training saves besides: the logarithms of the sums where they are used,
/// and the states of random numbers, which are zeros where there are none.
static SmallVector<Value> getSaved(AtenCall &call, AttentionOp attention,
                                   const Dropout &dropout) {
  SmallVector<Value> results{attention.getResult()};
  results.resize(call.getResultCount());
  if (attention.getLogsumexp())
    results[1] = asSaved(call, attention.getLogsumexp(), call.getResultType(1));
  for (unsigned index = 2; index < results.size(); ++index)
    if (call.isResultUsed(index) && call.getResultType(index).getRank() <= 1)
      if (auto type =
              dyn_cast<IntegerType>(call.getResultType(index).getElementType()))
        results[index] = call.fill(call.builder.getIntegerAttr(type, 0),
                                   call.getResultType(index));
  if (dropout.probability)
    saveState(call, dropout, call.getTarget().contains("_efficient_") ? 2 : 6,
              results);
  return results;
}

/// Whether several heads of `q` have the same keys. The operators of one device
/// do not say it but take fewer heads of keys.
static bool sharesHeads(AtenCall &call, Value q, Value k) {
  if (call.getArgument("enable_gqa"))
    return call.getBool("enable_gqa");
  if (!call.getTarget().contains("._scaled_dot_product_") || rankOf(q) < 3 ||
      rankOf(k) < 3)
    return false;
  SizeExpr own = sizesOf(q)[rankOf(q) - 3], shared = sizesOf(k)[rankOf(k) - 3];
  return own != shared && !shared.isConstant(1);
}

// Pattern: aten.scaled_dot_product_attention(q, k, v) -> tc.attention q, k, v
static LogicalResult convertAttention(AtenCall &call) {
  Value q = call.getTensor("query"), k = call.getTensor("key"),
        v = call.getTensor("value");
  FailureOr<Dropout> dropout = getDropout(call);
  if (failed(dropout))
    return failure();
  if (call.getArgument("dropout_mask") && !call.isNone("dropout_mask"))
    return call.refuse("a dropout_mask");
  if (!isa<FloatType>(elementOf(q)))
    return call.refuse("a query of this type");
  const bool isGrouped = sharesHeads(call, q, k);
  int64_t least = isGrouped ? 3 : 2;
  for (Value x : {q, k, v})
    if (rankOf(x) < least)
      return call.refuse("a query, key or value of rank " + Twine(rankOf(x)) +
                         " where " + Twine(least) + " is the least");
  Sizes batch = broadcastSizes(
      getBatch(q, isGrouped),
      broadcastSizes(getBatch(k, isGrouped), getBatch(v, isGrouped)));
  q = broadcastBatch(call, q, batch, isGrouped);
  k = broadcastBatch(call, call.cast(k, elementOf(q)), batch, isGrouped);
  v = broadcastBatch(call, call.cast(v, elementOf(q)), batch, isGrouped);
  std::optional<double> scale = getScale(call, q);
  if (!scale)
    return call.refuse("a symbolic depth and no scale");
  if (call.hasFailed())
    return failure();
  v = withRowsOf(call, v, k);
  Sizes sizes = sizesOf(q), scores = sizes;
  sizes.back() = sizesOf(v).back();
  scores.back() = sizesOf(k)[rankOf(k) - 2];
  // The one by other operators gives the weights of all queries and keys.
  bool hasRows = call.getResultCount() > 1 && call.isResultUsed(1) &&
                 !call.getTarget().contains("_math");
  if (dropout->probability)
    std::tie(dropout->seed, dropout->offset) = call.drawState();
  auto isCausal =
      call.getBool("is_causal") ? call.builder.getUnitAttr() : UnitAttr();
  auto attention = AttentionOp::create(
      call.builder, call.location, getTensorType(sizes, elementOf(q)),
      hasRows ? getRowType(q) : RankedTensorType(), q, k, v,
      getMask(call, q, scores), dropout->seed, dropout->offset,
      dropout->probability, call.builder.getF64FloatAttr(*scale), isCausal);
  return call.replace(getSaved(call, attention, *dropout));
}

// Pattern: aten._scaled_dot_product_flash_attention_backward(grad, q, k, v,
// out, logsumexp) -> tc.attention_backward grad, q, k, v, logsumexp and the
// sums of the rows of grad * out; the gradients of queries as these
static LogicalResult convertAttentionBackward(AtenCall &call) {
  Value grad = call.getTensor(call.getArgument("grad_out") ? "grad_out"
                                                           : "grad_out_"),
        q = call.getTensor("query"), k = call.getTensor("key"),
        v = call.getTensor("value"), out = call.getTensor("out"),
        logsumexp = call.getTensor("logsumexp");
  if (call.hasFailed())
    return failure();
  FailureOr<Dropout> dropout = getDropout(call);
  if (failed(dropout))
    return failure();
  if (dropout->probability)
    loadState(call, *dropout);
  if (!isa<FloatType>(elementOf(q)))
    return call.refuse("a query of this type");
  std::optional<double> scale = getScale(call, q);
  if (!scale)
    return call.refuse("a symbolic depth and no scale");
  RankedTensorType rows = getRowType(q);
  Type sumType = rows.getElementType();
  Sizes scores = sizesOf(q);
  scores.back() = sizesOf(k)[rankOf(k) - 2];
  Value mask = getMask(call, q, scores);
  if (call.hasFailed())
    return failure();
  const int64_t last = rankOf(q) - 1;
  Value products = call.reduce(
      ReductionKind::Sum,
      call.binary<MulOp>(call.cast(grad, sumType), call.cast(out, sumType)),
      last);
  auto isCausal =
      call.getBool("is_causal") ? call.builder.getUnitAttr() : UnitAttr();
  auto gradients = AttentionBackwardOp::create(
      call.builder, call.location, getTensorType(sizesOf(q), sumType),
      k.getType(), v.getType(), call.cast(grad, elementOf(q)), q, k, v,
      fromSaved(call, logsumexp, q), products, mask, dropout->seed,
      dropout->offset, dropout->probability,
      call.builder.getF64FloatAttr(*scale), isCausal);
  SmallVector<Value> results = {call.cast(gradients.getGradQ(), elementOf(q)),
                                gradients.getGradK(), gradients.getGradV()};
  if (call.getResultCount() > results.size() &&
      call.isResultUsed(unsigned(results.size())))
    return call.refuse("gradients of a bias");
  results.resize(call.getResultCount());
  return call.replace(results);
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
             "_scaled_dot_product_cudnn_attention.default",
             "_scaled_dot_product_attention_math.default"},
            convertAttention);
  table.add({"_scaled_dot_product_flash_attention_backward.default",
             "_scaled_dot_product_efficient_attention_backward.default",
             "_scaled_dot_product_cudnn_attention_backward.default",
             "_scaled_dot_product_flash_attention_for_cpu_backward.default"},
            convertAttentionBackward);
}

} // namespace tc::aten
