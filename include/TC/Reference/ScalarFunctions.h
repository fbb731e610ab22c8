//===- ScalarFunctions.h - Scalar meaning of elementwise ops ----*- C++ -*-===//
//
// The functions that the `reference` expressions of the elementwise table use
// beyond <cmath>. T is double, float, int64_t, uint64_t or bool; narrower
// integers are computed in 64 bits and wrapped to their width by the caller.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_SCALARFUNCTIONS_H
#define TC_REFERENCE_SCALARFUNCTIONS_H

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tc::scalar {

//===----------------------------------------------------------------------===//
// Arithmetic; integers wrap
//===----------------------------------------------------------------------===//

template <typename T> T add(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(x) + uint64_t(y));
  else
    return x + y;
}

template <typename T> T sub(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(x) - uint64_t(y));
  else
    return x - y;
}

template <typename T> T mul(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(x) * uint64_t(y));
  else
    return x * y;
}

template <typename T> T neg(T x) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(0) - uint64_t(x));
  else
    return -x;
}

/// The smallest signed integer stays as it is.
template <typename T> T abs(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(x);
  else if constexpr (std::is_signed_v<T>)
    return x < 0 ? neg(x) : x;
  else
    return x;
}

//===----------------------------------------------------------------------===//
// Division. An integer divisor of 0 gives 0.
//===----------------------------------------------------------------------===//

/// Quotient rounded towards zero.
template <typename T> T truncDiv(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::trunc(x / y);
  } else {
    if (y == 0)
      return 0;
    if constexpr (std::is_signed_v<T>)
      if (y == -1)
        return neg(x);
    return x / y;
  }
}

/// Remainder with the sign of x.
template <typename T> T fmod(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(x, y);
  } else {
    if (y == 0)
      return 0;
    if constexpr (std::is_signed_v<T>)
      if (y == -1)
        return 0;
    return x % y;
  }
}

/// Remainder with the sign of y.
template <typename T> T remainder(T x, T y) {
  T result = scalar::fmod(x, y);
  if constexpr (std::is_signed_v<T>) // floating-point types included
    if (result != 0 && (y < 0) != (result < 0))
      result += y;
  return result;
}

/// Quotient rounded towards minus infinity. The floating-point algorithm is
/// CPython's float floor division, as in PyTorch: it agrees with `remainder`
/// where floor(x / y) does not.
template <typename T> T floorDiv(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (y == 0)
      return x / y;
    T modulus = std::fmod(x, y);
    T quotient = (x - modulus) / y;
    if (modulus != 0 && (y < 0) != (modulus < 0))
      quotient -= 1;
    if (quotient == 0)
      return std::copysign(T(0), x / y);
    T rounded = std::floor(quotient);
    return quotient - rounded > T(0.5) ? rounded + 1 : rounded;
  } else {
    T quotient = truncDiv(x, y);
    if constexpr (std::is_signed_v<T>)
      if (scalar::fmod(x, y) != 0 && (x < 0) != (y < 0))
        quotient -= 1;
    return quotient;
  }
}

/// Integers wrap; a negative integer exponent gives 0, or plus or minus 1 for
/// a base of plus or minus 1.
template <typename T> T pow(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(x, y);
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (y < 0) {
        if (x == 1)
          return 1;
        if (x == -1)
          return y % 2 == 0 ? 1 : -1;
        return 0;
      }
    }
    T result = 1;
    for (uint64_t exponent = y; exponent != 0; exponent >>= 1) {
      if (exponent & 1)
        result = mul(result, x);
      x = mul(x, x);
    }
    return result;
  }
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

/// The larger; NaN if either is, and +0 above -0.
template <typename T> T maximum(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y))
      return std::numeric_limits<T>::quiet_NaN();
    if (x == y)
      return std::signbit(x) ? y : x;
  }
  return x > y ? x : y;
}

/// The smaller; NaN if either is, and -0 below +0.
template <typename T> T minimum(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y))
      return std::numeric_limits<T>::quiet_NaN();
    if (x == y)
      return std::signbit(x) ? x : y;
  }
  return x < y ? x : y;
}

/// The larger of those that are no NaN.
template <typename T> T fmax(T x, T y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : maximum(x, y);
}

/// The smaller of those that are no NaN.
template <typename T> T fmin(T x, T y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : minimum(x, y);
}

