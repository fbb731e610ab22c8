//===- Losses.cpp - losses ------------------------------------------------===//
//
// `reduction` is 0 for none, 1 for mean, 2 for sum.
//
//===----------------------------------------------------------------------===//

#include "Losses.h"
#include "AtenTable.h"
#include "Promotion.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

Value sumAll(AtenCall &call, Value x) {
  return call.reduce(ReductionKind::Sum, x,
                     llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x))));
}

static Value countAll(AtenCall &call, Value x, Value like) {
  return call.fillSize(getElementCount(sizesOf(x), call.getContext()), like);
}

LogicalResult finishLosses(AtenCall &call, Value losses) {
  int64_t reduction = call.getInteger("reduction");
  if (call.hasFailed() || reduction < 0 || reduction > 2)
    return call.refuse("reduction " + Twine(reduction) + "; expected 0 to 2");
  if (reduction == 0)
    return call.replace(losses);
  Value sum = sumAll(call, losses);
  if (reduction == 2)
    return call.replace(sum);
  return call.replace(call.binary<DivOp>(sum, countAll(call, losses, sum)));
}

namespace {
struct Pair {
  Value input, target;
};
} // namespace

/// Input and target of equal sizes, in f32 at least.
static Pair getPair(AtenCall &call) {
  Value input = call.getTensor("self"), target = call.getTensor("target");
  Type element = promoteTypes(elementOf(input), elementOf(target));
  Sizes sizes = broadcastSizes(sizesOf(input), sizesOf(target));
  return {call.broadcast(call.widen(call.cast(input, element)), sizes),
          call.broadcast(call.widen(call.cast(target, element)), sizes)};
}

// Pattern: aten.mse_loss(x, y, reduction) -> tc.reduce sum (x - y)^2 / count
static LogicalResult convertMse(AtenCall &call) {
  auto [input, target] = getPair(call);
  Value difference = call.binary<SubOp>(input, target);
  return finishLosses(call, call.binary<MulOp>(difference, difference));
}

// Pattern: aten.l1_loss(x, y, reduction) -> tc.reduce sum |x - y| / count
static LogicalResult convertL1(AtenCall &call) {
  auto [input, target] = getPair(call);
  return finishLosses(call,
                      call.unary<AbsOp>(call.binary<SubOp>(input, target)));
}

// Pattern: aten.smooth_l1_loss(x, y) -> d^2 / 2 beta where |d| < beta, else |d|
// - beta / 2
static LogicalResult convertSmoothL1(AtenCall &call) {
  double beta = call.getReal("beta");
  auto [input, target] = getPair(call);
  Value distance = call.unary<AbsOp>(call.binary<SubOp>(input, target));
  if (beta == 0.0)
    return finishLosses(call, distance);
  Value square =
      call.binary<MulOp>(call.binary<MulOp>(distance, distance), 0.5 / beta);
  return finishLosses(call,
                      call.select(call.binary<LtOp>(distance, beta), square,
                                  call.binary<SubOp>(distance, 0.5 * beta)));
}

// Pattern: aten.huber_loss(x, y) -> d^2 / 2 where |d| <= delta, else delta (|d|
// - delta / 2)
static LogicalResult convertHuber(AtenCall &call) {
  double delta = call.getReal("delta");
  auto [input, target] = getPair(call);
  Value distance = call.unary<AbsOp>(call.binary<SubOp>(input, target));
  Value square =
      call.binary<MulOp>(call.binary<MulOp>(distance, distance), 0.5);
  Value line =
      call.binary<MulOp>(call.binary<SubOp>(distance, 0.5 * delta), delta);
  return finishLosses(
      call, call.select(call.binary<LeOp>(distance, delta), square, line));
}

static Value applyWeight(AtenCall &call, Value losses) {
  Value weight = call.getTensor("weight");
  if (!weight)
    return losses;
  return call.binary<MulOp>(
      losses,
      call.broadcast(call.cast(weight, elementOf(losses)), sizesOf(losses)));
}

// Pattern: aten.binary_cross_entropy(x, y) -> -(y log x + (1 - y) log(1 - x)),
// logs from -100
static LogicalResult convertBinaryCrossEntropy(AtenCall &call) {
  auto [input, target] = getPair(call);
  Value one = call.fill(1.0, input);
  auto boundedLog = [&](Value x) {
    return call.binary<MaximumOp>(call.unary<LogOp>(x), -100.0);
  };
  Value on = call.binary<MulOp>(target, boundedLog(input));
  Value off = call.binary<MulOp>(call.binary<SubOp>(one, target),
                                 boundedLog(call.binary<SubOp>(one, input)));
  Value losses = call.unary<NegOp>(call.binary<AddOp>(on, off));
  return finishLosses(call, applyWeight(call, losses));
}

