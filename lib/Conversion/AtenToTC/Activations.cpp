//===- Activations.cpp - activation functions -----------------------------===//
//
// Definitions are those of torch.nn.functional. bf16 and f16 chains are
// computed in f32 and rounded once, as PyTorch's kernels do.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// A function of `self` on floats, in f32 for narrower types.
static LogicalResult convertActivation(AtenCall &call,
                                       function_ref<Value(Value)> build) {
  return convertElementwise(
      call, {"self"}, Promotion::Float,
      [&](ValueRange v) { return build(call.widen(v[0])); });
}

static Value clamp(AtenCall &call, Value x, double low, double high) {
  return call.binary<MinimumOp>(call.binary<MaximumOp>(x, low), high);
}

/// log(1 + exp(x)), exact for large x.
static Value softplus(AtenCall &call, Value x) {
  Value tail = call.unary<Log1pOp>(
      call.unary<ExpOp>(call.unary<NegOp>(call.unary<AbsOp>(x))));
  return call.binary<AddOp>(call.unary<ReluOp>(x), tail);
}

// Pattern: aten.gelu(x, approximate) -> tc.gelu x or tc.gelu_tanh x
static LogicalResult convertGelu(AtenCall &call) {
  StringRef approximate = call.getString("approximate");
  if (approximate != "none" && approximate != "tanh")
    return call.refuse("approximate '" + approximate +
                       "'; expected 'none' or 'tanh'");
  bool isExact = approximate == "none";
  return convertElementwise(call, {"self"}, Promotion::Float,
                            [&](ValueRange v) -> Value {
                              return isExact ? call.unary<GeluOp>(v[0])
                                             : call.unary<GeluTanhOp>(v[0]);
                            });
}

// Pattern: aten.gelu_backward(gradient, x, "none") -> tc.gelu_grad gradient, x
static LogicalResult convertGeluBackward(AtenCall &call) {
  if (StringRef approximate = call.getString("approximate");
      approximate != "none")
    return call.refuse("approximate '" + approximate + "'; expected 'none'");
  return convertElementwise(
      call, {"grad_output", "self"}, Promotion::Float,
      [&](ValueRange v) { return call.binary<GeluGradOp>(v[0], v[1]); });
}

// Pattern: aten.relu6(x) -> min(max(x, 0), 6)
static LogicalResult convertRelu6(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Common,
      [&](ValueRange v) { return clamp(call, v[0], 0.0, 6.0); });
}

// Pattern: aten.hardtanh(x, min_val, max_val) -> min(max(x, min_val), max_val)
static LogicalResult convertHardtanh(AtenCall &call) {
  double low = call.getReal("min_val"), high = call.getReal("max_val");
  return convertElementwise(
      call, {"self"}, Promotion::Common,
      [&](ValueRange v) { return clamp(call, v[0], low, high); });
}

// Pattern: aten.leaky_relu(x, slope) -> x where x > 0, else slope * x
static LogicalResult convertLeakyRelu(AtenCall &call) {
  double slope = call.getReal("negative_slope");
  return convertActivation(call, [&](Value x) {
    return call.select(call.binary<GtOp>(x, 0.0), x,
                       call.binary<MulOp>(x, slope));
  });
}

// Pattern: aten.rrelu(x, lower, upper) -> x where x > 0, else their mean * x
static LogicalResult convertRrelu(AtenCall &call) {
  if (call.getBool("training"))
    return call.refuse("training=True; use eval()");
  double slope = (call.getReal("lower") + call.getReal("upper")) / 2;
  return convertActivation(call, [&](Value x) {
    return call.select(call.binary<GtOp>(x, 0.0), x,
                       call.binary<MulOp>(x, slope));
  });
}

// Pattern: aten.prelu(x, weight) -> x where x > 0, else weight * x
static LogicalResult convertPrelu(AtenCall &call) {
  Value x = call.getTensor("self"), weight = call.getTensor("weight");
  Sizes sizes = sizesOf(x);
  // One weight for each channel, which is dimension 1.
  if (rankOf(weight) == 1 && sizes.size() >= 2 &&
      !sizesOf(weight)[0].isConstant(1)) {
    Sizes shape(sizes.size(), call.constant(1));
    shape[1] = sizesOf(weight)[0];
    weight = call.reshape(weight, shape);
  }
  weight = call.broadcast(call.cast(weight, elementOf(x)), sizes);
  if (call.hasFailed())
    return failure();
  return call.replace(
      call.select(call.binary<GtOp>(x, 0.0), x, call.binary<MulOp>(weight, x)));
}

// Pattern: aten.elu(x) -> scale * x where x > 0, else alpha * expm1(x)
static LogicalResult convertElu(AtenCall &call) {
  double alpha = call.getReal("alpha"), scale = call.getReal("scale");
  double inputScale = call.getReal("input_scale");
  return convertActivation(call, [&](Value x) {
    Value inner = call.unary<Expm1Op>(call.binary<MulOp>(x, inputScale));
    return call.select(call.binary<GtOp>(x, 0.0), call.binary<MulOp>(x, scale),
                       call.binary<MulOp>(inner, alpha * scale));
  });
}

// Pattern: aten.celu(x, alpha) -> x where x > 0, else alpha * expm1(x / alpha)
static LogicalResult convertCelu(AtenCall &call) {
  double alpha = call.getReal("alpha");
  return convertActivation(call, [&](Value x) {
    Value inner = call.unary<Expm1Op>(call.binary<DivOp>(x, alpha));
    return call.select(call.binary<GtOp>(x, 0.0), x,
                       call.binary<MulOp>(inner, alpha));
  });
}