//===----------------------------------------------------------------------===//
// Bits. A count that is negative or not below 64 shifts everything out.
//===----------------------------------------------------------------------===//

template <typename T> T bitwiseNot(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return !x;
  else
    return ~x;
}

template <typename T> T shiftLeft(T x, T y) {
  return uint64_t(y) >= 64 ? T(0) : T(uint64_t(x) << uint64_t(y));
}

/// Arithmetic for signed types.
template <typename T> T shiftRight(T x, T y) {
  if (uint64_t(y) < 64)
    return x >> y;
  if constexpr (std::is_signed_v<T>)
    return x < 0 ? T(-1) : T(0);
  else
    return 0;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Inverse error function: Giles-style rational start values (as in PyTorch),
/// then Newton steps on erfc so that arguments near 1 keep their precision.
inline double erfinv(double y) {
  double magnitude = std::fabs(y);
  if (std::isnan(y) || magnitude > 1)
    return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == 1)
    return std::copysign(std::numeric_limits<double>::infinity(), y);
  double x;
  if (magnitude <= 0.7) {
    double z = magnitude * magnitude;
    double numerator =
        ((-0.140543331 * z + 0.914624893) * z - 1.645349621) * z + 0.886226899;
    double denominator =
        (((0.012229801 * z - 0.329097515) * z + 1.442710462) * z -
         2.118377725) *
            z +
        1;
    x = magnitude * numerator / denominator;
  } else {
    double z = std::sqrt(-std::log((1 - magnitude) / 2));
    double numerator =
        ((1.641345311 * z + 3.429567803) * z - 1.624906493) * z - 1.970840454;
    double denominator = (1.637067800 * z + 3.543889200) * z + 1;
    x = numerator / denominator;
  }
  constexpr double twoOverSqrtPi = 1.1283791670955125739;
  for (int step = 0; step < 3; ++step) {
    double error = magnitude < 0.5 ? std::erf(x) - magnitude
                                   : (1 - magnitude) - std::erfc(x);
    x -= error / (twoOverSqrtPi * std::exp(-x * x));
  }
  return std::copysign(x, y);
}
inline float erfinv(float y) { return float(erfinv(double(y))); }

/// The four words of Philox 4x32-10 with `seed` as key, `block` as the low two
/// words of the counter and `offset` as the high two. Source: Salmon et al.,
/// Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011).
inline std::array<uint32_t, 4> philoxBlock(uint64_t seed, uint64_t offset,
                                           uint64_t block) {
  std::array<uint32_t, 4> words = {uint32_t(block), uint32_t(block >> 32),
                                   uint32_t(offset), uint32_t(offset >> 32)};
  uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53u) * words[0];
    uint64_t product1 = uint64_t(0xCD9E8D57u) * words[2];
    words = {uint32_t(product1 >> 32) ^ words[1] ^ key[0], uint32_t(product1),
             uint32_t(product0 >> 32) ^ words[3] ^ key[1], uint32_t(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return words;
}
/// Word `counter mod 4` of block `counter floordiv 4`.
inline uint32_t philoxWord(uint64_t seed, uint64_t offset, uint64_t counter) {
  return philoxBlock(seed, offset,
                     uint64_t(int64_t(counter) >> 2))[counter & 3];
}
template <typename T> T philox(T seed, T offset, T counter) {
  return T(philoxWord(uint64_t(seed), uint64_t(offset), uint64_t(counter)));
}

/// The bits of an element of a matrix (see tc.dropout_bits).
inline uint32_t dropoutBitsOf(uint64_t seed, uint64_t offset, uint32_t row,
                              uint32_t column) {
  uint32_t rows = row / 16 * 8 + row % 8,
           columns = column / 32 * 8 + column % 8;
  uint32_t word = philoxBlock(seed, offset,
                              uint64_t(rows) << 32 |
                                  columns)[row / 8 % 2 * 2 + column / 8 % 2];
  return word >> (column / 16 % 2 * 16) & 0xffff;
}
template <typename T> T dropoutBits(T seed, T offset, T position) {
  return T(dropoutBitsOf(uint64_t(seed), uint64_t(offset),
                         uint32_t(uint64_t(position) >> 32),
                         uint32_t(position)));
}

} // namespace tc::scalar

#endif // TC_REFERENCE_SCALARFUNCTIONS_H
