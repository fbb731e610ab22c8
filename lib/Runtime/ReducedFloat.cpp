//===- ReducedFloat.cpp - 16- and 8-bit floating-point numbers ------------===//

#include "TC/Runtime/ReducedFloat.h"

#include <cmath>

using namespace tc::runtime;

namespace {

/// A binary floating-point format of at most 16 bits.
struct Format {
  int exponentBits;
  int mantissaBits;
  bool hasInfinity; ///< else the largest exponent is finite but for one NaN

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint32_t signBit() const {
    return 1u << (exponentBits + mantissaBits);
  }
  /// The smallest encoding, without sign, that is not a finite number.
  constexpr uint32_t firstNonFinite() const {
    if (hasInfinity)
      return ((1u << exponentBits) - 1) << mantissaBits;
    return signBit() - 1;
  }
  /// What is too large, infinity included, becomes this.
  constexpr uint32_t overflow() const {
    return hasInfinity ? firstNonFinite() : firstNonFinite() - 1;
  }
  constexpr uint32_t quietNaN() const {
    if (hasInfinity)
      return firstNonFinite() | (1u << (mantissaBits - 1));
    return firstNonFinite();
  }
};

constexpr Format f16Format{5, 10, true};
constexpr Format bf16Format{8, 7, true};
constexpr Format f8E4M3FNFormat{4, 3, false};
constexpr Format f8E5M2Format{5, 2, true};

template <Format format> uint32_t encode(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint32_t sign = (bits >> 63) ? format.signBit() : 0;
  const uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  constexpr uint64_t doubleInfinity = uint64_t(0x7ff) << 52;
  if (magnitude > doubleInfinity)
    return sign | format.quietNaN();
  if (magnitude == doubleInfinity)
    return sign | format.overflow();

  const int exponent = int(magnitude >> 52) - 1023 + format.bias();
  uint64_t mantissa = magnitude & ((uint64_t(1) << 52) - 1);
  // Below every subnormal's half (also zero and double's own subnormals).
  if (exponent < -format.mantissaBits)
    return sign;
  // A subnormal shows its leading one and has the smallest exponent, 1.
  int shift = 52 - format.mantissaBits;
  uint64_t exponentField = 0;
  if (exponent <= 0) {
    mantissa |= uint64_t(1) << 52;
    shift += 1 - exponent;
  } else {
    exponentField = uint64_t(exponent) << format.mantissaBits;
  }
  uint64_t result = exponentField + (mantissa >> shift);
  const uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  const uint64_t half = uint64_t(1) << (shift - 1);
  // A carry out of the mantissa correctly raises the exponent.
  if (rest > half || (rest == half && (result & 1)))
    ++result;
  if (result >= format.firstNonFinite())
    result = format.overflow();
  return sign | uint32_t(result);
}

template <Format format> float decode(uint32_t bits) {
  const uint32_t sign = bits & format.signBit() ? 0x80000000u : 0;
  const uint32_t magnitude = bits & (format.signBit() - 1);
  uint32_t result;
  if (magnitude >= format.firstNonFinite()) {
    const bool infinite =
        format.hasInfinity && magnitude == format.firstNonFinite();
    result = infinite ? 0x7f800000u : 0x7fc00000u;
  } else if (magnitude >> format.mantissaBits) {
    result = (magnitude << (23 - format.mantissaBits)) +
             (uint32_t(127 - format.bias()) << 23);
  } else {
    // Subnormal: exact, as every format's smallest number is a normal float.
    const float value =
        std::ldexp(float(magnitude), 1 - format.bias() - format.mantissaBits);
    result = std::bit_cast<uint32_t>(value);
  }
  return std::bit_cast<float>(result | sign);
}

} // namespace

uint16_t tc::runtime::encodeBF16(double value) {
  return uint16_t(encode<bf16Format>(value));
}
uint16_t tc::runtime::encodeF16(double value) {
  return uint16_t(encode<f16Format>(value));
}
uint8_t tc::runtime::encodeF8E4M3FN(double value) {
  return uint8_t(encode<f8E4M3FNFormat>(value));
}
uint8_t tc::runtime::encodeF8E5M2(double value) {
  return uint8_t(encode<f8E5M2Format>(value));
}

float tc::runtime::decodeF16(uint16_t bits) { return decode<f16Format>(bits); }
float tc::runtime::decodeF8E4M3FN(uint8_t bits) {
  return decode<f8E4M3FNFormat>(bits);
}
float tc::runtime::decodeF8E5M2(uint8_t bits) {
  return decode<f8E5M2Format>(bits);
}
