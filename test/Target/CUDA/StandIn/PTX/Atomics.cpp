//===- Atomics.cpp - atom and red of PTX ----------------------------------===//

#include "Opcode.h"
#include "Values.h"

#include <algorithm>

using namespace standin::ptx;

namespace {
enum class Action { add, least, most, both, either, different, set, swap };

template <typename T, Action action>
T result(Thread &thread, const Instruction &i, T old, int operand) {
  const T value = get<T>(thread, i.slot[operand]);
  switch (action) {
  case Action::add:
    if constexpr (std::integral<T>)
      return T(uint64_t(old) + uint64_t(value));
    else
      return old + value;
  case Action::least:
    return std::min(old, value);
  case Action::most:
    return std::max(old, value);
  case Action::set:
    return value;
  case Action::swap:
    return old == value ? get<T>(thread, i.slot[operand + 1]) : old;
  default:
    break;
  }
  if constexpr (std::integral<T>)
    return action == Action::both     ? T(old & value)
           : action == Action::either ? T(old | value)
                                      : T(old ^ value);
  return old;
}

// Threads run one at a time, so that nothing can come between.
template <typename T, Action action>
void exchange(Thread &thread, const Instruction &i) {
  const bool keeps = i.mode == 0; // atom, not red
  const int address = keeps ? 1 : 0;
  char *place = access(thread, i, i.slot[address], sizeof(T));
  if (!place)
    return;
  T old;
  std::memcpy(&old, place, sizeof(T));
  const T made = result<T, action>(thread, i, old, address + 1);
  std::memcpy(place, &made, sizeof(T));
  if (keeps)
    put(thread, i.slot[0], old);
}

/// inc and dec: around a bound. Mode 2 of red: without a result.
template <bool isUp> void count(Thread &thread, const Instruction &i) {
  const int address = i.mode == 0 ? 1 : 0;
  char *place = access(thread, i, i.slot[address], 4);
  if (!place)
    return;
  uint32_t old = 0;
  std::memcpy(&old, place, 4);
  const auto bound = get<uint32_t>(thread, i.slot[address + 1]);
  const uint32_t made = isUp ? (old >= bound ? 0 : old + 1)
                             : (old == 0 || old > bound ? bound : old - 1);
  std::memcpy(place, &made, 4);
  if (i.mode == 0)
    put(thread, i.slot[0], old);
}

template <Action action> Handler ofBits(Type type) {
  switch (type) {
  case Type::b16:
    return action == Action::swap ? exchange<uint16_t, action> : nullptr;
  case Type::b32:
    return exchange<uint32_t, action>;
  case Type::b64:
    return exchange<uint64_t, action>;
  default:
    return nullptr;
  }
}

template <Action action> Handler ofNumbers(Type type) {
  switch (type) {
  case Type::u32:
    return exchange<uint32_t, action>;
  case Type::u64:
    return exchange<uint64_t, action>;
  case Type::s32:
    return exchange<int32_t, action>;
  case Type::s64:
    return exchange<int64_t, action>;
  case Type::f32:
    return action == Action::add ? exchange<float, action> : nullptr;
  case Type::f64:
    return action == Action::add ? exchange<double, action> : nullptr;
  default:
    return nullptr;
  }
}

Handler handlerOf(int action, Type type) {
  switch (action) {
  case 0:
    return ofNumbers<Action::add>(type);
  case 1:
    return ofNumbers<Action::least>(type);
  case 2:
    return ofNumbers<Action::most>(type);
  case 3:
    return ofBits<Action::both>(type);
  case 4:
    return ofBits<Action::either>(type);
  case 5:
    return ofBits<Action::different>(type);
  case 6:
    return ofBits<Action::set>(type);
  case 7:
    return ofBits<Action::swap>(type);
  case 8:
    return type == Type::u32 ? count<true> : nullptr;
  case 9:
    return type == Type::u32 ? count<false> : nullptr;
  default:
    return nullptr;
  }
}
} // namespace

Decoded standin::ptx::decodeAtomic(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name != "atom" && name != "red")
    return {};
  const bool keeps = name == "atom";
  opcode.drop({"relaxed", "acquire", "release", "acq_rel", "cta", "cluster",
               "gpu", "sys"});
  constexpr Space spaces[] = {Space::global, Space::shared, Space::shared,
                              Space::cluster};
  const int space =
      opcode.takeOneOf({"global", "shared", "shared::cta", "shared::cluster"});
  instruction.space = space < 0 ? Space::generic : spaces[space];
  instruction.mode = keeps ? 0 : 2;
  const int action = opcode.takeOneOf(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  const int operands = 2 + (keeps ? 1 : 0) + (action == 7 ? 1 : 0);
  return {handlerOf(action, opcode.takeType()), operands, keeps};
}
