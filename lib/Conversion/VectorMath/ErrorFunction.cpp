//===- ErrorFunction.cpp - The error function and its relatives -----------===//
//
// erfc(t) = e^(-t^2) erfcx(t): the exponential with t^2 in twice the precision,
// the smooth factor erfcx by polynomials. So tails keep their relative
// precision, down to denormal results.
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Exponential.h"
#include "Lanes.h"
#include "Logarithm.h"
#include "SpecialFunctions.h"
#include <limits>

using namespace mlir;

namespace tc::vectormath {

static constexpr double sqrt2 = 1.4142135623730950488;

/// erfcx(t / unit) times `factor`, for t / unit up to 10.3 or 27.5.
static Term scaledErfcx(Term t, double unit, double factor) {
  ArrayRef<double> c = t.isF64()    ? ArrayRef(erfcxPolynomialF64)
                       : isShort(t) ? ArrayRef(erfcxShortPolynomial)
                                    : ArrayRef(erfcxPolynomialF32);
  SmallVector<double> coefficients;
  for (double coefficient : c)
    coefficients.push_back(coefficient * unit * factor);
  Term inverse = reciprocalOfSum(t + 2.0 * unit);
  Term u = (t - 2.0 * unit) * inverse;
  return polynomial(u, coefficients) * inverse;
}

/// erfc(t) for t between 0 and where it is 0.
static Scaled erfcScaled(Term t) {
  Scaled power = expOfSquare(t, 1.0);
  Term factor = isRegister(t) ? piecewise(t, 11.0 / 32.0, erfcxTable)
                              : scaledErfcx(t, 1.0, 1.0);
  return {power.mantissa * factor, power.exponent, power.shifted};
}

static double erfcLimit(Term x) { return x.isF64() ? 27.5 : 10.2; }

/// erf(t) for t >= 1 and up to where it is 1.
static Term erfOfLarge(Term t) {
  if (t.isF64())
    return 1.0 - scale(erfcScaled(atMost(t, erfcLimit(t))));
  Term exponent = polynomial(atMost(t, 4.0), erfTailPolynomial);
  if (hasSpecialFunctions(t))
    return 1.0 - exp2Approximation(exponent);
  RoundedInteger n = roundProduct(exponent, 1.0);
  return 1.0 - scaleToNormal(exp2Scaled(exponent - n.value, n));
}

Value emitErf(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    Term t = abs(x);
    if (isRegister(x)) {
      Term limited = atMost(t, 4.0);
      Term magnitude = isShort(x)
                           ? piecewise(limited, 17.0 / 128.0, erfShortTable)
                           : piecewise(limited, 17.0 / 128.0, erfTable);
      return copySign(magnitude, x);
    }
    Term square = x * x;
    SmallVector<double> c(x.isF64() ? ArrayRef(erfPolynomialF64)
                                    : ArrayRef(erfPolynomialF32));
    // x times the polynomial less 1, for one rounding of the larger part.
    c[0] -= 1.0;
    Term small = fma(x, polynomial(square, c), x);
    Term large = erfOfLarge(t);
    return select(t < 1.0, small, copySign(large, x));
  });
}

Value emitErfc(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), [](Term x) {
    Term tail = scale(erfcScaled(atMost(abs(x), erfcLimit(x))));
    return select(x < 0.0, 2.0 - tail, tail);
  });
}

/// emitGelu with a relative error of about 2^-14; in AVX-512 registers, what is
/// below 2^-29 is 0.
static Term geluShort(Term x) {
  Term positive = atLeast(x, -0.0);
  Term t = abs(x);
  if (isRegister(x))
    return positive -
           piecewise(atMost(t, 6.296875), 13.0 / 64.0, geluTailShortTable);
  t = atMost(t, 14.5);
  Term power = exp2Short(t * t * -0.72134752044448170368);
  return positive - power * (t * scaledErfcx(t, sqrt2, 0.5));
}