// Pattern: aten.binary_cross_entropy_with_logits(x, y) -> (1 - y) x + log(1 +
// exp(-x))
static LogicalResult convertBinaryCrossEntropyWithLogits(AtenCall &call) {
  auto [x, target] = getPair(call);
  // log(1 + exp(-x)), exact for large |x|
  Value tail =
      call.binary<AddOp>(call.unary<ReluOp>(call.unary<NegOp>(x)),
                         call.unary<Log1pOp>(call.unary<ExpOp>(
                             call.unary<NegOp>(call.unary<AbsOp>(x)))));
  Value one = call.fill(1.0, x);
  if (Value weight = call.getTensor("pos_weight")) {
    weight = call.broadcast(call.cast(weight, elementOf(x)), sizesOf(x));
    Value factor = call.binary<AddOp>(
        one, call.binary<MulOp>(call.binary<SubOp>(weight, one), target));
    tail = call.binary<MulOp>(factor, tail);
  }
  Value rest = call.binary<MulOp>(call.binary<SubOp>(one, target), x);
  return finishLosses(call, applyWeight(call, call.binary<AddOp>(rest, tail)));
}

/// Minus the log-probability of the target class, and the weight of each
/// element; the classes are dimension 1, or 0 of a single row.
static LogicalResult pickClasses(AtenCall &call, Value logits, Value target,
                                 Value &losses, Value &weights) {
  int64_t classDim = rankOf(logits) > 1 ? 1 : 0;
  if (rankOf(target) != rankOf(logits) - 1 ||
      !isa<IntegerType>(elementOf(target)))
    return call.refuse("probabilities as target; expected class numbers");
  Sizes column = sizesOf(logits);
  column[classDim] = call.constant(1);
  Value classes = call.cast(target, call.builder.getI64Type());
  Value isIgnored = call.binary<EqOp>(
      classes, call.fill(call.getArgument("ignore_index"), typeOf(classes)));
  // An ignored target may be out of range: class 0 stands in for it.
  classes = call.select(isIgnored, call.fill(0.0, classes), classes);
  Value picked = GatherOp::create(
      call.builder, call.location, getTensorType(column, elementOf(logits)),
      logits, call.reshape(classes, column), classDim);
  losses = call.unary<NegOp>(call.reshape(picked, sizesOf(target)));
  weights = call.fill(1.0, losses);
  if (Value weight = call.getTensor("weight"))
    weights = IndexOp::create(call.builder, call.location, losses.getType(),
                              call.cast(weight, elementOf(losses)), classes,
                              ArrayRef<int64_t>{0});
  weights = call.select(isIgnored, call.fill(0.0, weights), weights);
  losses = call.select(isIgnored, call.fill(0.0, losses),
                       call.binary<MulOp>(losses, weights));
  return success();
}

/// The reduced loss and, for nll_loss_forward, the sum of the weights.
static LogicalResult finishClasses(AtenCall &call, Value losses,
                                   Value weights) {
  int64_t reduction = call.getInteger("reduction");
  if (call.hasFailed() || reduction < 0 || reduction > 2)
    return call.refuse("reduction " + Twine(reduction) + "; expected 0 to 2");
  Value total = sumAll(call, weights);
  Value result = losses;
  if (reduction != 0)
    result = sumAll(call, losses);
  if (reduction == 1)
    result = call.binary<DivOp>(result, total);
  if (call.getResultCount() == 1)
    return call.replace(result);
  return call.replace({result, total});
}

// Pattern: aten.nll_loss(x, classes) -> -tc.gather x[classes], weighted and
// reduced
static LogicalResult convertNll(AtenCall &call) {
  Value losses, weights;
  if (failed(pickClasses(call, call.widen(call.getTensor("self")),
                         call.getTensor("target"), losses, weights)))
    return failure();
  return finishClasses(call, losses, weights);
}

