//===- Exponential.cpp - Exponentials and hyperbolic functions ------------===//
//
// e^x = 2^n e^r with n = x / ln(2) rounded and |r| <= ln(2) / 2: a polynomial
// for e^r, and 2^n in two factors, so that denormal results are rounded once.
//
//===----------------------------------------------------------------------===//

#include "Exponential.h"
#include "Coefficients.h"
#include "Lanes.h"
#include "SpecialFunctions.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tc::vectormath {

static constexpr double log2e = 1.4426950408889634074;
// ln(2) as a sum, for f32 and f64.
static constexpr double ln2F32[] = {0.693147182464599609375,
                                    -1.904654299957768e-09};
static constexpr double ln2F64[] = {0.69314718055994530942,
                                    2.3190468138462996e-17};
static ArrayRef<double> ln2Parts(Term x) {
  return x.isF64() ? ArrayRef(ln2F64) : ArrayRef(ln2F32);
}

bool isRegister(Term x) {
  auto vector = dyn_cast<VectorType>(x.type());
  return vector && useAvx512(x) && vector.getDimSize(0) == 16;
}

Term compute(Term x, llvm::function_ref<Term(Term)> function) {
  return useAvx512(x) ? inRegisters(x, function) : function(x);
}

/// 1.5 times 2^23 or 2^52.
static double roundingShift(Term x) {
  return x.isF64() ? 6755399441055744.0 : 12582912.0;
}

RoundedInteger roundProduct(Term x, Term y) {
  Term shifted = fma(x, y, roundingShift(x));
  return {shifted - roundingShift(x), shifted};
}
RoundedInteger roundProduct(Term x, double y) {
  return roundProduct(x, x.literal(y));
}

/// 1 + x + x^2 q(x), and with x times `factor` for x.
static Term expSeries(Term x, double factor = 1.0) {
  ArrayRef<double> q =
      x.isF64() ? ArrayRef(expPolynomialF64) : ArrayRef(expPolynomialF32);
  SmallVector<double> coefficients = {1.0, factor};
  double power = factor;
  for (double coefficient : q)
    coefficients.push_back(coefficient * (power *= factor));
  return polynomial(x, coefficients);
}

Scaled expScaled(Term x) {
  RoundedInteger n = roundProduct(x, log2e);
  Term r = fma(n.value, -ln2Parts(x)[0], x);
  r = fma(n.value, -ln2Parts(x)[1], r);
  return {expSeries(r), n.value, n.shifted};
}

Scaled expOfSquare(Term t, double a) {
  TermPair square = exactProduct(t, t);
  RoundedInteger n = roundProduct(square.high, -a * log2e);
  // With r = -(a t^2 + n ln(2)), what is computed is -r / a.
  Term r = fma(n.value, ln2Parts(t)[0] / a, square.high);
  r = fma(n.value, ln2Parts(t)[1] / a, r) + square.low;
  return {expSeries(r, -a), n.value, n.shifted};
}

Scaled exp2Scaled(Term fraction, RoundedInteger n) {
  ArrayRef<double> q = fraction.isF64() ? ArrayRef(exp2PolynomialF64)
                                        : ArrayRef(exp2PolynomialF32);
  return {fma(polynomial(fraction, q), fraction, 1.0), n.value, n.shifted};
}

/// 2^n from the integer n in the low bits of `n`.
static Term powerOfTwo(Term n, int64_t offset) {
  int64_t mantissaBits = n.width() == 64 ? 52 : 23;
  int64_t bias = n.width() == 64 ? 1023 : 127;
  return fromBits(shiftLeft(n + n.integer(bias + offset), mantissaBits));
}

Term scale(Scaled x) {
  if (isRegister(x.mantissa))
    return scaleByPower(x.mantissa, x.exponent);
  Term n = bits(x.shifted);
  Term half = shiftRightSigned(n, 1);
  return x.mantissa * powerOfTwo(half, 0) * powerOfTwo(n - half, 0);
}

Term scaleToNormal(Scaled x) {
  return x.mantissa * powerOfTwo(bits(x.shifted), 0);
}

bool isShort(Term x) {
  return x.builder().options.roundsTo16Bits && !x.isF64();
}

