//===- Moves.cpp - mov and conversions of addresses of PTX ----------------===//

#include "Machine.h"
#include "Opcode.h"

using namespace standin::ptx;

namespace {
template <typename T> void move(Thread &thread, const Instruction &i) {
  put(thread, i.slot[0], get<T>(thread, i.slot[1]));
}

/// Of a value of `bytes` into the elements of a vector, the lowest first.
template <typename T> void scatter(Thread &thread, const Instruction &i) {
  const uint64_t bits = thread.slots[i.slot[1]];
  for (int k = 0; k < i.count; ++k)
    put(thread, i.element[k], T(bits >> (8 * sizeof(T) * size_t(k))));
}

template <typename T> void gather(Thread &thread, const Instruction &i) {
  uint64_t bits = 0;
  for (int k = 0; k < i.count; ++k)
    bits |= uint64_t(get<T>(thread, i.element[k]))
            << (8 * sizeof(T) * size_t(k));
  thread.slots[i.slot[0]] = bits;
}

/// mov of a vector: which way is known once the operands are.
template <typename T> void moveAny(Thread &thread, const Instruction &i) {
  if (i.count == 1) {
    move<T>(thread, i);
    return;
  }
  const bool isGather = i.slot[0] >= 0;
  switch (sizeof(T) / i.count) {
  case 1:
    return isGather ? gather<uint8_t>(thread, i) : scatter<uint8_t>(thread, i);
  case 2:
    return isGather ? gather<uint16_t>(thread, i)
                    : scatter<uint16_t>(thread, i);
  default:
    return isGather ? gather<uint32_t>(thread, i)
                    : scatter<uint32_t>(thread, i);
  }
}

/// The address of a place of this block in a block of the cluster.
template <typename T> void mapAddress(Thread &thread, const Instruction &i) {
  const auto rank = get<uint32_t>(thread, i.slot[2]);
  if (rank >= thread.block->machine->blocks.size()) {
    fail(thread, i, illegalAccess,
         "the cluster has no block " + std::to_string(rank));
    return;
  }
  put(thread, i.slot[0], T(inBlock(get<T>(thread, i.slot[1]), rank)));
}
} // namespace

Decoded standin::ptx::decodeMove(Opcode &opcode, Instruction &) {
  const std::string_view name = opcode.name();
  if (name == "mapa") {
    opcode.take("shared::cluster");
    const Type type = opcode.takeType();
    return {type == Type::u64   ? mapAddress<uint64_t>
            : type == Type::u32 ? mapAddress<uint32_t>
                                : nullptr,
            3};
  }
  if (name == "cvta") { // windows are part of every address
    opcode.take("to");
    opcode.drop({"global", "shared", "shared::cta", "shared::cluster", "local",
                 "const", "param"});
    return {opcode.takeType() == Type::u64 ? move<uint64_t> : nullptr, 2};
  }
  if (name != "mov")
    return {};
  switch (opcode.takeType()) {
  case Type::pred:
    return {move<uint64_t>, 2};
  case Type::b16:
  case Type::u16:
  case Type::s16:
    return {moveAny<uint16_t>, 2};
  case Type::b32:
  case Type::u32:
  case Type::s32:
  case Type::f32:
    return {moveAny<uint32_t>, 2};
  case Type::b64:
  case Type::u64:
  case Type::s64:
  case Type::f64:
    return {moveAny<uint64_t>, 2};
  default:
    return {};
  }
}
