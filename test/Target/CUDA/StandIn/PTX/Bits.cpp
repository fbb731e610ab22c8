//===- Bits.cpp - Logic, shifts and fields of bits of PTX -----------------===//

#include "Machine.h"
#include "Opcode.h"

#include <algorithm>
#include <bit>
#include <type_traits>

using namespace standin::ptx;

namespace {
enum class Logic { both, either, different, inverted, isZero };

template <typename T, Logic logic>
void combine(Thread &thread, const Instruction &i) {
  const T x = get<T>(thread, i.slot[1]);
  if constexpr (logic == Logic::inverted)
    put(thread, i.slot[0], T(~x));
  else if constexpr (logic == Logic::isZero)
    put(thread, i.slot[0], T(x == 0));
  else {
    const T y = get<T>(thread, i.slot[2]);
    put(thread, i.slot[0],
        logic == Logic::both     ? T(x & y)
        : logic == Logic::either ? T(x | y)
                                 : T(x ^ y));
  }
}

void invertPredicate(Thread &thread, const Instruction &i) {
  put<uint64_t>(thread, i.slot[0], thread.slots[i.slot[1]] == 0);
}

template <Logic logic> Decoded combinationOf(Type type) {
  const int operands =
      logic == Logic::inverted || logic == Logic::isZero ? 2 : 3;
  switch (type) {
  case Type::pred:
    if (logic == Logic::isZero)
      return {};
    return {logic == Logic::inverted ? invertPredicate
                                     : combine<uint64_t, logic>,
            operands};
  case Type::b16:
    return {combine<uint16_t, logic>, operands};
  case Type::b32:
    return {combine<uint32_t, logic>, operands};
  case Type::b64:
    return {combine<uint64_t, logic>, operands};
  default:
    return {};
  }
}

/// Shifts by the width or more give what shifting bit by bit would give.
template <typename T> void shiftLeft(Thread &thread, const Instruction &i) {
  const auto by = get<uint32_t>(thread, i.slot[2]);
  const T value = get<T>(thread, i.slot[1]);
  put(thread, i.slot[0], by >= 8 * sizeof(T) ? T(0) : T(value << by));
}

template <typename T> void shiftRight(Thread &thread, const Instruction &i) {
  const uint32_t by =
      std::min<uint32_t>(get<uint32_t>(thread, i.slot[2]), 8 * sizeof(T));
  const T value = get<T>(thread, i.slot[1]);
  if (by == 8 * sizeof(T))
    put(thread, i.slot[0], T(value < 0 ? -1 : 0));
  else
    put(thread, i.slot[0], T(value >> by));
}

Decoded shiftRightOf(Type type) {
  switch (type) {
  case Type::b16:
  case Type::u16:
    return {shiftRight<uint16_t>, 3};
  case Type::s16:
    return {shiftRight<int16_t>, 3};
  case Type::b32:
  case Type::u32:
    return {shiftRight<uint32_t>, 3};
  case Type::s32:
    return {shiftRight<int32_t>, 3};
  case Type::b64:
  case Type::u64:
    return {shiftRight<uint64_t>, 3};
  case Type::s64:
    return {shiftRight<int64_t>, 3};
  default:
    return {};
  }
}

/// shf: one half of a value of 64 bits that is shifted. Mode: 1 to the left, 2
/// clamped.
void funnelShift(Thread &thread, const Instruction &i) {
  const uint64_t value =
      get<uint32_t>(thread, i.slot[1]) | (thread.slots[i.slot[2]] << 32);
  const auto given = get<uint32_t>(thread, i.slot[3]);
  const uint32_t by = i.mode & 2 ? std::min(given, 32U) : given & 31;
  put(thread, i.slot[0],
      i.mode & 1 ? uint32_t((value << by) >> 32) : uint32_t(value >> by));
}

/// bfe: a field of bits, with its last bit as the sign or with zeros.
template <typename T> void extractField(Thread &thread, const Instruction &i) {
  constexpr uint32_t bits = 8 * sizeof(T);
  using U = std::make_unsigned_t<T>;
  const U value = get<U>(thread, i.slot[1]);
  const uint32_t begin = get<uint32_t>(thread, i.slot[2]) & 255,
                 length = get<uint32_t>(thread, i.slot[3]) & 255;
  U field = begin < bits ? U(value >> begin) : U(0);
  if (length < bits)
    field &= U((U(1) << length) - 1);
  if (std::is_signed_v<T> && length) {
    const uint32_t last = std::min(begin + length - 1, bits - 1);
    const uint32_t taken = std::min(length, begin < bits ? bits - begin : 0);
    if (((value >> last) & 1) && taken < bits)
      field |= U(~U(0)) << taken;
  }
  put(thread, i.slot[0], field);
}

/// bfi: a value with a field of bits replaced.
template <typename T> void insertField(Thread &thread, const Instruction &i) {
  constexpr uint32_t bits = 8 * sizeof(T);
  const T field = get<T>(thread, i.slot[1]), into = get<T>(thread, i.slot[2]);
  const uint32_t begin = get<uint32_t>(thread, i.slot[3]) & 255,
                 length = get<uint32_t>(thread, i.slot[4]) & 255;
  T mask = length < bits ? T((T(1) << length) - 1) : T(~T(0));
  mask = begin < bits ? T(mask << begin) : T(0);
  const T moved = begin < bits ? T(field << begin) : T(0);
  put(thread, i.slot[0], T((into & ~mask) | (moved & mask)));
}

template <typename T> void countOnes(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0], uint32_t(std::popcount(get<T>(thread, i.slot[1]))));
}

