//===- FloatArithmetic.cpp - Signs, predicates and remainders of floats ---===//

#include "SpecialFunctions.h"
#include <limits>

using namespace mlir;

namespace tc::vectormath {

static constexpr double infinity = std::numeric_limits<double>::infinity();

Value emitSignFloat(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  Term positive = select(x > 0.0, 1.0, x.literal(0.0));
  return select(x < 0.0, -1.0, positive);
}

/// Whether instructions that approximate `x` are as good as exact ones, once
/// the result has been rounded.
static bool mayApproximate(Term x) {
  return x.builder().options.roundsTo16Bits && hasSpecialFunctions(x);
}

Value emitSqrt(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  return mayApproximate(x) ? sqrtApproximation(x) : sqrt(x);
}

/// x / y of numbers that f16 has, or that are infinite or 0 there: y is no
/// number of f32 whose reciprocal is denormal. A quotient that f32 has exactly
/// is exact, so that rounding it to an integer gives what is expected.
static Term quotientOfHalves(Term x, Term y) {
  Term inverse = reciprocalApproximation(y), quotient = x * inverse;
  Term error = fma(-quotient, y, x);
  // An infinite quotient, and one by infinity, has an error that is no number.
  return select(abs(error) < infinity, fma(error, inverse, quotient), quotient);
}

Value emitDivFloat(VectorMathBuilder &b, Location loc, Value first,
                   Value second) {
  Term x(b, loc, first), y(b, loc, second);
  if (!mayApproximate(x))
    return x / y;
  return x.builder().options.roundsToBF16 ? quotientApproximation(x, y)
                                          : quotientOfHalves(x, y);
}

Value emitRelu(VectorMathBuilder &b, Location loc, Value x) {
  return atLeast(Term(b, loc, x), 0.0);
}

// With compares: LLVM narrows maxnum of widened f16 to a call of fmaxf16, which
// no library has. Equal numbers have equal bits but for zeros, of which +0 is
// above -0.
Value emitFmax(VectorMathBuilder &b, Location loc, Value first, Value second) {
  Term x(b, loc, first), y(b, loc, second);
  Term larger = select(y < x, x, y);
  larger = select(x == y, fromBits(bits(x) & bits(y)), larger);
  return select(isNan(y), x, larger);
}

Value emitFmin(VectorMathBuilder &b, Location loc, Value first, Value second) {
  Term x(b, loc, first), y(b, loc, second);
  Term smaller = select(x < y, x, y);
  smaller = select(x == y, fromBits(bits(x) | bits(y)), smaller);
  return select(isNan(y), x, smaller);
}

Value emitIsInf(VectorMathBuilder &b, Location loc, Value x) {
  return abs(Term(b, loc, x)) == infinity;
}

Value emitIsFinite(VectorMathBuilder &b, Location loc, Value x) {
  return abs(Term(b, loc, x)) < infinity;
}

Value emitSignbit(VectorMathBuilder &b, Location loc, Value x) {
  Term pattern = bits(Term(b, loc, x));
  return pattern < pattern.integer(0);
}

/// The exact remainder of |x| by |y|, finite and y not 0, for f32: in f64, 28
/// bits of the quotient a step. Remainders between steps have either sign.
static Term remainderF32(Term x, Term y) {
  OpBuilder &b = x.builder();
  Term rest = convert(x, b.getF64Type()), divisor = convert(y, b.getF64Type());
  Term inverse = 1.0 / divisor;
  for (int shift = 280; shift >= 0; shift -= 28) {
    Term quotient = roundEven(rest * (inverse * std::ldexp(1.0, -shift)));
    rest = fma(-quotient, divisor * std::ldexp(1.0, shift), rest);
  }
  rest = select(rest < 0.0, rest + divisor, rest);
  rest = select(rest >= divisor, rest - divisor, rest);
  return convert(rest, b.getF32Type());
}

namespace {
/// A positive f64 as an integer of 53 bits times a power of two.
struct Binary {
  Term integer;  ///< an f64 in [2^52, 2^53)
  Term exponent; ///< an i64
};
} // namespace

static Binary takeApart(Term x) {
  Term isSmall = x < 0x1p-1022;
  Term pattern = bits(select(isSmall, x * 0x1p54, x));
  Term zero = pattern.integer(0);
  Term exponent = shiftRightUnsigned(pattern, 52) - pattern.integer(1075) -
                  select(isSmall, pattern.integer(54), zero);
  Term fraction = pattern & pattern.integer((int64_t(1) << 52) - 1);
  return {fromBits(fraction | pattern.integer(int64_t(1075) << 52)), exponent};
}

static Term powerOfTwo(Term exponent) {
  return fromBits(shiftLeft(exponent + exponent.integer(1023), 52));
}

/// x in [-m, m] as the number nearest to 0 that differs by a multiple of m.
static Term centre(Term x, Term m) {
  Term half = m * 0.5;
  x = select(half < x, x - m, x);
  return select(x < -half, x + m, x);
}

/// x times y modulo m, of integers in [-m / 2, m / 2]. The product is at most
/// m^2 / 4, so that the quotient is off by 5/8 at most, and the low part of the
/// product is below m / 4: no sum is rounded.
static Term multiplyModulo(Term x, Term y, Term m) {
  Term high = x * y, low = fma(x, y, -high);
  Term quotient = roundEven(high / m);
  return centre(fma(-quotient, m, high) + low, m);
}

/// The same for f64, of x not below y: of integers, x's times 2^E modulo y's,
/// with E the exponents' difference, from its leading bits on.
static Term remainderF64(Term x, Term y) {
  Binary left = takeApart(x), right = takeApart(y);
  Term difference = left.exponent - right.exponent, m = right.integer;
  Term zero = difference.integer(0);
  difference = select(difference < zero, zero, difference);
  constexpr int64_t steps = 6; // 2^(2098 >> 6) is below m / 2
  Term power = powerOfTwo(shiftRightUnsigned(difference, steps));
  for (int64_t bit = steps - 1; bit >= 0; --bit) {
    power = multiplyModulo(power, power, m);
    Term isSet = (difference & difference.integer(int64_t(1) << bit)) != zero;
    power = select(isSet, centre(power + power, m), power);
  }
  Term rest = multiplyModulo(power, centre(left.integer, m), m);
  rest = select(rest < 0.0, rest + m, rest);
  // In two factors: 2^exponent alone may be no number.
  Term half = shiftRightSigned(right.exponent, 1);
  return rest * powerOfTwo(half) * powerOfTwo(right.exponent - half);
}

static Term fmod(Term x, Term y) {
  Term ax = abs(x), ay = abs(y);
  Term isDefined = (ax < infinity) & (ay > 0.0);
  // Undefined quotients and those that need no step skip the division.
  Term safe = select(isDefined & (ay < infinity), ay, 1.0);
  Term rest = x.isF64() ? remainderF64(ax, safe) : remainderF32(ax, safe);
  rest = select(ax < ay, ax, rest);
  rest = select(isDefined, copySign(rest, x),
                std::numeric_limits<double>::quiet_NaN());
  return select(isNan(y), y, rest);
}

Value emitFmodFloat(VectorMathBuilder &b, Location loc, Value x, Value y) {
  return fmod(Term(b, loc, x), Term(b, loc, y));
}

/// As in Python: the remainder takes the divisor's sign.
static Term remainder(Term x, Term y) {
  Term rest = fmod(x, y);
  Term differs = (bits(rest) ^ bits(y)) < bits(y).integer(0);
  return select((rest != 0.0) & differs, rest + y, rest);
}

Value emitRemainderFloat(VectorMathBuilder &b, Location loc, Value x, Value y) {
  return remainder(Term(b, loc, x), Term(b, loc, y));
}

Value emitTruncDivFloat(VectorMathBuilder &b, Location loc, Value x, Value y) {
  return truncate(Term(b, loc, x) / Term(b, loc, y));
}

Value emitFloorDivFloat(VectorMathBuilder &b, Location loc, Value xValue,
                        Value yValue) {
  Term x(b, loc, xValue), y(b, loc, yValue);
  // Python's algorithm: the quotient of x less its remainder, which is close
  // to an integer, brought to it.
  Term rest = fmod(x, y);
  Term quotient = (x - rest) / y;
  Term differs = (bits(rest) ^ bits(y)) < bits(y).integer(0);
  quotient = select((rest != 0.0) & differs, quotient - 1.0, quotient);
  Term lower = floor(quotient);
  lower = select((quotient - lower) > 0.5, lower + 1.0, lower);
  Term plain = x / y;
  lower = select(quotient == 0.0, copySign(x.literal(0.0), plain), lower);
  return select(y == 0.0, plain, lower);
}

} // namespace tc::vectormath
