//===- Values.h - Numbers of PTX that C++ does not have ---------*- C++ -*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_PTX_VALUES_H
#define TC_TEST_TARGET_CUDA_STANDIN_PTX_VALUES_H

#include "Machine.h"

#include <bit>
#include <cmath>
#include <concepts>
#include <limits>

namespace standin::ptx {

/// A binary floating point format of at most 32 bits.
struct Format {
  int mantissaBits, exponentBits;
};
constexpr Format halfFormat{10, 5}, brainFormat{7, 8}, singleFormat{23, 8};

/// The bits of a value in a format; NaN is all ones but the sign, as a GPU
/// makes it.
uint32_t encode(double value, Format format, Rounding rounding);
double decode(uint32_t bits, Format format);

/// f16 and bf16.
template <bool isBrain> struct Short {
  uint16_t bits;

  static constexpr Format format = isBrain ? brainFormat : halfFormat;
  static Short of(double value, Rounding rounding = Rounding::nearest) {
    return {uint16_t(encode(value, format, rounding))};
  }
  double value() const { return decode(bits, format); }
};
using Half = Short<false>;
using Brain = Short<true>;

template <typename T>
concept ShortFloat = std::same_as<T, Half> || std::same_as<T, Brain>;
template <typename T>
concept Float = ShortFloat<T> || std::floating_point<T>;

inline float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

/// An operand as a number to compute with: f32 flushed where .ftz says so, f16
/// and bf16 as f64.
template <Float T>
auto number(const Thread &thread, const Instruction &instruction,
            int32_t slot) {
  const T value = get<T>(thread, slot);
  if constexpr (ShortFloat<T>)
    return value.value();
  else if constexpr (std::same_as<T, float>)
    return instruction.flush ? flushed(value) : value;
  else
    return value;
}

/// Writes what was computed: NaN of f32 as a GPU makes it.
template <Float T, typename U>
void putNumber(Thread &thread, const Instruction &instruction, U value) {
  const int32_t slot = instruction.slot[0];
  if (instruction.saturate)
    value = value > U(0) ? value < U(1) ? value : U(1) : U(0);
  if constexpr (ShortFloat<T>)
    put(thread, slot, T::of(value));
  else if constexpr (std::same_as<T, float>)
    value != value
        ? put(thread, slot, 0x7fffffffU)
        : put(thread, slot,
              instruction.flush ? flushed(float(value)) : float(value));
  else
    put(thread, slot, value);
}

} // namespace standin::ptx

#endif // TC_TEST_TARGET_CUDA_STANDIN_PTX_VALUES_H