template <typename T> void countZeros(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0], uint32_t(std::countl_zero(get<T>(thread, i.slot[1]))));
}

template <typename T> void reverse(Thread &thread, const Instruction &i) {
  T value = get<T>(thread, i.slot[1]), result = 0;
  for (size_t bit = 0; bit < 8 * sizeof(T); ++bit, value >>= 1)
    result = T(result << 1) | (value & 1);
  put(thread, i.slot[0], result);
}

/// The last bit that differs from the sign.
template <typename T> void findBit(Thread &thread, const Instruction &i) {
  using U = std::make_unsigned_t<T>;
  const T value = get<T>(thread, i.slot[1]);
  const U bits = value < 0 ? U(~value) : U(value);
  const auto zeros = uint32_t(std::countl_zero(bits));
  const uint32_t width = 8 * sizeof(T);
  put(thread, i.slot[0],
      zeros == width ? ~0U
      : i.mode       ? zeros
                     : width - 1 - zeros);
}

/// lop3: a table of eight bits for every bit of three values.
void lookUp(Thread &thread, const Instruction &i) {
  const auto x = get<uint32_t>(thread, i.slot[1]),
             y = get<uint32_t>(thread, i.slot[2]),
             z = get<uint32_t>(thread, i.slot[3]),
             table = get<uint32_t>(thread, i.slot[4]);
  uint32_t result = 0;
  for (uint32_t k = 0; k < 8; ++k)
    if (table >> k & 1)
      result |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
  put(thread, i.slot[0], result);
}

/// prmt without a mode: each nibble chooses a byte of two words, or, with its
/// highest bit, that byte's sign.
void permute(Thread &thread, const Instruction &i) {
  const uint64_t bytes =
      get<uint32_t>(thread, i.slot[1]) | (thread.slots[i.slot[2]] << 32);
  const auto selector = get<uint32_t>(thread, i.slot[3]);
  uint32_t result = 0;
  for (uint32_t k = 0; k < 4; ++k) {
    const uint32_t choice = selector >> (4 * k) & 15;
    auto byte = uint32_t(bytes >> (8 * (choice & 7))) & 255;
    if (choice & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * k);
  }
  put(thread, i.slot[0], result);
}

