//===- Values.cpp - Numbers of PTX that C++ does not have -----------------===//

#include "Values.h"

#include <algorithm>

using namespace standin::ptx;

/// A value of at least 0 to an integer.
static double roundMagnitude(double value, Rounding rounding, bool isNegative) {
  switch (rounding) {
  case Rounding::zero:
    return std::floor(value);
  case Rounding::down:
    return isNegative ? std::ceil(value) : std::floor(value);
  case Rounding::up:
    return isNegative ? std::floor(value) : std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

uint32_t standin::ptx::encode(double value, Format format, Rounding rounding) {
  const int mantissa = format.mantissaBits, exponent = format.exponentBits;
  const uint32_t infinity = ((1U << exponent) - 1) << mantissa;
  if (value != value)
    return (1U << (mantissa + exponent)) - 1;
  const bool isNegative = std::signbit(value);
  const uint32_t sign = uint32_t(isNegative) << (mantissa + exponent);
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  const int lowest = 2 - (1 << (exponent - 1)); // of a normal number
  int scale = 0;
  std::frexp(magnitude, &scale);
  const int unit = std::max(scale - 1, lowest) - mantissa;
  const double rounded =
      roundMagnitude(std::ldexp(magnitude, -unit), rounding, isNegative);
  // A mantissa of all ones that is rounded up moves the exponent by its carry;
  // a number below the normal ones has its mantissa alone.
  const auto units = uint32_t(rounded);
  const uint64_t bits =
      uint64_t(units) + (uint64_t(unit + mantissa - lowest) << mantissa);
  if (units == 0 || bits < infinity)
    return sign | (units == 0 ? 0 : uint32_t(bits));
  const bool staysFinite =
      rounding == Rounding::zero ||
      rounding == (isNegative ? Rounding::up : Rounding::down);
  return sign | (staysFinite ? infinity - 1 : infinity);
}

double standin::ptx::decode(uint32_t bits, Format format) {
  const int mantissa = format.mantissaBits, exponent = format.exponentBits;
  // Both are parts of an f32, whose exponent is at least as wide.
  const uint32_t fraction = bits & ((1U << mantissa) - 1),
                 biased = (bits >> mantissa) & ((1U << exponent) - 1);
  const bool isNegative = (bits >> (mantissa + exponent)) & 1;
  double result = 0;
  if (biased == (1U << exponent) - 1)
    result = fraction ? std::numeric_limits<double>::quiet_NaN()
                      : std::numeric_limits<double>::infinity();
  else if (biased == 0)
    result = std::ldexp(fraction, 2 - (1 << (exponent - 1)) - mantissa);
  else
    result = std::ldexp(fraction + (1U << mantissa),
                        int(biased) + 1 - (1 << (exponent - 1)) - mantissa);
  return isNegative ? -result : result;
}
