//===- Integers.cpp - Integer arithmetic of PTX ---------------------------===//

#include "Machine.h"
#include "Opcode.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

using namespace standin::ptx;

namespace {
template <typename T> using Unsigned = std::make_unsigned_t<T>;

/// The integer type of twice the width.
template <typename T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

struct Add {
  template <typename T> static T of(T x, T y) {
    return T(Unsigned<T>(Unsigned<T>(x) + Unsigned<T>(y)));
  }
};
struct Subtract {
  template <typename T> static T of(T x, T y) {
    return T(Unsigned<T>(Unsigned<T>(x) - Unsigned<T>(y)));
  }
};
struct MultiplyLow {
  template <typename T> static T of(T x, T y) {
    return T(uint64_t(x) * uint64_t(y));
  }
};
struct MultiplyHigh {
  template <typename T> static T of(T x, T y) {
    return T((Wide<T>(x) * Wide<T>(y)) >> (8 * sizeof(T)));
  }
};
/// By zero: all ones, as GPUs do.
struct Divide {
  template <typename T> static T of(T x, T y) {
    if (y == 0)
      return T(-1);
    return T(Wide<T>(x) / Wide<T>(y));
  }
};
struct Remainder {
  template <typename T> static T of(T x, T y) {
    return y == 0 ? x : T(Wide<T>(x) % Wide<T>(y));
  }
};
struct Minimum {
  template <typename T> static T of(T x, T y) { return std::min(x, y); }
};
struct Maximum {
  template <typename T> static T of(T x, T y) { return std::max(x, y); }
};
/// Clamped at the ends of the type.
struct AddSaturated {
  template <typename T> static T of(T x, T y) {
    return T(std::clamp<Wide<T>>(Wide<T>(x) + Wide<T>(y),
                                 std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max()));
  }
};
struct SubtractSaturated {
  template <typename T> static T of(T x, T y) {
    return T(std::clamp<Wide<T>>(Wide<T>(x) - Wide<T>(y),
                                 std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max()));
  }
};

template <typename T, typename F>
void binary(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0],
      F::template of<T>(get<T>(thread, i.slot[1]), get<T>(thread, i.slot[2])));
}

template <typename T, typename F>
void multiplyAdd(Thread &thread, const Instruction &i) {
  const T product =
      F::template of<T>(get<T>(thread, i.slot[1]), get<T>(thread, i.slot[2]));
  put(thread, i.slot[0], Add::of<T>(product, get<T>(thread, i.slot[3])));
}

template <typename T> void multiplyWide(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0],
      Wide<T>(Wide<T>(get<T>(thread, i.slot[1])) *
              Wide<T>(get<T>(thread, i.slot[2]))));
}

template <typename T>
void multiplyAddWide(Thread &thread, const Instruction &i) {
  const auto product = Wide<T>(Wide<T>(get<T>(thread, i.slot[1])) *
                               Wide<T>(get<T>(thread, i.slot[2])));
  put(thread, i.slot[0],
      Add::of<Wide<T>>(product, get<Wide<T>>(thread, i.slot[3])));
}

template <typename T> void negate(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0], Subtract::of<T>(0, get<T>(thread, i.slot[1])));
}

template <typename T> void absolute(Thread &thread, const Instruction &i) {
  const T value = get<T>(thread, i.slot[1]);
  put(thread, i.slot[0], value < 0 ? Subtract::of<T>(0, value) : value);
}

/// A member template for the integer types of 16 to 64 bits.
template <template <typename> class Make> Handler ofInteger(Type type) {
  switch (type) {
  case Type::u16:
    return Make<uint16_t>::handler;
  case Type::s16:
    return Make<int16_t>::handler;
  case Type::u32:
    return Make<uint32_t>::handler;
  case Type::s32:
    return Make<int32_t>::handler;
  case Type::u64:
    return Make<uint64_t>::handler;
  case Type::s64:
    return Make<int64_t>::handler;
  default:
    return nullptr;
  }
}

