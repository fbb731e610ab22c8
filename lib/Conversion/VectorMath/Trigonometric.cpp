//===- Trigonometric.cpp - Sine, cosine, tangent and their inverses -------===//
//
// Arguments are reduced to |r| <= pi / 4 and a quadrant, exactly for every
// number of f32 and f64.
//
//===----------------------------------------------------------------------===//

#include "AngleReduction.h"
#include "Coefficients.h"

using namespace mlir;

namespace tc::vectormath {

static Term sineOfReduced(Term r) {
  ArrayRef<double> c =
      r.isF64() ? ArrayRef(sinPolynomialF64) : ArrayRef(sinPolynomialF32);
  Term square = r * r;
  return fma(r * square, polynomial(square, c), r);
}
static Term cosineOfReduced(Term r) {
  ArrayRef<double> c =
      r.isF64() ? ArrayRef(cosPolynomialF64) : ArrayRef(cosPolynomialF32);
  Term square = r * r;
  Term fourth = square * square;
  // 1 - z / 2 and its rounding error.
  TermPair start = exactSumOrdered(square.literal(1.0), square * -0.5);
  return start.high + fma(fourth, polynomial(square, c), start.low);
}

/// -x where bit `bit` of the integer is set.
static Term negateIfBit(Term x, Term integer, int bit) {
  Term sign = shiftLeft(integer, x.width() - 1 - bit) & bits(x.literal(-0.0));
  return fromBits(bits(x) ^ sign);
}
static Term isOdd(Term integer) {
  return (integer & integer.integer(1)) != integer.integer(0);
}

Value emitSin(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  auto [angle, quadrant] = reduceAngle(abs(x));
  Term result =
      select(isOdd(quadrant), cosineOfReduced(angle), sineOfReduced(angle));
  return timesSign(negateIfBit(result, quadrant, 1), x);
}

Value emitCos(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  auto [angle, quadrant] = reduceAngle(x);
  Term result =
      select(isOdd(quadrant), sineOfReduced(angle), cosineOfReduced(angle));
  return negateIfBit(result, quadrant + quadrant.integer(1), 1);
}

Value emitTan(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  auto [angle, quadrant] = reduceAngle(abs(x));
  Term sine = sineOfReduced(angle), cosine = cosineOfReduced(angle);
  Term odd = isOdd(quadrant);
  Term result = select(odd, -cosine, sine) / select(odd, sine, cosine);
  return timesSign(result, x);
}

// Inverse functions.

// pi / 2 and pi as sums, by whether they are f64.
static constexpr double halfPi[2][2] = {
    {1.5707963705062866, -4.371138828673793e-08},
    {1.5707963267948966, 6.123233995736766e-17}};
static constexpr double pi[2][2] = {
    {3.1415927410125732, -8.742277657347586e-08},
    {3.141592653589793, 1.2246467991473532e-16}};
static constexpr double quarterPi[2][2] = {
    {0.7853981852531433, -2.1855694143368964e-08},
    {0.7853981633974483, 3.061616997868383e-17}};

/// The angle of (larger, smaller), 0 <= smaller <= larger: from 0 to pi / 4.
static Term angleInOctant(Term smaller, Term larger) {
  // Beyond tan(pi / 8): pi / 4 less the angle of (larger - smaller) over
  // (larger + smaller).
  Term isSteep = larger * 0.41421356237309504880 < smaller;
  Term numerator = select(isSteep, smaller - larger, smaller);
  Term denominator = select(isSteep, smaller + larger, larger);
  Term ratio = numerator / denominator;
  ArrayRef<double> c =
      ratio.isF64() ? ArrayRef(atanPolynomialF64) : ArrayRef(atanPolynomialF32);
  Term square = ratio * ratio;
  Term tail = ratio * square * polynomial(square, c);
  const double *quarter = quarterPi[ratio.isF64()];
  Term base = select(isSteep, quarter[0], ratio.literal(0.0));
  Term baseError = select(isSteep, quarter[1], ratio.literal(0.0));
  return base + (ratio + (tail + baseError));
}

Value emitAtan(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  Term t = abs(x), one = x.literal(1.0);
  Term isLarge = one < t;
  // Infinity over infinity is avoided by taking 1 / t for large ones.
  Term smaller = select(isLarge, one / t, t);
  Term octant = angleInOctant(smaller, one);
  const double *half = halfPi[x.isF64()];
  Term result = select(isLarge, (half[0] - octant) + half[1], octant);
  return copySign(result, x);
}

Value emitAtan2(VectorMathBuilder &b, Location loc, Value yValue,
                Value xValue) {
  Term y(b, loc, yValue), x(b, loc, xValue);
  bool wide = x.isF64();
  Term ax = abs(x), ay = abs(y);
  Term isSteep = ax < ay;
  Term larger = select(isSteep, ay, ax), smaller = select(isSteep, ax, ay);
  // The ratio is what counts; large numbers would overflow in a sum.
  Term isBig = larger > (wide ? 0x1p1000 : 0x1p120);
  Term factor = select(isBig, 0x1p-10, x.literal(1.0));
  Term octant = angleInOctant(smaller * factor, larger * factor);
  // Two zeros, two infinities.
  octant = select(larger == 0.0, 0.0, octant);
  Term infinite = larger.literal(std::numeric_limits<double>::infinity());
  octant = select(larger == infinite, 0.0, octant);
  octant = select(smaller == infinite, quarterPi[wide][0], octant);
  Term result =
      select(isSteep, (halfPi[wide][0] - octant) + halfPi[wide][1], octant);
  Term isLeft = bits(x) < bits(x).integer(0);
  result = select(isLeft, (pi[wide][0] - result) + pi[wide][1], result);
  result = copySign(result, y);
  Term anyNan = x.compare(arith::CmpFPredicate::UNO, y);
  return select(anyNan, x + y, result);
}

/// asin(t) for 0 <= t <= 1/2, as t + t z p(z) with z = t^2.
static Term asinTail(Term t, Term square) {
  ArrayRef<double> c =
      t.isF64() ? ArrayRef(asinPolynomialF64) : ArrayRef(asinPolynomialF32);
  return t * square * polynomial(square, c);
}

Value emitAsin(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  // Above 1/2: pi / 2 - 2 asin(sqrt((1 - t) / 2)).
  Term t = abs(x);
  Term isLarge = t > 0.5;
  Term square = select(isLarge, (1.0 - t) * 0.5, t * t);
  Term argument = select(isLarge, sqrt(square), t);
  Term series = argument + asinTail(argument, square);
  const double *half = halfPi[x.isF64()];
  Term large = half[0] - ((series + series) - half[1]);
  return copySign(select(isLarge, large, series), x);
}

Value emitAcos(VectorMathBuilder &b, Location loc, Value value) {
  Term x(b, loc, value);
  // pi / 2 - asin(x) in the middle, 2 asin(sqrt((1 - t) / 2)) near 1, and pi
  // less that near -1.
  Term t = abs(x);
  Term isLarge = t > 0.5;
  Term square = select(isLarge, (1.0 - t) * 0.5, t * t);
  Term argument = select(isLarge, sqrt(square), x);
  Term series = argument + asinTail(argument, square);
  const double *half = halfPi[x.isF64()];
  const double *whole = pi[x.isF64()];
  Term middle = half[0] - (series - half[1]);
  Term twice = series + series;
  Term large = select(x < 0.0, whole[0] - (twice - whole[1]), twice);
  return select(isLarge, large, middle);
}

} // namespace tc::vectormath
