//===- Floats.cpp - Arithmetic of floating point numbers of PTX -----------===//

#include "Opcode.h"
#include "Values.h"

using namespace standin::ptx;

namespace {
struct Add {
  template <typename T> static T of(T x, T y) { return x + y; }
};
struct Subtract {
  template <typename T> static T of(T x, T y) { return x - y; }
};
struct Multiply {
  template <typename T> static T of(T x, T y) { return x * y; }
};
struct Divide {
  template <typename T> static T of(T x, T y) { return x / y; }
};
/// The other one where one is NaN; -0 is below 0.
struct Minimum {
  template <typename T> static T of(T x, T y) {
    if (x == y)
      return std::signbit(x) ? x : y;
    return x != x || y < x ? y : x;
  }
};
struct Maximum {
  template <typename T> static T of(T x, T y) {
    if (x == y)
      return std::signbit(x) ? y : x;
    return x != x || y > x ? y : x;
  }
};
template <typename F> struct WithNaN {
  template <typename T> static T of(T x, T y) {
    return x != x ? x : y != y ? y : F::template of<T>(x, y);
  }
};

template <Float T, typename F>
void binary(Thread &thread, const Instruction &i) {
  const auto x = number<T>(thread, i, i.slot[1]),
             y = number<T>(thread, i, i.slot[2]);
  putNumber<T>(thread, i, F::of(x, y));
}

template <Float T> void multiplyAdd(Thread &thread, const Instruction &i) {
  const auto x = number<T>(thread, i, i.slot[1]),
             y = number<T>(thread, i, i.slot[2]),
             z = number<T>(thread, i, i.slot[3]);
  putNumber<T>(thread, i, std::fma(x, y, z));
}

template <Float T> void squareRoot(Thread &thread, const Instruction &i) {
  putNumber<T>(thread, i, std::sqrt(number<T>(thread, i, i.slot[1])));
}

template <Float T> void reciprocal(Thread &thread, const Instruction &i) {
  putNumber<T>(thread, i, 1 / number<T>(thread, i, i.slot[1]));
}

// Of the sign's bit alone, which holds for NaN too.
template <typename U, bool isAbsolute>
void changeSign(Thread &thread, const Instruction &i) {
  constexpr U sign = U(1) << (8 * sizeof(U) - 1);
  U bits = get<U>(thread, i.slot[1]);
  if (sizeof(U) == 4 && i.flush)
    bits = U(
        std::bit_cast<uint32_t>(flushed(std::bit_cast<float>(uint32_t(bits)))));
  put(thread, i.slot[0], U(isAbsolute ? bits & ~sign : bits ^ sign));
}

template <bool isAbsolute>
void changeSigns(Thread &thread, const Instruction &i) {
  const auto bits = get<uint32_t>(thread, i.slot[1]);
  put(thread, i.slot[0], isAbsolute ? bits & 0x7fff7fffU : bits ^ 0x80008000U);
}

/// The first operand's sign on the second one.
template <typename U> void copySign(Thread &thread, const Instruction &i) {
  constexpr U sign = U(1) << (8 * sizeof(U) - 1);
  put(thread, i.slot[0],
      U((get<U>(thread, i.slot[1]) & sign) |
        (get<U>(thread, i.slot[2]) & ~sign)));
}

/// Both halves of f16x2 and bf16x2.
template <ShortFloat T, typename F>
void binaryOfPair(Thread &thread, const Instruction &i) {
  uint32_t result = 0;
  for (int half = 0; half < 2; ++half) {
    auto part = [&](int32_t slot) {
      return T{uint16_t(get<uint32_t>(thread, slot) >> (16 * half))}.value();
    };
    const T value = T::of(F::of(part(i.slot[1]), part(i.slot[2])));
    result |= uint32_t(value.bits) << (16 * half);
  }
  put(thread, i.slot[0], result);
}

template <ShortFloat T>
void multiplyAddOfPair(Thread &thread, const Instruction &i) {
  uint32_t result = 0;
  for (int half = 0; half < 2; ++half) {
    auto part = [&](int32_t slot) {
      return T{uint16_t(get<uint32_t>(thread, slot) >> (16 * half))}.value();
    };
    const T value =
        T::of(std::fma(part(i.slot[1]), part(i.slot[2]), part(i.slot[3])));
    result |= uint32_t(value.bits) << (16 * half);
  }
  put(thread, i.slot[0], result);
}

template <typename F> Decoded binaryOf(Type type) {
  switch (type) {
  case Type::f16:
    return {binary<Half, F>, 3};
  case Type::bf16:
    return {binary<Brain, F>, 3};
  case Type::f16x2:
    return {binaryOfPair<Half, F>, 3};
  case Type::bf16x2:
    return {binaryOfPair<Brain, F>, 3};
  case Type::f32:
    return {binary<float, F>, 3};
  case Type::f64:
    return {binary<double, F>, 3};
  default:
    return {};
  }
}

Decoded multiplyAddOf(Type type) {
  switch (type) {
  case Type::f16:
    return {multiplyAdd<Half>, 4};
  case Type::bf16:
    return {multiplyAdd<Brain>, 4};
  case Type::f16x2:
    return {multiplyAddOfPair<Half>, 4};
  case Type::bf16x2:
    return {multiplyAddOfPair<Brain>, 4};
  case Type::f32:
    return {multiplyAdd<float>, 4};
  case Type::f64:
    return {multiplyAdd<double>, 4};
  default:
    return {};
  }
}

template <bool isAbsolute> Decoded signOf(Type type) {
  switch (type) {
  case Type::f16:
  case Type::bf16:
    return {changeSign<uint16_t, isAbsolute>, 2};
  case Type::f16x2:
  case Type::bf16x2:
    return {changeSigns<isAbsolute>, 2};
  case Type::f32:
    return {changeSign<uint32_t, isAbsolute>, 2};
  case Type::f64:
    return {changeSign<uint64_t, isAbsolute>, 2};
  default:
    return {};
  }
}

Decoded decodeExtreme(Opcode &opcode) {
  const bool keepsNaN = opcode.take("NaN");
  const bool isMinimum = opcode.name() == "min";
  const Type type = opcode.takeType();
  if (isMinimum)
    return keepsNaN ? binaryOf<WithNaN<Minimum>>(type)
                    : binaryOf<Minimum>(type);
  return keepsNaN ? binaryOf<WithNaN<Maximum>>(type) : binaryOf<Maximum>(type);
}
} // namespace