template <typename F> struct BinaryOf {
  template <typename T> struct Make {
    static constexpr Handler handler = binary<T, F>;
  };
};
template <typename F> struct MultiplyAddOf {
  template <typename T> struct Make {
    static constexpr Handler handler = multiplyAdd<T, F>;
  };
};
template <typename T> struct Negate {
  static constexpr Handler handler = negate<T>;
};
template <typename T> struct Absolute {
  static constexpr Handler handler = absolute<T>;
};

template <typename F> Decoded binaryOf(Type type) {
  return {ofInteger<BinaryOf<F>::template Make>(type), 3};
}

Decoded decodeWide(Type type, bool adds) {
  const int operands = adds ? 4 : 3;
  switch (type) {
  case Type::u16:
    return {adds ? multiplyAddWide<uint16_t> : multiplyWide<uint16_t>,
            operands};
  case Type::s16:
    return {adds ? multiplyAddWide<int16_t> : multiplyWide<int16_t>, operands};
  case Type::u32:
    return {adds ? multiplyAddWide<uint32_t> : multiplyWide<uint32_t>,
            operands};
  case Type::s32:
    return {adds ? multiplyAddWide<int32_t> : multiplyWide<int32_t>, operands};
  default:
    return {};
  }
}

/// An operation on both halves of 32 bits.
template <typename Operation, typename Half> struct Halves {
  template <typename T> static T of(T x, T y) {
    const uint32_t a = uint32_t(x), b = uint32_t(y);
    const Half low = Operation::template of<Half>(Half(a), Half(b));
    const Half high =
        Operation::template of<Half>(Half(a >> 16), Half(b >> 16));
    return T(uint32_t(uint16_t(low)) | uint32_t(uint16_t(high)) << 16);
  }
};

/// Of s16x2 and u16x2, for which there are few instructions.
template <typename Half> Decoded decodeHalves(std::string_view name) {
  if (name == "add")
    return binaryOf<Halves<Add, Half>>(Type::u32);
  if (name == "min")
    return binaryOf<Halves<Minimum, Half>>(Type::u32);
  if (name == "max")
    return binaryOf<Halves<Maximum, Half>>(Type::u32);
  return {};
}

Decoded decodeMultiply(Opcode &opcode, bool adds) {
  const int part = opcode.takeOneOf({"lo", "hi", "wide"});
  const Type type = opcode.takeType();
  if (part == 2)
    return decodeWide(type, adds);
  if (part < 0)
    return {};
  if (adds)
    return {part == 0 ? ofInteger<MultiplyAddOf<MultiplyLow>::Make>(type)
                      : ofInteger<MultiplyAddOf<MultiplyHigh>::Make>(type),
            4};
  return part == 0 ? binaryOf<MultiplyLow>(type) : binaryOf<MultiplyHigh>(type);
}
} // namespace

Decoded standin::ptx::decodeInteger(Opcode &opcode, Instruction &) {
  const std::string_view name = opcode.name();
  if (name == "mul" || name == "mad")
    return decodeMultiply(opcode, name == "mad");
  if (opcode.take("s16x2"))
    return decodeHalves<int16_t>(name);
  if (opcode.take("u16x2"))
    return decodeHalves<uint16_t>(name);
  const bool saturates = opcode.take("sat");
  const Type type = opcode.takeType();
  if (saturates && type != Type::s32)
    return {};
  if (name == "add")
    return saturates ? binaryOf<AddSaturated>(type) : binaryOf<Add>(type);
  if (name == "sub")
    return saturates ? binaryOf<SubtractSaturated>(type)
                     : binaryOf<Subtract>(type);
  if (saturates)
    return {};
  if (name == "div")
    return binaryOf<Divide>(type);
  if (name == "rem")
    return binaryOf<Remainder>(type);
  if (name == "min")
    return binaryOf<Minimum>(type);
  if (name == "max")
    return binaryOf<Maximum>(type);
  if (name == "neg")
    return {ofInteger<Negate>(type), 2};
  if (name == "abs")
    return {ofInteger<Absolute>(type), 2};
  return {};
}
