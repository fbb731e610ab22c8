//===- MemoryInstructions.cpp - Loads and stores of PTX -------------------===//

#include "Machine.h"
#include "Opcode.h"

using namespace standin::ptx;

namespace {
/// Signed values are widened to the register.
template <typename T> void putLoaded(Thread &thread, int32_t slot, T value) {
  if constexpr (std::is_signed_v<T>)
    put(thread, slot, int64_t(value));
  else
    put(thread, slot, value);
}

template <typename T> void load(Thread &thread, const Instruction &i) {
  const char *from =
      access(thread, i, i.slot[1], uint32_t(sizeof(T)) * i.count);
  if (!from)
    return;
  for (int k = 0; k < i.count; ++k) {
    T value;
    std::memcpy(&value, from + sizeof(T) * size_t(k), sizeof(T));
    putLoaded(thread, i.slot[0] >= 0 ? i.slot[0] : i.element[k], value);
  }
}

template <typename T> void store(Thread &thread, const Instruction &i) {
  char *to = access(thread, i, i.slot[0], uint32_t(sizeof(T)) * i.count);
  if (!to)
    return;
  for (int k = 0; k < i.count; ++k) {
    const T value = get<T>(thread, i.slot[1] >= 0 ? i.slot[1] : i.element[k]);
    std::memcpy(to + sizeof(T) * size_t(k), &value, sizeof(T));
  }
}

/// Only looks whether the address is one.
void ignore(Thread &, const Instruction &) {}

/// A policy for caches, of which there are none here.
void makePolicy(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0], uint64_t(0));
}

Handler loadOf(Type type) {
  switch (type) {
  case Type::s8:
    return load<int8_t>;
  case Type::s16:
    return load<int16_t>;
  case Type::s32:
    return load<int32_t>;
  case Type::b8:
  case Type::u8:
    return load<uint8_t>;
  case Type::b16:
  case Type::u16:
  case Type::f16:
  case Type::bf16:
    return load<uint16_t>;
  case Type::b32:
  case Type::u32:
  case Type::f32:
    return load<uint32_t>;
  case Type::b64:
  case Type::u64:
  case Type::s64:
  case Type::f64:
    return load<uint64_t>;
  default:
    return nullptr;
  }
}

Handler storeOf(Type type) {
  switch (type) {
  case Type::b8:
  case Type::u8:
  case Type::s8:
    return store<uint8_t>;
  case Type::b16:
  case Type::u16:
  case Type::s16:
  case Type::f16:
  case Type::bf16:
    return store<uint16_t>;
  case Type::b32:
  case Type::u32:
  case Type::s32:
  case Type::f32:
    return store<uint32_t>;
  case Type::b64:
  case Type::u64:
  case Type::s64:
  case Type::f64:
    return store<uint64_t>;
  default:
    return nullptr;
  }
}

Space takeSpace(Opcode &opcode) {
  constexpr Space spaces[] = {Space::global,   Space::constant, Space::shared,
                              Space::shared,   Space::cluster,  Space::local,
                              Space::parameter};
  const int found =
      opcode.takeOneOf({"global", "const", "shared", "shared::cta",
                        "shared::cluster", "local", "param"});
  return found < 0 ? Space::generic : spaces[found];
}
} // namespace

Decoded standin::ptx::decodeMemory(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name == "prefetch" || name == "prefetchu") {
    opcode.drop({"global", "L1", "L2", "L2::evict_last", "L2::evict_normal",
                 "param", "tensormap"});
    return {ignore, 1, false};
  }
  if (name == "createpolicy" && opcode.take("fractional")) {
    opcode.drop({"L2::evict_last", "L2::evict_first", "b64"});
    return {makePolicy, 1};
  }
  if (name != "ld" && name != "st" && name != "ldu")
    return {};
  // What other threads see when, and what stays in caches: here memory is
  // always the same for all.
  opcode.drop({"weak", "volatile", "relaxed", "acquire", "release", "cta",
               "cluster", "gpu", "sys", "ca", "cg", "cs", "lu", "cv", "wb",
               "wt", "nc"});
  opcode.drop({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
               "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B",
               "L2::256B", "L2::evict_first", "L2::evict_last"});
  const bool hasPolicy = opcode.take("L2::cache_hint");
  instruction.space = takeSpace(opcode);
  opcode.drop({"v2", "v4"});
  const Type type = opcode.takeType();
  const bool isStore = name == "st";
  return {isStore ? storeOf(type) : loadOf(type), 2, hasPolicy ? 3 : 2,
          !isStore};
}