// Pattern: aten.selu(x) -> tc.mul of elu with the constants of the paper
static LogicalResult convertSelu(AtenCall &call) {
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  return convertActivation(call, [&](Value x) {
    Value inner = call.unary<Expm1Op>(x);
    return call.select(call.binary<GtOp>(x, 0.0), call.binary<MulOp>(x, scale),
                       call.binary<MulOp>(inner, alpha * scale));
  });
}

static Value hardsigmoid(AtenCall &call, Value x) {
  return call.binary<DivOp>(clamp(call, call.binary<AddOp>(x, 3.0), 0.0, 6.0),
                            6.0);
}

// Pattern: aten.hardsigmoid(x) -> relu6(x + 3) / 6
static LogicalResult convertHardsigmoid(AtenCall &call) {
  return convertActivation(call, [&](Value x) { return hardsigmoid(call, x); });
}

// Pattern: aten.hardswish(x) -> x * relu6(x + 3) / 6
static LogicalResult convertHardswish(AtenCall &call) {
  return convertActivation(call, [&](Value x) {
    return call.binary<MulOp>(x, hardsigmoid(call, x));
  });
}

// Pattern: aten.softplus(x, beta, threshold) -> log(1 + exp(beta x)) / beta
static LogicalResult convertSoftplus(AtenCall &call) {
  double beta = call.getReal("beta"), threshold = call.getReal("threshold");
  return convertActivation(call, [&](Value x) {
    Value scaled = call.binary<MulOp>(x, beta);
    Value smooth = call.binary<DivOp>(softplus(call, scaled), beta);
    return call.select(call.binary<GtOp>(scaled, threshold), x, smooth);
  });
}

// Pattern: aten.mish(x) -> x * tanh(log(1 + exp(x)))
static LogicalResult convertMish(AtenCall &call) {
  return convertActivation(call, [&](Value x) {
    return call.binary<MulOp>(x, call.unary<TanhOp>(softplus(call, x)));
  });
}

// Pattern: aten.log_sigmoid(x) -> -log(1 + exp(-x))
static LogicalResult convertLogSigmoid(AtenCall &call) {
  return convertActivation(call, [&](Value x) {
    return call.unary<NegOp>(softplus(call, call.unary<NegOp>(x)));
  });
}

// Pattern: aten.threshold(x, threshold, value) -> x where above, else value
static LogicalResult convertThreshold(AtenCall &call) {
  double threshold = call.getReal("threshold");
  return convertElementwise(
      call, {"self", "value"}, Promotion::Common, [&](ValueRange v) {
        Value isBelow = call.binary<LeOp>(v[0], threshold);
        return call.select(isBelow, v[1], v[0]);
      });
}

// Pattern: aten.softshrink(x, lambd) -> x moved towards 0 by lambd
static LogicalResult convertSoftshrink(AtenCall &call) {
  double lambd = call.getReal("lambd");
  return convertActivation(call, [&](Value x) {
    Value above = call.select(call.binary<GtOp>(x, lambd),
                              call.binary<SubOp>(x, lambd), call.fill(0, x));
    Value shrunk = call.select(call.binary<LtOp>(x, -lambd),
                               call.binary<AddOp>(x, lambd), above);
    return call.select(call.unary<IsNanOp>(x), x, shrunk);
  });
}

// Pattern: aten.hardshrink(x, lambd) -> 0 where |x| <= lambd, else x
static LogicalResult convertHardshrink(AtenCall &call) {
  double lambd = call.getReal("lambd");
  return convertElementwise(
      call, {"self"}, Promotion::Common, [&](ValueRange v) {
        Value isSmall = call.binary<LeOp>(call.unary<AbsOp>(v[0]), lambd);
        return call.select(isSmall, call.fill(0.0, v[0]), v[0]);
      });
}

// Pattern: aten.glu(x, dim) -> first half * sigmoid(second half)
static LogicalResult convertGlu(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0)
    return call.hasFailed() ? failure() : call.refuse("a 0-d tensor");
  SizeExpr half = sizesOf(x)[dim].floorDiv(2);
  Value first = call.slice(x, dim, call.constant(0), half);
  Value second = call.slice(x, dim, half, half);
  return call.replace(call.binary<MulOp>(first, call.unary<SigmoidOp>(second)));
}

void addActivations(AtenTable &table) {
  table.add({"gelu.default"}, convertGelu);
  table.add({"gelu_backward.default"}, convertGeluBackward);
  table.add({"relu6.default"}, convertRelu6);
  table.add({"hardtanh.default"}, convertHardtanh);
  table.add({"leaky_relu.default"}, convertLeakyRelu);
  table.add({"rrelu.default"}, convertRrelu);
  table.add({"prelu.default", "_prelu_kernel.default"}, convertPrelu);
  table.add({"elu.default"}, convertElu);
  table.add({"celu.default"}, convertCelu);
  table.add({"selu.default"}, convertSelu);
  table.add({"hardsigmoid.default"}, convertHardsigmoid);
  table.add({"hardswish.default"}, convertHardswish);
  table.add({"softplus.default"}, convertSoftplus);
  table.add({"mish.default"}, convertMish);
  table.add({"log_sigmoid.default"}, convertLogSigmoid);
  table.add({"threshold.default"}, convertThreshold);
  table.add({"softshrink.default"}, convertSoftshrink);
  table.add({"hardshrink.default"}, convertHardshrink);
  table.add({"glu.default"}, convertGlu);
}

} // namespace tc::aten
