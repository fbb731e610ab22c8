//===- Conversions.cpp - cvt of PTX ---------------------------------------===//

#include "Opcode.h"
#include "Values.h"

#include <algorithm>

using namespace standin::ptx;

namespace {
double roundToIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::zero:
    return std::trunc(value);
  case Rounding::down:
    return std::floor(value);
  case Rounding::up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// An integer as f64 that rounds to f16 or bf16 as the integer itself would:
/// bits that do not fit leave a trace in the last one.
template <std::integral T> double toDouble(T value) {
  if constexpr (sizeof(T) < 8)
    return double(value);
  const bool isNegative = value < 0;
  uint64_t magnitude = isNegative ? 0 - uint64_t(value) : uint64_t(value);
  double scale = 1;
  if (magnitude >> 53) {
    const bool rest = magnitude & 0xfff;
    magnitude = (magnitude >> 12) | uint64_t(rest);
    scale = 4096;
  }
  return (isNegative ? -1 : 1) * double(magnitude) * scale;
}

/// Clamped to what the type holds. NaN is 0, or the highest bit alone where
/// one of both types has 64 bits.
template <std::integral T, Float From> T toInteger(double value, Rounding how) {
  if (value != value) {
    if (sizeof(T) == 8 || sizeof(From) == 8)
      return T(uint64_t(1) << (8 * sizeof(T) - 1));
    return 0;
  }
  const double rounded = roundToIntegral(value, how);
  constexpr T lowest = std::numeric_limits<T>::min(),
              highest = std::numeric_limits<T>::max();
  if (rounded <= double(lowest))
    return lowest;
  // Of 64 bits, the highest one is not a number of f64: the next one is.
  return rounded >= double(highest) ? highest : T(rounded);
}

/// Puts an integer into a register that may be wider, as one of 8 bits has.
template <std::integral T>
void putExtended(Thread &thread, int32_t slot, T value) {
  if constexpr (std::signed_integral<T>)
    put(thread, slot, int64_t(value));
  else
    put(thread, slot, value);
}

template <typename To, typename From>
void convertIntegers(Thread &thread, const Instruction &i) {
  const From value = get<From>(thread, i.slot[1]);
  if (!i.saturate) {
    putExtended(thread, i.slot[0], To(value));
    return;
  }
  using Any = __int128;
  putExtended(thread, i.slot[0],
              To(std::clamp(Any(value), Any(std::numeric_limits<To>::min()),
                            Any(std::numeric_limits<To>::max()))));
}

template <Float To>
void putRounded(Thread &thread, const Instruction &i, double value) {
  if (i.saturate)
    value = value > 0 ? std::min(value, 1.0) : 0;
  if constexpr (std::same_as<To, double>) {
    put(thread, i.slot[0], value);
  } else if constexpr (std::same_as<To, float>) {
    const float single =
        i.rounding == Rounding::nearest || i.integral
            ? float(value)
            : std::bit_cast<float>(encode(value, singleFormat, i.rounding));
    value != value ? put(thread, i.slot[0], 0x7fffffffU)
                   : put(thread, i.slot[0], i.flush ? flushed(single) : single);
  } else {
    put(thread, i.slot[0],
        To::of(value, i.integral ? Rounding::nearest : i.rounding));
  }
}

template <typename To, typename From>
void convert(Thread &thread, const Instruction &i) {
  if constexpr (std::integral<From> && std::integral<To>) {
    convertIntegers<To, From>(thread, i);
  } else if constexpr (std::integral<From>) {
    const From value = get<From>(thread, i.slot[1]);
    if constexpr (ShortFloat<To>)
      putRounded<To>(thread, i, toDouble(value));
    else
      putNumber<To>(thread, i, To(value));
  } else if constexpr (std::integral<To>) {
    const auto value = number<From>(thread, i, i.slot[1]);
    put(thread, i.slot[0], toInteger<To, From>(double(value), i.rounding));
  } else {
    auto value = double(number<From>(thread, i, i.slot[1]));
    putRounded<To>(thread, i,
                   i.integral ? roundToIntegral(value, i.rounding) : value);
  }
}

template <typename To> Handler conversionTo(Type from) {
  switch (from) {
  case Type::u8:
    return convert<To, uint8_t>;
  case Type::s8:
    return convert<To, int8_t>;
  case Type::u16:
    return convert<To, uint16_t>;
  case Type::s16:
    return convert<To, int16_t>;
  case Type::u32:
    return convert<To, uint32_t>;
  case Type::s32:
    return convert<To, int32_t>;
  case Type::u64:
    return convert<To, uint64_t>;
  case Type::s64:
    return convert<To, int64_t>;
  case Type::f16:
    return convert<To, Half>;
  case Type::bf16:
    return convert<To, Brain>;
  case Type::f32:
    return convert<To, float>;
  case Type::f64:
    return convert<To, double>;
  default:
    return nullptr;
  }
}

Handler conversion(Type to, Type from) {
  switch (to) {
  case Type::u8:
    return conversionTo<uint8_t>(from);
  case Type::s8:
    return conversionTo<int8_t>(from);
  case Type::u16:
    return conversionTo<uint16_t>(from);
  case Type::s16:
    return conversionTo<int16_t>(from);
  case Type::u32:
    return conversionTo<uint32_t>(from);
  case Type::s32:
    return conversionTo<int32_t>(from);
  case Type::u64:
    return conversionTo<uint64_t>(from);
  case Type::s64:
    return conversionTo<int64_t>(from);
  case Type::f16:
    return conversionTo<Half>(from);
  case Type::bf16:
    return conversionTo<Brain>(from);
  case Type::f32:
    return conversionTo<float>(from);
  case Type::f64:
    return conversionTo<double>(from);
  default:
    return nullptr;
  }
}

/// Two f32 into the upper and the lower half. Mode 1: what is below 0 is 0.
template <ShortFloat T> void convertPair(Thread &thread, const Instruction &i) {
  auto half = [&](int32_t slot) {
    double value = get<float>(thread, slot);
    if (i.mode && value < 0)
      value = 0;
    return uint32_t(T::of(value, i.rounding).bits);
  };
  put(thread, i.slot[0], half(i.slot[1]) << 16 | half(i.slot[2]));
}

bool isFloat(Type type) { return type >= Type::f16; }

/// Whether a conversion says how it rounds exactly where it has to.
bool isRoundingRight(const Instruction &i, Type to, Type from) {
  if (isFloat(to) && isFloat(from)) {
    const bool narrows =
        (from == Type::f64 && to != Type::f64) ||
        (from == Type::f32 && (to == Type::f16 || to == Type::bf16));
    return narrows ? i.rounding != Rounding::none && !i.integral
                   : i.rounding == Rounding::none || i.integral;
  }
  if (isFloat(to)) // from an integer: only to nearest
    return i.rounding == Rounding::nearest && !i.integral;
  return isFloat(from) ? i.integral : i.rounding == Rounding::none;
}
} // namespace

Decoded standin::ptx::decodeConversion(Opcode &opcode,
                                       Instruction &instruction) {
  if (opcode.name() != "cvt")
    return {};
  constexpr Rounding roundings[] = {Rounding::nearest, Rounding::zero,
                                    Rounding::down, Rounding::up};
  if (const int to = opcode.takeOneOf({"rn", "rz", "rm", "rp"}); to >= 0)
    instruction.rounding = roundings[to];
  if (const int to = opcode.takeOneOf({"rni", "rzi", "rmi", "rpi"}); to >= 0) {
    instruction.rounding = roundings[to];
    instruction.integral = true;
  }
  instruction.flush = opcode.take("ftz");
  instruction.saturate = opcode.take("sat");
  const Type to = opcode.takeType(), from = opcode.takeType();
  if (to == Type::f16x2 || to == Type::bf16x2) {
    instruction.mode = opcode.take("relu");
    if (from != Type::f32 || instruction.rounding == Rounding::none ||
        instruction.integral || instruction.saturate || instruction.flush)
      return {};
    return {to == Type::f16x2 ? convertPair<Half> : convertPair<Brain>, 3};
  }
  if (!isRoundingRight(instruction, to, from))
    return {};
  return {conversion(to, from), 2};
}