Term exp2Short(Term x) {
  if (hasSpecialFunctions(x))
    return exp2Approximation(x);
  if (isRegister(x)) {
    Term fraction = fractionAboveFloor(x);
    Term mantissa =
        fma(polynomial(fraction, exp2ShortPolynomial), fraction, 1.0);
    return scaleByPower(mantissa, x);
  }
  // Down to an integer, so that the power of two below an overflow is finite;
  // those at the ends are 0 and infinity.
  Term inRange = atLeast(atMost(x, 128.5), -126.5);
  RoundedInteger n = roundProduct(inRange - 0.5, 1.0);
  Term fraction = inRange - n.value;
  Term mantissa = fma(polynomial(fraction, exp2ShortPolynomial), fraction, 1.0);
  return mantissa * powerOfTwo(bits(n.shifted), 0);
}

Term reciprocalShort(Term x) {
  if (hasSpecialFunctions(x))
    return reciprocalApproximation(x);
  return isRegister(x) ? reciprocalEstimate(x) : 1.0 / x;
}

Term reciprocalOfSum(Term x) {
  if (hasSpecialFunctions(x))
    return reciprocalApproximation(x);
  return isRegister(x) ? reciprocalOfNormal(x) : 1.0 / x;
}

Term expm1InRange(Term x) {
  RoundedInteger n = roundProduct(x, log2e);
  Term r = fma(n.value, -ln2Parts(x)[0], x);
  r = fma(n.value, -ln2Parts(x)[1], r);
  ArrayRef<double> q =
      x.isF64() ? ArrayRef(expm1PolynomialF64) : ArrayRef(expm1PolynomialF32);
  Term series = fma(r * r, polynomial(r, q), r);
  // Half of the result, which does not overflow before the result does.
  Term power = powerOfTwo(bits(n.shifted), -1);
  Term half = fma(power, series, power - 0.5);
  return half + half;
}

/// Beyond these e^x is 0 or infinite.
static double lowestExponent(Term x) { return x.isF64() ? -746.0 : -104.0; }
static double highestExponent(Term x) { return x.isF64() ? 710.0 : 89.0; }

Value emitExp(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    if (isShort(x))
      return exp2Short(x * log2e);
    if (hasSpecialFunctions(x))
      return expApproximation(x);
    Term below = atMost(x, highestExponent(x));
    // Scaling to less than a denormal number takes a hundred times as long as
    // other results do, and minus infinity is what masks give.
    if (isRegister(x))
      return select(x < lowestExponent(x), 0.0, scale(expScaled(below)));
    return scale(expScaled(atLeast(below, lowestExponent(x))));
  });
}

Value emitExpOfNonPositive(VectorMathBuilder &b, Location loc, Value x) {
  Term term(b, loc, x);
  return hasSpecialFunctions(term) ? Value(exp2Approximation(term * log2e))
                                   : emitExp(b, loc, x);
}

Value emitExp2(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    if (isShort(x))
      return exp2Short(x);
    double limit = x.isF64() ? 1080.0 : 155.0;
    Term inRange = atLeast(atMost(x, limit), -limit);
    RoundedInteger n = roundProduct(inRange, 1.0);
    return scale(exp2Scaled(inRange - n.value, n));
  });
}

Value emitExpm1(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    Term inRange = atLeast(atMost(x, highestExponent(x)), -40.0);
    return copySign(expm1InRange(inRange), x);
  });
}

Value emitSigmoid(VectorMathBuilder &b, Location loc, Value x) {
  // e^-|x| / (1 + e^-|x|) or 1 / (1 + e^-|x|).
  return compute(Term(b, loc, x), [](Term x) {
    if (isShort(x))
      return reciprocalShort(exp2Short(x * -log2e) + 1.0);
    if (hasSpecialFunctions(x))
      return 1.0 / (expApproximation(-x) + 1.0);
    Term power = scale(expScaled(atLeast(-abs(x), lowestExponent(x))));
    Term numerator = select(x < 0.0, power, 1.0);
    return isRegister(x) ? numerator * reciprocalOfSum(power + 1.0)
                         : numerator / (power + 1.0);
  });
}