/// prmt.f4e to prmt.rc16: the choice of bytes by the last two bits of the
/// selector.
void permuteByMode(Thread &thread, const Instruction &i) {
  constexpr uint16_t choices[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543},  // f4e
                                      {0x5670, 0x6701, 0x7012, 0x0123},  // b4e
                                      {0x0000, 0x1111, 0x2222, 0x3333},  // rc8
                                      {0x3210, 0x3211, 0x3222, 0x3333},  // ecl
                                      {0x0000, 0x1110, 0x2210, 0x3210},  // ecr
                                      {0x1010, 0x3232, 0x1010, 0x3232}}; // rc16
  const uint64_t bytes =
      get<uint32_t>(thread, i.slot[1]) | (thread.slots[i.slot[2]] << 32);
  const uint16_t choice = choices[i.mode][get<uint32_t>(thread, i.slot[3]) & 3];
  uint32_t result = 0;
  for (uint32_t k = 0; k < 4; ++k)
    result |= (uint32_t(bytes >> (8 * (choice >> (4 * k) & 7))) & 255)
              << (8 * k);
  put(thread, i.slot[0], result);
}

template <template <typename> class Make>
Decoded ofWords(Type type, int operands) {
  switch (type) {
  case Type::b32:
  case Type::u32:
    return {Make<uint32_t>::handler, operands};
  case Type::s32:
    return {Make<int32_t>::handler, operands};
  case Type::b64:
  case Type::u64:
    return {Make<uint64_t>::handler, operands};
  case Type::s64:
    return {Make<int64_t>::handler, operands};
  default:
    return {};
  }
}

template <typename T> struct ExtractField {
  static constexpr Handler handler = extractField<T>;
};
template <typename T> struct FindBit {
  static constexpr Handler handler = findBit<T>;
};

/// Of b32 or b64 alone.
Decoded ofBits(Type type, Handler narrow, Handler wide, int operands) {
  return {type == Type::b32   ? narrow
          : type == Type::b64 ? wide
                              : nullptr,
          operands};
}

Decoded decodeFields(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name == "shf") {
    instruction.mode = uint8_t(opcode.takeOneOf({"r", "l"}) == 1);
    const int clamps = opcode.takeOneOf({"wrap", "clamp"});
    instruction.mode |= uint8_t(clamps == 1 ? 2 : 0);
    return {clamps >= 0 && opcode.take("b32") ? funnelShift : nullptr, 4};
  }
  if (name == "prmt") {
    const bool isWord = opcode.take("b32");
    const int mode =
        opcode.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    instruction.mode = uint8_t(mode);
    return {!isWord ? nullptr : mode < 0 ? permute : permuteByMode, 4};
  }
  if (name == "lop3")
    return {opcode.take("b32") ? lookUp : nullptr, 5};
  if (name == "bfind") {
    instruction.mode = opcode.take("shiftamt");
    return ofWords<FindBit>(opcode.takeType(), 2);
  }
  const Type type = opcode.takeType();
  if (name == "bfe")
    return ofWords<ExtractField>(type, 4);
  if (name == "bfi")
    return ofBits(type, insertField<uint32_t>, insertField<uint64_t>, 5);
  if (name == "popc")
    return ofBits(type, countOnes<uint32_t>, countOnes<uint64_t>, 2);
  if (name == "clz")
    return ofBits(type, countZeros<uint32_t>, countZeros<uint64_t>, 2);
  if (name == "brev")
    return ofBits(type, reverse<uint32_t>, reverse<uint64_t>, 2);
  return {};
}
} // namespace

Decoded standin::ptx::decodeBits(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name == "and")
    return combinationOf<Logic::both>(opcode.takeType());
  if (name == "or")
    return combinationOf<Logic::either>(opcode.takeType());
  if (name == "xor")
    return combinationOf<Logic::different>(opcode.takeType());
  if (name == "not")
    return combinationOf<Logic::inverted>(opcode.takeType());
  if (name == "cnot")
    return combinationOf<Logic::isZero>(opcode.takeType());
  if (name == "shr")
    return shiftRightOf(opcode.takeType());
  if (name == "shl") {
    const Type type = opcode.takeType();
    return {type == Type::b16   ? shiftLeft<uint16_t>
            : type == Type::b32 ? shiftLeft<uint32_t>
            : type == Type::b64 ? shiftLeft<uint64_t>
                                : nullptr,
            3};
  }
  return decodeFields(opcode, instruction);
}
