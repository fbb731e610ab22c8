//===- Logarithm.cpp - Logarithms and inverse hyperbolic functions --------===//
//
// log(x) = e ln(2) + log(1 + f) with x = 2^e (1 + f), 1 + f around 1.
//
//===----------------------------------------------------------------------===//

#include "Logarithm.h"
#include "Coefficients.h"
#include "Exponential.h"
#include "Lanes.h"
#include "SpecialFunctions.h"
#include <limits>

using namespace mlir;

namespace tc::vectormath {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// ln(2) as a sum; multiples of an exponent by the first part are exact.
static constexpr double ln2F32[] = {0.693145751953125, 1.428606765330187e-06};
static constexpr double ln2F64[] = {0.6931471805598903, 5.497923018708371e-14};
static ArrayRef<double> ln2Parts(Term x) {
  return x.isF64() ? ArrayRef(ln2F64) : ArrayRef(ln2F32);
}

static int64_t mantissaBits(Term x) { return x.width() == 64 ? 52 : 23; }

/// The exponent e, as an integer of x's width, and (1 + f).
static std::pair<Term, Term> splitNormal(Term x) {
  int64_t rootHalf = x.isF64() ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  Term pattern = bits(x);
  Term offset = pattern - pattern.integer(rootHalf);
  Term exponent = shiftRightSigned(offset, mantissaBits(x));
  Term mantissa = fromBits(pattern - shiftLeft(exponent, mantissaBits(x)));
  return {exponent, mantissa};
}

/// An exponent as a float. By way of i32, whose conversion every target has.
static Term exponentToFloat(Term exponent) {
  OpBuilder &b = exponent.builder();
  if (exponent.width() == 32)
    return toFloat(exponent, b.getF32Type());
  return toFloat(truncateBits(exponent, b.getI32Type()), b.getF64Type());
}

Decomposed decompose(Term x) {
  // Denormal numbers are brought up by 2^24 or 2^54.
  double smallest = x.isF64() ? 0x1p-1022 : 0x1p-126;
  double factor = x.isF64() ? 0x1p54 : 0x1p24;
  Term isDenormal = x < smallest;
  auto [exponent, mantissa] = splitNormal(select(isDenormal, x * factor, x));
  Term raised = exponent.integer(x.isF64() ? 54 : 24);
  exponent = exponent - select(isDenormal, raised, exponent.integer(0));
  return {mantissa - 1.0, exponentToFloat(exponent)};
}

Term logOfFraction(Term f) {
  if (!f.isF64())
    return fma(f * f, polynomial(f, log1pPolynomialF32), f);
  // With s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - s (f - R(s^2)).
  Term s = f / (f + 2.0);
  Term z = s * s;
  Term series = z * polynomial(z, atanhPolynomialF64);
  Term half = f * f * 0.5;
  return f - (half - s * (half + series));
}

/// exponent ln(2) + small + what follows it.
static Term addExponent(Term exponent, Term logarithm) {
  ArrayRef<double> ln2 = ln2Parts(logarithm);
  return fma(exponent, ln2[0], fma(exponent, ln2[1], logarithm));
}

/// The logarithm's values where x is not finite and positive.
static Term withEdges(Term x, Term logarithm) {
  Term result = select(x < infinity, logarithm, x);
  result = select(x == 0.0, -infinity, result);
  return select(x < 0.0, nan, result);
}

/// With instructions that extract mantissa and exponent, of denormal numbers
/// too; their results make the sum right where x is not finite and positive.
static Term logInRegister(Term x) {
  Term mantissa = mantissaAroundOne(x);
  // The interval begins below 1: there the mantissa has an exponent of its own.
  Term exponent = exponentOf(x) - exponentOf(mantissa);
  Term f = mantissa - 1.0;
  return addExponent(exponent,
                     fma(f * f, polynomial(f, logMantissaPolynomialF32), f));
}

Term log(Term x) {
  if (isShort(x) && hasSpecialFunctions(x))
    return logApproximation(x);
  if (isRegister(x))
    return logInRegister(x);
  Decomposed parts = decompose(x);
  return withEdges(x,
                   addExponent(parts.exponent, logOfFraction(parts.fraction)));
}

Term log1p(Term x) {
  Term one = x.literal(1.0);
  TermPair sum = exactSum(one, x);
  auto [exponent, mantissa] = splitNormal(sum.high);
  // The rounding error of 1 + x, at the mantissa's scale; for small sums only.
  Term limited =
      select(exponent < exponent.integer(64), exponent, exponent.integer(64));
  int64_t oneBits = x.isF64() ? 0x3ff0000000000000 : 0x3f800000;
  Term power =
      fromBits(exponent.integer(oneBits) - shiftLeft(limited, mantissaBits(x)));
  Term fraction = fma(sum.low, power, mantissa - 1.0);
  Term result = addExponent(exponentToFloat(exponent), logOfFraction(fraction));
  result = select(x < infinity, result, x);
  result = select(x == -1.0, -infinity, result);
  result = select(x < -1.0, nan, result);
  return select(x == 0.0, x, result);
}

Value emitLog(VectorMathBuilder &b, Location loc, Value x) {
  return compute(Term(b, loc, x), log);
}
Value emitLogOfTerm(VectorMathBuilder &b, Location loc, Value x) {
  Term term(b, loc, x);
  return hasSpecialFunctions(term) ? Value(logApproximation(term))
                                   : emitLog(b, loc, x);
}
Value emitLog1p(VectorMathBuilder &b, Location loc, Value x) {
  return log1p(Term(b, loc, x));
}

/// scale[0] + scale[1] times the logarithm of the fraction, and `unit` for each
/// power of two.
static Term scaledLog(Term x, ArrayRef<double> scale, ArrayRef<double> unit) {
  Decomposed parts = decompose(x);
  Term logarithm = logOfFraction(parts.fraction);
  Term small = logarithm * scale[1];
  if (unit[1] != 0.0)
    small = fma(parts.exponent, unit[1], small);
  Term sum = fma(logarithm, scale[0], small);
  return withEdges(x, fma(parts.exponent, unit[0], sum));
}

Value emitLog2(VectorMathBuilder &b, Location loc, Value x) {
  Term term(b, loc, x);
  static constexpr double unit[] = {1.0, 0.0};
  static constexpr double f32[] = {1.4426950216293335, 1.925963033500011e-08};
  static constexpr double f64[] = {1.4426950408889634, 2.0355273740931033e-17};
  return scaledLog(term, term.isF64() ? f64 : f32, unit);
}

Value emitLog10(VectorMathBuilder &b, Location loc, Value x) {
  Term term(b, loc, x);
  static constexpr double f32[] = {0.4342944920063019, -1.0103049952192578e-08};
  static constexpr double f64[] = {0.4342944819032518, 1.098319650216765e-17};
  static constexpr double unitF32[] = {0.30103302001953125,
                                       -3.024355464731343e-06};
  static constexpr double unitF64[] = {0.30102999566395283,
                                       2.8363394551044964e-14};
  return scaledLog(term, term.isF64() ? f64 : f32,
                   term.isF64() ? unitF64 : unitF32);
}

Value emitAcosh(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  // log1p(t + sqrt(2 t + t^2)) with t = x - 1, and log(x) + ln(2) where the
  // square would overflow; adding 1 makes no difference to x there.
  double large = x.isF64() ? 0x1p500 : 0x1p60;
  Term isLarge = x >= large;
  Term t = x - 1.0;
  Term argument = t + sqrt(fma(t, t, t + t));
  Term result = log1p(select(isLarge, x, argument));
  result = select(isLarge, result + 0.69314718055994530942, result);
  return select(x < 1.0, nan, result);
}

Value emitAsinh(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  // log1p(t + t^2 / (1 + sqrt(1 + t^2))) with t = |x|.
  double large = x.isF64() ? 0x1p500 : 0x1p60;
  Term t = abs(x);
  Term isLarge = t >= large;
  Term square = t * t;
  Term argument = t + square / (sqrt(square + 1.0) + 1.0);
  Term result = log1p(select(isLarge, t, argument));
  return copySign(select(isLarge, result + 0.69314718055994530942, result), x);
}

Value emitAtanh(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  // log1p(2 t / (1 - t)) / 2 with t = |x|.
  Term t = abs(x);
  Term argument = (t + t) / (1.0 - t);
  return copySign(log1p(argument) * 0.5, x);
}

} // namespace tc::vectormath