Value emitSilu(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    if (isShort(x))
      return x * reciprocalShort(exp2Short(x * -log2e) + 1.0);
    if (hasSpecialFunctions(x))
      return x * (1.0 / (expApproximation(-x) + 1.0));
    // Low enough for x e^x to be 0; the product is scaled, not the power, since
    // the power is denormal where the product is not.
    double lowest = lowestExponent(x) - 7.0;
    Scaled power = expScaled(atLeast(-abs(x), lowest));
    Term product = scale(power.mantissa * atLeast(x, lowest), power);
    Term numerator = select(x < 0.0, product, x);
    Term denominator = scale(power) + 1.0;
    return undefinedAtLowEnd(x, isRegister(x)
                                    ? numerator * reciprocalOfSum(denominator)
                                    : numerator / denominator);
  });
}

Value emitTanh(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    if (hasSpecialFunctions(x))
      return tanhApproximation(x);
    if (isRegister(x)) {
      Term t = atMost(abs(x), 9.2);
      Term magnitude = isShort(x) ? piecewise(t, 19.0 / 64.0, tanhShortTable)
                                  : piecewise(t, 19.0 / 64.0, tanhTable);
      return copySign(magnitude, x);
    }
    if (!x.isF64()) {
      // 10 has the tanh of all beyond, 1.
      Term power = scaleToNormal(expScaled(atMost(abs(x), 10.0) * 2.0));
      return tanhOrBelow(x, 1.0 - 2.0 / (power + 1.0));
    }
    // With p = e^(-2|x|) - 1, tanh(|x|) = -p / (p + 2).
    Term p = expm1InRange(atMost(abs(x), 20.0) * -2.0);
    return copySign(p / (p + 2.0), x);
  });
}

Value emitGeluTanh(VectorMathBuilder &b, Location loc, Value x) {
  // With w = 2 sqrt(2 / pi) (|x| + 0.044715 |x|^3): max(x, 0) - |x| p / (1 + p)
  // for p = e^-w. The exponent is kept to about twice the precision, as its
  // error times |w| is the error of p.
  return compute(Term(b, loc, x), [](Term x) {
    if (isShort(x) && hasSpecialFunctions(x))
      return geluTanhApproximation(x);
    bool wide = x.isF64();
    ArrayRef<double> linear =
        wide ? ArrayRef(geluTanhLinearF64) : ArrayRef(geluTanhLinearF32);
    ArrayRef<double> cubic =
        wide ? ArrayRef(geluTanhCubicF64) : ArrayRef(geluTanhCubicF32);
    if (isShort(x)) {
      Term exponent = x * fma(x * x, cubic[0], linear[0] + linear[1]);
      return x * reciprocalShort(exp2Short(exponent) + 1.0);
    }
    Term t = atMost(abs(x), wide ? 22.0 : 10.9);
    TermPair square = exactProduct(t, t);
    Term factor = fma(square.high, cubic[0], linear[0]);
    Term error = fma(square.high, cubic[0], linear[0] - factor) +
                 fma(square.high, cubic[1], linear[1]);
    error = fma(square.low, cubic[0], error);
    RoundedInteger n = roundProduct(t, factor);
    Term fraction = fma(t, error, fma(t, factor, -n.value));
    Scaled power = exp2Scaled(fraction, n);
    Term inverse = reciprocalOfSum(scale(power) + 1.0);
    return undefinedAtLowEnd(x, atLeast(x, -0.0) -
                                    scale(power.mantissa * t * inverse, power));
  });
}

/// e^|x| / 2, and what it is 1 / 4 over.
static TermPair halfPowers(Term x) {
  Scaled power = expScaled(atMost(abs(x), highestExponent(x) + 1.0));
  Term half = scale(power.mantissa * 0.5, power);
  return {half, 0.25 / half};
}

Value emitCosh(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    TermPair powers = halfPowers(x);
    return powers.high + powers.low;
  });
}

Value emitSinh(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    TermPair powers = halfPowers(x);
    Term square = x * x;
    ArrayRef<double> q =
        x.isF64() ? ArrayRef(sinhPolynomialF64) : ArrayRef(sinhPolynomialF32);
    Term small = fma(square * polynomial(square, q), x, x);
    return select(abs(x) < 1.0, small, copySign(powers.high - powers.low, x));
  });
}

} // namespace tc::vectormath
