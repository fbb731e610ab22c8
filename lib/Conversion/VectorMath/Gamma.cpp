//===- Gamma.cpp - The logarithm of the gamma function --------------------===//
//
// Stirling's series at x + 8, less the logarithm of x (x + 1) ... (x + 7), and
// the reflection formula for negative x; in f64 for f32 as well, since the sum
// cancels near the function's zeros.
//
//===----------------------------------------------------------------------===//

#include "Logarithm.h"
#include "Term.h"
#include <limits>

using namespace mlir;

namespace tc::vectormath {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// lgamma(x) for x >= 1/2, f64.
static Term lgammaOfPositive(Term x) {
  // Up to 8 the argument is raised by 8 steps.
  Term isSmall = x < 8.0;
  Term factors = x;
  for (int step = 1; step < 8; ++step)
    factors = factors * (x + double(step));
  Term z = select(isSmall, x + 8.0, x);
  // B(2k) / (2k (2k - 1)) by powers of 1 / z^2.
  static constexpr double series[] = {
      1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
      1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400.0};
  Term inverse = 1.0 / z;
  Term tail = inverse * polynomial(inverse * inverse, series);
  const double halfLogTwoPi = 0.91893853320467274178;
  // One logarithm for both cases: log(z), and that of the product below.
  Term stirling = fma(z - 0.5, log(z), (tail - z) + halfLogTwoPi);
  return select(isSmall, stirling - log(factors), stirling);
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
  Term isLow = x < 0.5;
  // lgamma(x) = log(pi) - log |sin(pi x)| - lgamma(1 - x).
  Term positive = lgammaOfPositive(select(isLow, 1.0 - x, x));
  const double logPi = 1.14472988584940017414;
  Term distance = abs(x - roundEven(x));
  // Close to 0 the sum is -log |x|, without losing digits of denormal numbers.
  Term isTiny = abs(x) < 0x1p-60;
  Term sine = select(isTiny, distance, sineOfPiTimes(distance));
  Term first = select(isTiny, 0.0, x.literal(logPi));
  Term reflected = first - (log(sine) + positive);
  reflected = select(distance == 0.0, infinity, reflected);
  Term result = select(isLow, reflected, positive);
  result = select(abs(x) == infinity, infinity, result);
  result = select((x == 1.0) | (x == 2.0), 0.0, result);
  return convert(result, narrow.elementType());
}

} // namespace tc::vectormath