Value emitGelu(VectorMathBuilder &b, Location loc, Value x) {
  // max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2.
  return compute(Term(b, loc, x), [](Term x) {
    if (isShort(x))
      return hasSpecialFunctions(x) ? x * normalApproximation(x)
                                    : undefinedAtLowEnd(x, geluShort(x));
    Term t = atMost(abs(x), x.isF64() ? 38.8 : 14.5);
    if (hasSpecialFunctions(x)) {
      Term tail = t * scaledErfcx(t, sqrt2, 0.5);
      return undefinedAtLowEnd(x, atLeast(x, -0.0) -
                                      expOfHalfSquareApproximation(t) * tail);
    }
    Scaled power = expOfSquare(t, 0.5);
    Term factor = isRegister(t) ? piecewise(t, 15.0 / 32.0, normalTailTable)
                                : scaledErfcx(t, sqrt2, 0.5);
    return undefinedAtLowEnd(
        x, atLeast(x, -0.0) - scale(power.mantissa * (t * factor), power));
  });
}

/// The normal distribution and x times its density, which have the exponential
/// of -x^2 / 2 in common.
static Term geluDerivative(Term x) {
  constexpr double kDensity = 0.39894228040143267794; // at 0
  constexpr double kHalfLog2E = 0.72134752044448170368;
  bool isBrief = isShort(x) && !isRegister(x);
  if (isBrief && hasSpecialFunctions(x)) {
    Term power = exp2Approximation(x * x * -kHalfLog2E);
    return fma(x * kDensity, power, normalApproximation(x));
  }
  Term t = atMost(abs(x), x.isF64() ? 38.8 : 14.9);
  Term factor = isRegister(t) ? piecewise(t, 15.0 / 32.0, normalTailTable)
                              : scaledErfcx(t, sqrt2, 0.5);
  factor = fma(t, -kDensity, factor);
  Term tail = x;
  if (isBrief) {
    tail = exp2Short(t * t * -kHalfLog2E) * factor;
  } else if (hasSpecialFunctions(x)) {
    tail = expOfHalfSquareApproximation(t) * factor;
  } else {
    Scaled power = expOfSquare(t, 0.5);
    tail = scale(power.mantissa * factor, power);
  }
  // NaN where x is infinite, as the product with the density is.
  return fma(x, 0.0, select(x < 0.0, tail, 1.0 - tail));
}

Value emitGeluGrad(VectorMathBuilder &b, Location loc, Value gradient,
                   Value x) {
  Value derivative = compute(Term(b, loc, x), geluDerivative);
  return Term(b, loc, gradient) * Term(b, loc, derivative);
}

Value emitErfinv(VectorMathBuilder &b, Location loc, Value value) {
  // In f64, so that results of f32 round once: the function is steep close
  // to 1.
  Term narrow(b, loc, value);
  Term x = convert(narrow, b.getF64Type());
  // By w = -log(1 - x^2), which spreads out what is close to 1.
  Term t = abs(x);
  Term w = -log((1.0 - t) * (t + 1.0));
  Term root = sqrt(w);
  bool wide = narrow.isF64();
  ArrayRef<double> centre =
      wide ? ArrayRef(erfinvCentreF64) : ArrayRef(erfinvCentreNarrow);
  ArrayRef<double> tail =
      wide ? ArrayRef(erfinvTailF64) : ArrayRef(erfinvTailNarrow);
  Term factor = select(w < 5.0, polynomial(w - 2.5, centre),
                       polynomial(root - 3.0, tail));
  // Numbers of f32 are not as close to 1.
  if (wide)
    factor = select(w < 17.5, factor, polynomial(root - 5.0, erfinvFarTailF64));
  Term result = x * factor;
  Term infinite =
      copySign(x.literal(std::numeric_limits<double>::infinity()), x);
  return convert(select(t == 1.0, infinite, result), narrow.elementType());
}

} // namespace tc::vectormath
