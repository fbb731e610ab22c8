//===- Power.cpp - Powers, roots and lengths ------------------------------===//

#include "Coefficients.h"
#include "Exponential.h"
#include "Logarithm.h"
#include "SpecialFunctions.h"
#include "Term.h"
#include <limits>

using namespace mlir;

namespace tc::vectormath {

static constexpr double infinity = std::numeric_limits<double>::infinity();

static TermPair product(TermPair x, TermPair y) {
  TermPair high = exactProduct(x.high, y.high);
  Term low = fma(x.high, y.low, fma(x.low, y.high, high.low));
  return exactSumOrdered(high.high, low);
}

/// log2(x) to about twice the precision; x is finite and positive.
static TermPair preciseLog2(Term x) {
  bool wide = x.isF64();
  Decomposed parts = decompose(x);
  Term f = parts.fraction;
  // s = f / (2 + f) as a sum.
  TermPair divisor = exactSumOrdered(x.literal(2.0), f);
  Term inverse = 1.0 / divisor.high;
  Term s = f * inverse;
  Term remainder = fma(-s, divisor.high, f);
  remainder = fma(-s, divisor.low, remainder);
  TermPair argument = {s, remainder * inverse};
  // log(1 + f) = 2 s + s z (2 / 3 + z w(z)) with z = s^2.
  TermPair z = product(argument, argument);
  ArrayRef<double> c =
      wide ? ArrayRef(powPolynomialF64) : ArrayRef(powPolynomialF32);
  double third[2] = {2.0 / 3.0, 3.700743415417188e-17};
  if (!wide) {
    third[0] = static_cast<float>(2.0 / 3.0);
    third[1] = 2.0 / 3.0 - third[0];
  }
  TermPair coefficient =
      exactSumOrdered(x.literal(third[0]), z.high * polynomial(z.high, c));
  coefficient.low = coefficient.low + third[1];
  TermPair cubic = product(product(argument, z), coefficient);
  TermPair sum = exactSumOrdered(s + s, cubic.high);
  sum.low = sum.low + (argument.low + argument.low + cubic.low);
  // To base 2, and the exponent.
  double log2e[2] = {1.4426950408889634, 2.0355273740931033e-17};
  if (!wide) {
    log2e[0] = 1.4426950216293335;
    log2e[1] = 1.925963033500011e-08;
  }
  TermPair logarithm = product(sum, {x.literal(log2e[0]), x.literal(log2e[1])});
  TermPair total = exactSumOrdered(parts.exponent, logarithm.high);
  return {total.high, total.low + logarithm.low};
}

/// |x|^y where neither is 0, infinite or NaN and |x| is not 1.
static Term powOfMagnitude(Term magnitude, Term y) {
  TermPair logarithm = preciseLog2(magnitude);
  Term high = y * logarithm.high;
  Term low = fma(y, logarithm.low, fma(y, logarithm.high, -high));
  double limit = y.isF64() ? 1200.0 : 200.0;
  Term inRange = abs(high) < limit;
  low = select(inRange, low, 0.0);
  high = atLeast(atMost(high, limit), -limit);
  RoundedInteger n = roundProduct(high, 1.0);
  return scale(exp2Scaled((high - n.value) + low, n));
}

Value emitPow(VectorMathBuilder &b, Location loc, Value xValue, Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  Term magnitude = abs(x);
  Term result = powOfMagnitude(magnitude, y);
  // 0 and infinity: one of both, by the sign of y.
  Term isZero = magnitude == 0.0;
  Term isEdge = isZero | (magnitude == infinity);
  Term edge = select(isZero ^ (y < 0.0), 0.0, x.literal(infinity));
  result = select(isEdge, edge, result);
  result = select(magnitude == 1.0, 1.0, result);
  // Negative bases: integer exponents only, the odd ones with the sign.
  Term isNegative = bits(x) < bits(x).integer(0);
  Term isInteger = truncate(y) == y;
  Term half = y * 0.5;
  Term isOdd = isInteger & (truncate(half) != half);
  result = select(isNegative & isOdd, -result, result);
  Term isUndefined = (x < 0.0) & !isInteger & (magnitude != infinity);
  Term anyNan = x.compare(arith::CmpFPredicate::UNO, y);
  result = select(isUndefined | anyNan,
                  std::numeric_limits<double>::quiet_NaN(), result);
  return select((y == 0.0) | (x == 1.0), 1.0, result);
}

Value emitRsqrt(VectorMathBuilder &b, Location loc, Value x) {
  Term term(b, loc, x);
  return hasSpecialFunctions(term) ? rsqrtApproximation(term)
                                   : 1.0 / sqrt(term);
}

Value emitReciprocal(VectorMathBuilder &b, Location loc, Value x) {
  return 1.0 / Term(b, loc, x);
}

Value emitHypot(VectorMathBuilder &b, Location loc, Value xValue,
                Value yValue) {
  Term x = abs(Term(b, loc, xValue)), y = abs(Term(b, loc, yValue));
  Term isInfinite = (x == infinity) | (y == infinity);
  if (!x.isF64()) {
    // No square of an f32 overflows in f64.
    Term wideX = convert(x, b.getF64Type()), wideY = convert(y, b.getF64Type());
    Term length = sqrt(fma(wideX, wideX, wideY * wideY));
    return select(isInfinite, infinity, convert(length, b.getF32Type()));
  }
  Term swap = x < y;
  Term larger = select(swap, y, x), smaller = select(swap, x, y);
  Term isBig = larger > 0x1p500, isLittle = larger < 0x1p-500;
  Term factor =
      select(isBig, 0x1p-600, select(isLittle, 0x1p600, x.literal(1.0)));
  Term back =
      select(isBig, 0x1p600, select(isLittle, 0x1p-600, x.literal(1.0)));
  larger = larger * factor;
  smaller = smaller * factor;
  Term length = sqrt(fma(larger, larger, smaller * smaller)) * back;
  return select(isInfinite, infinity, length);
}

} // namespace tc::vectormath
