//===- ReducedFloat.h - 16- and 8-bit floating-point numbers ----*- C++ -*-===//
//
// Conversions between double or float and the bits of bf16, f16, f8E4M3FN and
// f8E5M2. Towards fewer bits they round to nearest, ties to even; a NaN stays a
// quiet NaN. What is too large becomes infinity, or the largest number of
// f8E4M3FN, which has no infinity, as in PyTorch since 2.13. A double is
// rounded once, not by way of float.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_REDUCEDFLOAT_H
#define TC_RUNTIME_REDUCEDFLOAT_H

#include <bit>
#include <cstdint>

namespace tc::runtime {

uint16_t encodeBF16(double value);
uint16_t encodeF16(double value);
uint8_t encodeF8E4M3FN(double value);
uint8_t encodeF8E5M2(double value);

float decodeF16(uint16_t bits);
float decodeF8E4M3FN(uint8_t bits);
float decodeF8E5M2(uint8_t bits);

inline float decodeBF16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// The quick form for float, for loops over many elements.
inline uint16_t encodeBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return uint16_t((bits >> 16) | 0x40u);
  return uint16_t((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

} // namespace tc::runtime

#endif // TC_RUNTIME_REDUCEDFLOAT_H
