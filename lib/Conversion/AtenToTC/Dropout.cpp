//===- Dropout.cpp - dropout of elements and of channels ------------------===//
//
// Which elements are kept is drawn as all random numbers are
// (RandomNumbers.cpp).
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// Truths of `sizes`, true with probability `kept`.
static Value drawKept(AtenCall &call, ArrayRef<SizeExpr> sizes, double kept) {
  Value uniform =
      call.random(DistributionKind::Uniform, sizes, call.builder.getF32Type());
  return call.binary<LtOp>(uniform, kept);
}

/// x * noise, or of SELU's dropout x * noise * a + (noise - 1) * alpha * a +
/// alpha * a * p, where noise is 1 of what is kept and 0 of the rest.
static Value apply(AtenCall &call, Value x, Value kept, double p,
                   bool isAlpha) {
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  Type element = elementOf(x);
  Value wide = call.widen(x);
  Value noise = call.broadcast(call.cast(kept, elementOf(wide)), sizesOf(x));
  if (!isAlpha)
    return call.cast(call.binary<MulOp>(wide, call.binary<MulOp>(noise, scale)),
                     element);
  constexpr double kAlpha = 1.7580993408473766;
  const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  Value shift = call.binary<AddOp>(
      call.binary<MulOp>(call.binary<AddOp>(noise, -1.0), kAlpha * a),
      kAlpha * a * p);
  Value scaled = call.binary<MulOp>(wide, call.binary<MulOp>(noise, a));
  return call.cast(call.binary<AddOp>(scaled, shift), element);
}

// Pattern: aten.dropout(x, p, True) -> x * (tc.random uniform < 1 - p) / (1 -
// p); aten.dropout(x, p, False) -> x
template <bool ofFeatures, bool isAlpha>
static LogicalResult convertDropout(AtenCall &call) {
  Value x = call.getTensor("input");
  // Alone the operator that also gives its mask trains where it is not said.
  const bool trains =
      call.isNone("train") ? call.getResultCount() > 1 : call.getBool("train");
  const double p = call.getReal("p");
  if (call.hasFailed())
    return failure();
  if (!(p >= 0 && p <= 1))
    return call.refuse("a probability of " + Twine(std::to_string(p)) +
                       "; expected one from 0 to 1");
  const bool drops = trains && p != 0;
  if (drops && !isa<FloatType>(elementOf(x)))
    return call.refuse("an input of this type");
  if (drops && ofFeatures && rankOf(x) < 2)
    return call.refuse("an input of rank " + Twine(rankOf(x)) +
                       " where 2 is the least");
  Value kept, result = x;
  if (drops) {
    Sizes sizes = sizesOf(x);
    if (ofFeatures)
      for (SizeExpr &size : MutableArrayRef<SizeExpr>(sizes).drop_front(2))
        size = call.constant(1);
    kept = drawKept(call, sizes, 1 - p);
    // Nothing is kept of p = 1, whatever is done with the rest.
    result = apply(call, x, kept, p, isAlpha && p != 1);
  } else if (call.getResultCount() > 1 && call.isResultUsed(1)) {
    kept = call.fill(call.builder.getBoolAttr(true), call.getResultType(1));
  }
  if (call.getResultCount() == 1)
    return call.replace(result);
  return call.replace({result, kept});
}

// Pattern: aten.native_dropout_backward(grad, mask, scale) -> grad * mask *
// scale
static LogicalResult convertDropoutBackward(AtenCall &call) {
  Value grad = call.getTensor("grad_output"), mask = call.getTensor("mask");
  const double scale = call.getReal("scale");
  if (call.hasFailed())
    return failure();
  Value wide = call.widen(grad);
  Value factor = call.binary<MulOp>(call.cast(mask, elementOf(wide)), scale);
  return call.replace(
      call.cast(call.binary<MulOp>(wide, factor), elementOf(grad)));
}

void addDropout(AtenTable &table) {
  table.add({"dropout.default", "native_dropout.default"},
            convertDropout<false, false>);
  table.add({"feature_dropout.default"}, convertDropout<true, false>);
  table.add({"alpha_dropout.default"}, convertDropout<false, true>);
  table.add({"feature_alpha_dropout.default"}, convertDropout<true, true>);
  table.add({"native_dropout_backward.default"}, convertDropoutBackward);
}

} // namespace tc::aten