/// Of logarithms of probabilities and a target of probabilities: minus their
/// products, weighted and summed over the classes; a mean is one of rows.
static LogicalResult finishProbabilities(AtenCall &call, Value logits,
                                         double smoothing) {
  int64_t classDim = rankOf(logits) > 1 ? 1 : 0;
  SizeExpr classes = sizesOf(logits)[classDim];
  Value target = call.getTensor("target");
  if (sizesOf(target) != sizesOf(logits) || !classes.isConstant())
    return call.refuse("a target of other sizes");
  target = call.cast(target, elementOf(logits));
  if (smoothing != 0.0)
    target = call.binary<AddOp>(
        call.binary<MulOp>(target, 1.0 - smoothing),
        call.fill(smoothing / static_cast<double>(classes.getValue()), target));
  Value products = call.binary<MulOp>(logits, target);
  if (Value weight = call.getTensor("weight")) {
    Sizes column(rankOf(logits), call.constant(1));
    column[classDim] = classes;
    weight = call.reshape(call.cast(weight, elementOf(logits)), column);
    products =
        call.binary<MulOp>(products, call.broadcast(weight, sizesOf(products)));
  }
  if (call.hasFailed())
    return failure();
  return finishLosses(call, call.unary<NegOp>(call.reduce(ReductionKind::Sum,
                                                          products, classDim)));
}

/// Minus the weighted sum of the classes' logarithms, 0 where a target is
/// ignored.
static Value getUniformLosses(AtenCall &call, Value logits) {
  int64_t classDim = rankOf(logits) > 1 ? 1 : 0;
  Value scaled = logits;
  if (Value weight = call.getTensor("weight")) {
    Sizes column(rankOf(logits), call.constant(1));
    column[classDim] = sizesOf(logits)[classDim];
    weight = call.reshape(call.cast(weight, elementOf(logits)), column);
    scaled =
        call.binary<MulOp>(logits, call.broadcast(weight, sizesOf(logits)));
  }
  Value sum =
      call.unary<NegOp>(call.reduce(ReductionKind::Sum, scaled, classDim));
  Value target = call.cast(call.getTensor("target"), call.builder.getI64Type());
  Value isIgnored = call.binary<EqOp>(
      target, call.fill(call.getArgument("ignore_index"), typeOf(target)));
  return call.select(isIgnored, call.fill(0.0, sum), sum);
}

// Pattern: aten.cross_entropy_loss(x, classes) -> nll of tc.log_softmax x
static LogicalResult convertCrossEntropy(AtenCall &call) {
  Value x = call.widen(call.getTensor("self")), losses, weights;
  double smoothing = call.getReal("label_smoothing");
  if (rankOf(x) == 0 || !isa<FloatType>(elementOf(x)))
    return call.refuse("logits of this rank or type");
  int64_t classDim = rankOf(x) > 1 ? 1 : 0;
  Value logits = LogSoftmaxOp::create(call.builder, call.location, x.getType(),
                                      x, classDim);
  if (isa<FloatType>(elementOf(call.getTensor("target"))))
    return finishProbabilities(call, logits, smoothing);
  if (failed(
          pickClasses(call, logits, call.getTensor("target"), losses, weights)))
    return failure();
  SizeExpr classes = sizesOf(x)[classDim];
  if (smoothing != 0.0 && !classes.isConstant())
    return call.refuse("label_smoothing of a symbolic number of classes");
  if (smoothing != 0.0)
    losses = call.binary<AddOp>(
        call.binary<MulOp>(losses, 1.0 - smoothing),
        call.binary<MulOp>(getUniformLosses(call, logits),
                           smoothing /
                               static_cast<double>(classes.getValue())));
  return finishClasses(call, losses, weights);
}

// Pattern: aten.soft_margin_loss(x, y) -> log(1 + exp(-y x))
static LogicalResult convertSoftMargin(AtenCall &call) {
  auto [x, target] = getPair(call);
  Value product = call.unary<NegOp>(call.binary<MulOp>(target, x));
  return finishLosses(call, call.unary<Log1pOp>(call.unary<ExpOp>(product)));
}

// Pattern: aten.hinge_embedding_loss(x, y) -> x where y is not -1, plus
// relu(margin - x) where y is not 1
static LogicalResult convertHingeEmbedding(AtenCall &call) {
  double margin = call.getReal("margin");
  auto [x, target] = getPair(call);
  Value zero = call.fill(0.0, x);
  Value hinge = call.unary<ReluOp>(call.binary<SubOp>(call.fill(margin, x), x));
  hinge = call.select(call.binary<NeOp>(target, 1.0), hinge, zero);
  Value plain = call.select(call.binary<NeOp>(target, -1.0), x, zero);
  return finishLosses(call, call.binary<AddOp>(hinge, plain));
}

