//===- Gamma.cpp - The logarithm of the gamma function --------------------===//
//
// A polynomial between 1 and 3, the recurrence up to 8, Stirling's series from
// there, and the reflection formula for negative x; in f64 for f32 as well,
// since that sum cancels near the zeros between negative integers.
//
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Logarithm.h"
#include "Term.h"
#include <limits>

using namespace mlir;

namespace tc::vectormath {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// lgamma(x) for x > 0, f64.
static Term lgammaOfPositive(Term x) {
  // Between 1 and 3, with the zeros at 1 and 2 as factors; other arguments up
  // to 8 are brought there by lgamma(x + 1) = lgamma(x) + log(x).
  Term isBelow = x < 1.0, isSmall = x < 8.0;
  Term y = select(isBelow, x + 1.0, x);
  Term factors = select(isBelow, x, 1.0);
  for (int step = 0; step < 5; ++step) {
    Term isAbove = y >= 3.0;
    y = select(isAbove, y - 1.0, y);
    factors = select(isAbove, factors * y, factors);
  }
  const double middle = 1.73205080756887729353;
  Term quotient = polynomial((y - middle) / (y + middle), lgammaPolynomialF64);
  // x + 1 may be rounded, x and x - 1 are not.
  Term zeros = select(isBelow, x * (x - 1.0), (y - 1.0) * (y - 2.0));
  // One logarithm for both cases.
  Term logarithm = log(select(isSmall, factors, x));
  Term near = fma(zeros, quotient, select(isBelow, -logarithm, logarithm));
  // Stirling: B(2k) / (2k (2k - 1)) by powers of 1 / x^2.
  static constexpr double series[] = {
      1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
      1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400.0};
  Term inverse = 1.0 / x;
  Term tail = inverse * polynomial(inverse * inverse, series);
  const double halfLogTwoPi = 0.91893853320467274178;
  Term far = fma(x - 0.5, logarithm, (tail - x) + halfLogTwoPi);
  return select(isSmall, near, far);
}

/// sin(pi d) for 0 <= d <= 1/2.
static Term sineOfPiTimes(Term d) {
  // By the series of sin(pi d) / d in d^2.
  static constexpr double series[] = {
      3.14159265358979323846, -5.16771278004997002925,
      2.55016403987734544386, -0.59926452932079207689,
      0.08214588661112822880, -0.00737043094571435080,
      0.00046630280576761256, -0.00002191535344783022,
      0.00000079520540014755, -0.00000002294842899009,
      0.00000000053926646608, -0.00000000001051847188};
  return d * polynomial(d * d, series);
}

Value emitLgamma(VectorMathBuilder &b, Location loc, Value value) {
  Term narrow(b, loc, value);
  Term x = convert(narrow, b.getF64Type());
  Term isNegative = x < 0.0;
  // lgamma(x) = -log(|sin(pi x)| / pi) - lgamma(1 - x).
  Term positive = lgammaOfPositive(select(isNegative, 1.0 - x, x));
  Term distance = abs(x - roundEven(x));
  // Close to 0 the sine loses no digits of denormal numbers.
  Term isTiny = abs(x) < 0x1p-60;
  const double inversePi = 0.31830988618379067154;
  Term sine = select(isTiny, distance, sineOfPiTimes(distance) * inversePi);
  Term reflected = -(log(sine) + positive);
  Term result = select(isNegative, reflected, positive);
  result = select((x <= 0.0) & (distance == 0.0), infinity, result);
  result = select(abs(x) == infinity, infinity, result);
  return convert(result, narrow.elementType());
}

} // namespace tc::vectormath
