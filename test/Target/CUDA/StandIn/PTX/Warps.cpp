//===- Warps.cpp - Instructions that a warp executes together -------------===//

#include "Machine.h"
#include "Opcode.h"

#include <algorithm>
#include <bit>

using namespace standin::ptx;

namespace {
/// What a warp does with the values of its threads; `mode` of an instruction.
enum Action : uint8_t {
  meet,
  shuffleUp,
  shuffleDown,
  shuffleAcross,
  shuffleFrom,
  voteAll,
  voteAny,
  voteSame,
  ballot,
  reduceAdd,
  reduceAnd,
  reduceOr,
  reduceXor,
  reduceLeast,
  reduceMost,
  reduceLeastSigned,
  reduceMostSigned,
  elect
};

/// Where the mask of threads is among the operands.
int maskOperand(uint8_t action) {
  switch (action) {
  case meet:
    return 0;
  case shuffleUp:
  case shuffleDown:
  case shuffleAcross:
  case shuffleFrom:
    return 4;
  case elect:
    return 1;
  default:
    return 2;
  }
}

void waitForWarp(Thread &thread, const Instruction &) {
  thread.wait = Wait::warp;
}

void activeMask(Thread &thread, const Instruction &i) {
  // Each thread runs on its own here.
  put(thread, i.slot[0], 1U << (thread.number % 32));
}

void shuffle(Thread *const *lanes, const Instruction &i) {
  uint32_t values[32] = {};
  for (int lane = 0; lane < 32; ++lane)
    values[lane] = lanes[lane] ? get<uint32_t>(*lanes[lane], i.slot[1]) : ~0U;
  for (int lane = 0; lane < 32; ++lane) {
    if (!lanes[lane])
      continue;
    Thread &thread = *lanes[lane];
    const auto by = int(get<uint32_t>(thread, i.slot[2]) & 31);
    const auto bounds = get<uint32_t>(thread, i.slot[3]);
    const int clamp = int(bounds & 31), segment = int(bounds >> 8 & 31);
    const int least = lane & segment, most = least | (clamp & ~segment);
    int from = 0;
    bool isIn = false;
    switch (i.mode) {
    case shuffleUp:
      isIn = (from = lane - by) >= most;
      break;
    case shuffleDown:
      isIn = (from = lane + by) <= most;
      break;
    case shuffleAcross:
      isIn = (from = lane ^ by) <= most;
      break;
    default:
      isIn = (from = least | (by & ~segment)) <= most;
    }
    // From a thread that takes no part: no value that one could rely on.
    put(thread, i.slot[0], values[isIn ? from : lane]);
    if (i.pair >= 0)
      put<uint64_t>(thread, i.pair, isIn);
  }
}

void vote(Thread *const *lanes, const Instruction &i) {
  uint32_t taking = 0, yes = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (!lanes[lane])
      continue;
    taking |= 1U << lane;
    const bool value = lanes[lane]->slots[i.slot[1]] != 0;
    yes |= uint32_t(value) << lane;
  }
  const uint32_t result = i.mode == ballot    ? yes
                          : i.mode == voteAll ? yes == taking
                          : i.mode == voteAny ? yes != 0
                                              : yes == 0 || yes == taking;
  for (int lane = 0; lane < 32; ++lane)
    if (lanes[lane])
      put<uint64_t>(*lanes[lane], i.slot[0], result);
}

uint32_t combine(uint8_t action, uint32_t x, uint32_t y) {
  switch (action) {
  case reduceAdd:
    return x + y;
  case reduceAnd:
    return x & y;
  case reduceOr:
    return x | y;
  case reduceXor:
    return x ^ y;
  case reduceLeast:
    return std::min(x, y);
  case reduceMost:
    return std::max(x, y);
  case reduceLeastSigned:
    return uint32_t(std::min(int32_t(x), int32_t(y)));
  default:
    return uint32_t(std::max(int32_t(x), int32_t(y)));
  }
}

void reduce(Thread *const *lanes, const Instruction &i) {
  uint32_t result = 0;
  bool isFirst = true;
  for (int lane = 0; lane < 32; ++lane) {
    if (!lanes[lane])
      continue;
    const auto value = get<uint32_t>(*lanes[lane], i.slot[1]);
    result = isFirst ? value : combine(i.mode, result, value);
    isFirst = false;
  }
  for (int lane = 0; lane < 32; ++lane)
    if (lanes[lane])
      put(*lanes[lane], i.slot[0], result);
}

void chooseOne(Thread *const *lanes, const Instruction &i) {
  const auto first = uint32_t(
      std::find_if(lanes, lanes + 32, [](Thread *lane) { return lane; }) -
      lanes);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!lanes[lane])
      continue;
    put(*lanes[lane], i.slot[0], first);
    if (i.pair >= 0)
      put<uint64_t>(*lanes[lane], i.pair, lane == first);
  }
}

void go(Thread *const *, const Instruction &) {}

Decoded decodeReduction(Opcode &opcode, Instruction &instruction) {
  const int what = opcode.takeOneOf({"add", "and", "or", "xor", "min", "max"});
  const Type type = opcode.takeType();
  if (what < 0 || (type != Type::u32 && type != Type::s32 && type != Type::b32))
    return {};
  instruction.mode = uint8_t(reduceAdd + what);
  if (what >= 4 && type == Type::s32)
    instruction.mode += 2;
  return {waitForWarp, 3, true};
}
} // namespace

WarpHandler standin::ptx::warpHandler(const Instruction &instruction) {
  if (instruction.together)
    return instruction.together;
  switch (instruction.mode) {
  case meet:
    return go;
  case shuffleUp:
  case shuffleDown:
  case shuffleAcross:
  case shuffleFrom:
    return shuffle;
  case voteAll:
  case voteAny:
  case voteSame:
  case ballot:
    return vote;
  case elect:
    return chooseOne;
  default:
    return reduce;
  }
}

uint32_t standin::ptx::warpMask(const Thread &thread,
                                const Instruction &instruction) {
  if (instruction.together)
    return ~0U;
  return get<uint32_t>(thread, instruction.slot[maskOperand(instruction.mode)]);
}

Decoded standin::ptx::decodeWarp(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name == "activemask")
    return {opcode.take("b32") ? activeMask : nullptr, 1};
  if (!opcode.take("sync"))
    return {};
  if (name == "bar" && opcode.take("warp")) {
    instruction.mode = meet;
    return {waitForWarp, 1, false};
  }
  if (name == "shfl") {
    const int how = opcode.takeOneOf({"up", "down", "bfly", "idx"});
    instruction.mode = uint8_t(shuffleUp + how);
    return {how >= 0 && opcode.take("b32") ? waitForWarp : nullptr, 5};
  }
  if (name == "vote") {
    const int how = opcode.takeOneOf({"all", "any", "uni", "ballot"});
    instruction.mode = uint8_t(voteAll + how);
    const bool isTyped = opcode.take(how == 3 ? "b32" : "pred");
    return {how >= 0 && isTyped ? waitForWarp : nullptr, 3};
  }
  if (name == "redux")
    return decodeReduction(opcode, instruction);
  if (name == "elect") {
    instruction.mode = elect;
    return {waitForWarp, 2};
  }
  return {};
}