// Pattern: aten.margin_ranking_loss(a, b, y) -> relu(-y (a - b) + margin)
static LogicalResult convertMarginRanking(AtenCall &call) {
  double margin = call.getReal("margin");
  Value a = call.getTensor("input1"), b = call.getTensor("input2"),
        target = call.getTensor("target");
  Type element =
      promoteTypes(promoteTypes(elementOf(a), elementOf(b)), elementOf(target));
  if (call.hasFailed() || !isa<FloatType>(element))
    return call.hasFailed() ? failure() : call.refuse("integers");
  Sizes sizes =
      broadcastSizes(broadcastSizes(sizesOf(a), sizesOf(b)), sizesOf(target));
  auto prepare = [&](Value value) {
    return call.broadcast(call.widen(call.cast(value, element)), sizes);
  };
  Value distance = call.binary<SubOp>(prepare(a), prepare(b));
  Value product =
      call.binary<MulOp>(call.unary<NegOp>(prepare(target)), distance);
  if (call.hasFailed())
    return failure();
  return finishLosses(call,
                      call.unary<ReluOp>(call.binary<AddOp>(product, margin)));
}

// Pattern: aten.poisson_nll_loss(x, y) -> exp(x) - y x, or x - y log(x + eps)
static LogicalResult convertPoissonNll(AtenCall &call) {
  Value x = call.getTensor("input"), target = call.getTensor("target");
  bool isLog = call.getBool("log_input"), isFull = call.getBool("full");
  Type element = promoteTypes(elementOf(x), elementOf(target));
  if (call.hasFailed() || !isa<FloatType>(element))
    return call.hasFailed() ? failure() : call.refuse("integers");
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(target));
  x = call.broadcast(call.widen(call.cast(x, element)), sizes);
  target = call.broadcast(call.widen(call.cast(target, element)), sizes);
  if (call.hasFailed())
    return failure();
  Value rate = isLog ? call.unary<ExpOp>(x) : x;
  Value logRate = isLog ? x
                        : Value(call.unary<LogOp>(
                              call.binary<AddOp>(x, call.getReal("eps"))));
  Value losses = call.binary<SubOp>(rate, call.binary<MulOp>(target, logRate));
  if (isFull) { // Stirling's approximation of log(y!)
    const double pi = 3.14159265358979323846;
    Value logTarget = call.unary<LogOp>(target);
    Value stirling = call.binary<AddOp>(
        call.binary<SubOp>(call.binary<MulOp>(target, logTarget), target),
        call.binary<MulOp>(
            call.unary<LogOp>(call.binary<MulOp>(target, 2 * pi)), 0.5));
    Value isLarge = call.binary<GtOp>(target, 1.0);
    losses = call.binary<AddOp>(
        losses, call.select(isLarge, stirling, call.fill(0.0, stirling)));
  }
  return finishLosses(call, losses);
}

// Pattern: aten.kl_div(x, y, reduction) -> y * (log y - x), 0 where y is 0
static LogicalResult convertKlDiv(AtenCall &call) {
  auto [input, target] = getPair(call);
  if (call.getBool("log_target"))
    return finishLosses(call,
                        call.binary<MulOp>(call.unary<ExpOp>(target),
                                           call.binary<SubOp>(target, input)));
  Value entropy = call.binary<MulOp>(target, call.unary<LogOp>(target));
  Value isZero = call.binary<EqOp>(target, 0.0);
  entropy = call.select(isZero, call.fill(0.0, entropy), entropy);
  return finishLosses(
      call, call.binary<SubOp>(entropy, call.binary<MulOp>(target, input)));
}

void addLosses(AtenTable &table) {
  table.add({"mse_loss.default"}, convertMse);
  table.add({"l1_loss.default"}, convertL1);
  table.add({"kl_div.default"}, convertKlDiv);
  table.add({"soft_margin_loss.default"}, convertSoftMargin);
  table.add({"hinge_embedding_loss.default"}, convertHingeEmbedding);
  table.add({"margin_ranking_loss.default"}, convertMarginRanking);
  table.add({"poisson_nll_loss.default"}, convertPoissonNll);
  table.add({"smooth_l1_loss.default"}, convertSmoothL1);
  table.add({"huber_loss.default"}, convertHuber);
  table.add({"binary_cross_entropy.default"}, convertBinaryCrossEntropy);
  table.add({"binary_cross_entropy_with_logits.default"},
            convertBinaryCrossEntropyWithLogits);
  table.add({"nll_loss.default", "nll_loss_nd.default", "nll_loss2d.default",
             "nll_loss_forward.default", "nll_loss2d_forward.default"},
            convertNll);
  table.add({"cross_entropy_loss.default"}, convertCrossEntropy);
}

} // namespace tc::aten
