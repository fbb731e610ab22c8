//===- LibraryElements.h - Elements of the stand-in's libraries -*- C++ -*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_LIBRARYELEMENTS_H
#define TC_TEST_TARGET_CUDA_STANDIN_LIBRARYELEMENTS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace standin {

enum class Element { F32, F16, BF16 };

inline double load(const char *at, Element element) {
  if (element == Element::F32) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  if (element == Element::F16) {
    _Float16 value;
    std::memcpy(&value, at, sizeof(value));
    return double(value);
  }
  uint16_t high;
  std::memcpy(&high, at, sizeof(high));
  const uint32_t bits = uint32_t(high) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline void store(char *at, Element element, float value) {
  if (element == Element::F32) {
    std::memcpy(at, &value, sizeof(value));
  } else if (element == Element::F16) {
    const auto half = _Float16(value);
    std::memcpy(at, &half, sizeof(half));
  } else {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    // To the nearest, ties to even; a NaN stays one.
    const uint32_t rounded =
        std::isnan(value) ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
    const auto high = uint16_t(rounded >> 16);
    std::memcpy(at, &high, sizeof(high));
  }
}

} // namespace standin

#endif // TC_TEST_TARGET_CUDA_STANDIN_LIBRARYELEMENTS_H
