//===- Comparisons.cpp - setp, set, selp and testp of PTX -----------------===//

#include "Opcode.h"
#include "Values.h"

using namespace standin::ptx;

namespace {
enum class Comparison {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  lo,
  ls,
  hi,
  hs,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};

/// What a predicate is combined with, besides `mode` bit 0: negated.
constexpr uint8_t combinesAnd = 2, combinesOr = 4, combination = 6;

template <Comparison how, typename T> bool compare(T x, T y) {
  const bool unordered = x != x || y != y;
  switch (how) {
  case Comparison::eq:
    return x == y;
  case Comparison::ne:
    return !unordered && x != y;
  case Comparison::lt:
  case Comparison::lo:
    return x < y;
  case Comparison::le:
  case Comparison::ls:
    return x <= y;
  case Comparison::gt:
  case Comparison::hi:
    return x > y;
  case Comparison::ge:
  case Comparison::hs:
    return x >= y;
  case Comparison::equ:
    return unordered || x == y;
  case Comparison::neu:
    return unordered || x != y;
  case Comparison::ltu:
    return unordered || x < y;
  case Comparison::leu:
    return unordered || x <= y;
  case Comparison::gtu:
    return unordered || x > y;
  case Comparison::geu:
    return unordered || x >= y;
  case Comparison::num:
    return !unordered;
  case Comparison::nan:
    return unordered;
  }
  return false;
}

template <typename T, Comparison how>
bool holds(Thread &thread, const Instruction &i) {
  if constexpr (Float<T>)
    return compare<how>(number<T>(thread, i, i.slot[1]),
                        number<T>(thread, i, i.slot[2]));
  else
    return compare<how>(get<T>(thread, i.slot[1]), get<T>(thread, i.slot[2]));
}

bool combined(const Thread &thread, const Instruction &i, bool value) {
  const bool other = (thread.slots[i.slot[3]] != 0) != ((i.mode & 1) != 0);
  const uint8_t how = i.mode & combination;
  return how == combinesAnd  ? value && other
         : how == combinesOr ? value || other
                             : value != other;
}

template <typename T, Comparison how>
void setPredicate(Thread &thread, const Instruction &i) {
  const bool value = holds<T, how>(thread, i);
  if (!(i.mode & combination)) {
    put<uint64_t>(thread, i.slot[0], value);
    if (i.pair >= 0)
      put<uint64_t>(thread, i.pair, !value);
    return;
  }
  const bool first = combined(thread, i, value),
             second = combined(thread, i, !value);
  put<uint64_t>(thread, i.slot[0], first);
  if (i.pair >= 0)
    put<uint64_t>(thread, i.pair, second);
}

/// set: all ones or 1.0 in place of a predicate. Mode: 8 for f32.
template <typename T, Comparison how>
void setValue(Thread &thread, const Instruction &i) {
  const bool value = holds<T, how>(thread, i);
  if (i.mode & 8)
    put(thread, i.slot[0], value ? 1.0f : 0.0f);
  else
    put(thread, i.slot[0], value ? ~0U : 0U);
}

template <Comparison how> Handler comparisonOf(Type type, bool isSet) {
#define TC_CASE(NAME, TYPE)                                                    \
  case Type::NAME:                                                             \
    return isSet ? setValue<TYPE, how> : setPredicate<TYPE, how>;
  constexpr bool isOfFloats = how >= Comparison::equ;
  switch (type) {
    TC_CASE(f16, Half)
    TC_CASE(bf16, Brain)
    TC_CASE(f32, float)
    TC_CASE(f64, double)
  default:
    break;
  }
  if constexpr (!isOfFloats) {
    switch (type) {
      TC_CASE(b16, uint16_t)
      TC_CASE(b32, uint32_t)
      TC_CASE(b64, uint64_t)
      TC_CASE(u16, uint16_t)
      TC_CASE(u32, uint32_t)
      TC_CASE(u64, uint64_t)
      TC_CASE(s16, int16_t)
      TC_CASE(s32, int32_t)
      TC_CASE(s64, int64_t)
    default:
      break;
    }
  }
#undef TC_CASE
  return nullptr;
}

Handler comparisonOf(int how, Type type, bool isSet) {
#define TC_CASE(NAME)                                                          \
  case Comparison::NAME:                                                       \
    return comparisonOf<Comparison::NAME>(type, isSet);
  switch (Comparison(how)) {
    TC_CASE(eq)
    TC_CASE(ne)
    TC_CASE(lt)
    TC_CASE(le)
    TC_CASE(gt)
    TC_CASE(ge)
    TC_CASE(lo)
    TC_CASE(ls)
    TC_CASE(hi)
    TC_CASE(hs)
    TC_CASE(equ)
    TC_CASE(neu)
    TC_CASE(ltu)
    TC_CASE(leu)
    TC_CASE(gtu)
    TC_CASE(geu)
    TC_CASE(num)
    TC_CASE(nan)
  }
#undef TC_CASE
  return nullptr;
}

template <typename T> void select(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0],
      get<T>(thread, thread.slots[i.slot[3]] ? i.slot[1] : i.slot[2]));
}

template <typename T> void testValue(Thread &thread, const Instruction &i) {
  const T value = get<T>(thread, i.slot[1]);
  const int kind = std::fpclassify(value);
  const bool results[] = {std::isfinite(value), kind == FP_INFINITE,
                          kind != FP_NAN,       kind == FP_NAN,
                          kind == FP_NORMAL,    kind == FP_SUBNORMAL};
  put<uint64_t>(thread, i.slot[0], results[i.mode]);
}

Decoded decodeSelect(Type type) {
  switch (type) {
  case Type::b16:
  case Type::u16:
  case Type::s16:
  case Type::f16:
  case Type::bf16:
    return {select<uint16_t>, 4};
  case Type::b32:
  case Type::u32:
  case Type::s32:
  case Type::f32:
    return {select<uint32_t>, 4};
  case Type::b64:
  case Type::u64:
  case Type::s64:
  case Type::f64:
    return {select<uint64_t>, 4};
  default:
    return {};
  }
}
} // namespace

Decoded standin::ptx::decodeComparison(Opcode &opcode,
                                       Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name == "selp")
    return decodeSelect(opcode.takeType());
  if (name == "testp") {
    const int what = opcode.takeOneOf(
        {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    const Type type = opcode.takeType();
    instruction.mode = uint8_t(what);
    return {what < 0            ? nullptr
            : type == Type::f32 ? testValue<float>
            : type == Type::f64 ? testValue<double>
                                : nullptr,
            2};
  }
  if (name != "setp" && name != "set")
    return {};
  const bool isSet = name == "set";
  instruction.flush = opcode.take("ftz");
  const int how = opcode.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "lo",
                                    "ls", "hi", "hs", "equ", "neu", "ltu",
                                    "leu", "gtu", "geu", "num", "nan"});
  const int combination = opcode.takeOneOf({"and", "or", "xor"});
  if (how < 0 || (isSet && combination >= 0))
    return {};
  if (isSet) {
    const Type to = opcode.takeType();
    if (to != Type::f32 && to != Type::u32 && to != Type::s32)
      return {};
    instruction.mode = to == Type::f32 ? 8 : 0;
  } else {
    instruction.mode = uint8_t(2 * (combination + 1));
  }
  return {comparisonOf(how, opcode.takeType(), isSet), combination < 0 ? 3 : 4};
}