Decoded standin::ptx::decodeFloat(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  // Rounding to nearest even is what the host does.
  instruction.flush = opcode.take("ftz");
  if (name == "min" || name == "max")
    return decodeExtreme(opcode);
  if (name == "neg")
    return signOf<false>(opcode.takeType());
  if (name == "abs")
    return signOf<true>(opcode.takeType());
  if (name == "copysign") {
    const Type type = opcode.takeType();
    return {type == Type::f32   ? copySign<uint32_t>
            : type == Type::f64 ? copySign<uint64_t>
                                : nullptr,
            3};
  }
  instruction.saturate = opcode.take("sat");
  const bool isRounded = opcode.take("rn");
  const Type type = opcode.takeType();
  if (instruction.saturate && (type == Type::f16x2 || type == Type::bf16x2))
    return {};
  if (name == "add")
    return binaryOf<Add>(type);
  if (name == "sub")
    return binaryOf<Subtract>(type);
  if (name == "mul")
    return binaryOf<Multiply>(type);
  if (name == "fma" || name == "mad")
    return multiplyAddOf(type);
  if (type != Type::f32 && type != Type::f64)
    return {};
  const bool isSingle = type == Type::f32;
  // The approximations are as exact here.
  if (!isRounded && opcode.takeOneOf({"approx", "full"}) < 0)
    return {};
  if (name == "div")
    return {isSingle ? binary<float, Divide> : binary<double, Divide>, 3};
  if (name == "sqrt")
    return {isSingle ? squareRoot<float> : squareRoot<double>, 2};
  if (name == "rcp")
    return {isSingle ? reciprocal<float> : reciprocal<double>, 2};
  return {};
}
