//===- SpecialFunctions.cpp - functions that are no elementwise row -------===//

#include "AtenTable.h"
#include "Elementwise.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// digamma of x >= 10 by its asymptotic series, ln x - 1 / 2x - the sum of
/// B(2k) / (2k x^2k): Abramowitz and Stegun, 6.3.18.
static Value getLargeDigamma(AtenCall &call, Value x) {
  static constexpr double coefficients[] = {
      1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
      1.0 / 132, -691.0 / 32760, 1.0 / 12};
  Value inverse = call.unary<ReciprocalOp>(x);
  Value square = call.binary<MulOp>(inverse, inverse);
  Value sum = call.fill(coefficients[6], x);
  for (int k = 5; k >= 0; --k)
    sum = call.binary<AddOp>(call.binary<MulOp>(sum, square), coefficients[k]);
  sum = call.binary<MulOp>(sum, square);
  Value half = call.binary<MulOp>(inverse, 0.5);
  return call.binary<SubOp>(call.binary<SubOp>(call.unary<LogOp>(x), half),
                            sum);
}

/// digamma in f64: steps of digamma(x) = digamma(x + 1) - 1 / x up to the
/// series, reflected about 1/2 for negative x.
static Value getDigamma(AtenCall &call, Value x) {
  constexpr double pi = 3.14159265358979323846;
  Value zero = call.fill(0.0, x), one = call.fill(1.0, x);
  Value isNegative = call.binary<LtOp>(x, 0.0);
  // digamma(1 - x) = digamma(x) + pi / tan(pi x)
  Value fraction = call.binary<SubOp>(x, call.unary<TruncOp>(x));
  Value tangent = call.unary<TanOp>(call.binary<MulOp>(fraction, pi));
  Value reflection = call.binary<DivOp>(call.fill(-pi, x), tangent);
  Value at = call.select(isNegative, call.binary<SubOp>(one, x), x);
  Value steps = zero;
  for (int step = 0; step < 10; ++step) {
    Value isSmall = call.binary<LtOp>(at, 10.0);
    Value part = call.unary<ReciprocalOp>(call.select(isSmall, at, one));
    steps = call.binary<SubOp>(steps, call.select(isSmall, part, zero));
    at = call.select(isSmall, call.binary<AddOp>(at, one), at);
  }
  Value result = call.binary<AddOp>(getLargeDigamma(call, at), steps);
  result =
      call.select(isNegative, call.binary<AddOp>(result, reflection), result);
  // Poles: NaN at negative integers, infinity of the other sign at 0.
  Value isPole =
      call.binary<BitwiseAndOp>(isNegative, call.binary<EqOp>(fraction, 0.0));
  result = call.select(isPole, call.fill(std::nan(""), x), result);
  Value atZero = call.unary<NegOp>(call.unary<ReciprocalOp>(x));
  result = call.select(call.binary<EqOp>(x, 0.0), atZero, result);
  Value isInfinite = call.binary<EqOp>(
      x, call.fill(std::numeric_limits<double>::infinity(), x));
  return call.select(isInfinite, x, result);
}

// Pattern: aten.digamma(x) -> recurrence and asymptotic series
static LogicalResult convertDigamma(AtenCall &call) {
  return convertElementwise(
      call, {"self"}, Promotion::Formula, [&](ValueRange v) {
        Value wide = call.cast(v[0], call.builder.getF64Type());
        return call.cast(getDigamma(call, wide), elementOf(v[0]));
      });
}

void addSpecialFunctions(AtenTable &table) {
  table.add(
      {"digamma.default", "special_digamma.default", "special_psi.default"},
      convertDigamma);
}

} // namespace tc::aten
