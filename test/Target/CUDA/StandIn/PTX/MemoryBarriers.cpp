//===- MemoryBarriers.cpp - mbarrier of PTX -------------------------------===//
//
// A barrier in shared memory counts the arrivals and the bytes of copies that
// its phase still waits for. A thread that waits for a phase does not run until
// that is over, so that a wait without an end is found.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Opcode.h"

using namespace standin::ptx;

namespace {
struct MemoryBarrier {
  uint16_t expected, missing; ///< arrivals
  int32_t bytes : 31;         ///< to come
  uint32_t phase : 1;
};
static_assert(sizeof(MemoryBarrier) == 8);

MemoryBarrier read(const char *place) {
  MemoryBarrier barrier;
  std::memcpy(&barrier, place, sizeof(barrier));
  return barrier;
}

void write(char *place, MemoryBarrier barrier) {
  if (!barrier.missing && !barrier.bytes) {
    barrier.phase ^= 1;
    barrier.missing = barrier.expected;
  }
  std::memcpy(place, &barrier, sizeof(barrier));
}

void init(Thread &thread, const Instruction &i) {
  char *place = access(thread, i, i.slot[0], sizeof(MemoryBarrier));
  const auto count = get<uint32_t>(thread, i.slot[1]);
  if (!place)
    return;
  if (count < 1 || count > 0xffff) {
    fail(thread, i, launchFailed,
         "a barrier waits for " + std::to_string(count) + " arrivals");
    return;
  }
  write(place, {uint16_t(count), uint16_t(count), 0, 0});
}

void arrive(Thread &thread, const Instruction &i, int32_t bytes) {
  char *place = access(thread, i, i.slot[1], sizeof(MemoryBarrier));
  if (!place)
    return;
  MemoryBarrier barrier = read(place);
  thread.slots[i.slot[0]] = barrier.phase;
  if (!barrier.missing) {
    fail(thread, i, launchFailed,
         "all of the phase have arrived, which waits for bytes");
    return;
  }
  --barrier.missing;
  barrier.bytes += bytes;
  write(place, barrier);
}

void arriveAlone(Thread &thread, const Instruction &i) { arrive(thread, i, 0); }

void arriveExpecting(Thread &thread, const Instruction &i) {
  arrive(thread, i, get<int32_t>(thread, i.slot[2]));
}

/// More bytes for the phase, which no thread arrives with.
void expect(Thread &thread, const Instruction &i) {
  char *place = access(thread, i, i.slot[0], sizeof(MemoryBarrier));
  if (!place)
    return;
  MemoryBarrier barrier = read(place);
  barrier.bytes += get<int32_t>(thread, i.slot[1]);
  write(place, barrier);
}

/// Comes back to the instruction when the phase is over.
void wait(Thread &thread, const Instruction &i) {
  const char *place = access(thread, i, i.slot[1], sizeof(MemoryBarrier));
  if (!place)
    return;
  thread.parity = get<uint32_t>(thread, i.slot[2]) & 1;
  const bool isDone = isOver(place, thread.parity);
  put<uint64_t>(thread, i.slot[0], isDone);
  if (isDone)
    return;
  thread.memoryBarrier = place;
  thread.wait = Wait::phase;
  thread.pc = i.index;
}

/// st.async: 8 bytes into the shared memory of a block of the cluster.
void storeWideToBlock(Thread &thread, const Instruction &i) {
  const auto value = get<uint64_t>(thread, i.slot[1]);
  char *to = findMemoryIn(thread, i, Space::cluster,
                          sharedAddress(thread, i, 0), sizeof(value));
  if (!to)
    return;
  std::memcpy(to, &value, sizeof(value));
  completeBytes(thread, i, sharedAddress(thread, i, 2), sizeof(value));
}

/// The same of the words of a vector.
void storeToBlock(Thread &thread, const Instruction &i) {
  const uint32_t bytes = 4 * uint32_t(i.count);
  char *to = findMemoryIn(thread, i, Space::cluster,
                          sharedAddress(thread, i, 0), bytes);
  if (!to)
    return;
  for (int k = 0; k < i.count; ++k) {
    const auto value = get<uint32_t>(thread, i.element[k]);
    std::memcpy(to + 4 * size_t(k), &value, sizeof(value));
  }
  completeBytes(thread, i, sharedAddress(thread, i, 2), bytes);
}
} // namespace

bool standin::ptx::isOver(const char *barrier, bool parity) {
  return read(barrier).phase != uint32_t(parity);
}

/// Changes what the phase of the barrier at an address still waits for.
static void change(Thread &thread, const Instruction &instruction, Space space,
                   uint64_t address, int arrivals, int32_t bytes) {
  char *place =
      findMemoryIn(thread, instruction, space, address, sizeof(MemoryBarrier));
  if (!place)
    return;
  MemoryBarrier barrier = read(place);
  barrier.missing = uint16_t(barrier.missing + arrivals);
  barrier.bytes += bytes;
  write(place, barrier);
}

void standin::ptx::awaitCopies(Thread &thread, const Instruction &instruction,
                               uint64_t address, int arrivals) {
  change(thread, instruction, Space::shared, address, arrivals, 0);
}

void standin::ptx::completeBytes(Thread &thread, const Instruction &instruction,
                                 uint64_t address, uint32_t bytes) {
  change(thread, instruction, Space::cluster, address, 0, -int32_t(bytes));
}

Decoded standin::ptx::decodeMemoryBarrier(Opcode &opcode,
                                          Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name == "st" && opcode.take("async")) {
    opcode.drop({"weak", "shared::cluster", "mbarrier::complete_tx::bytes",
                 "v2", "v4", "b32"});
    Decoded result(opcode.take("b64") ? storeWideToBlock : storeToBlock, 3,
                   false);
    result.takesAddresses = true;
    return result;
  }
  if (name != "mbarrier")
    return {};
  instruction.space =
      opcode.take("shared::cluster") ? Space::cluster : Space::shared;
  opcode.drop({"shared", "shared::cta", "b64", "relaxed", "cta"});
  if (opcode.take("init"))
    return {init, 2, false};
  if (opcode.take("arrive"))
    return opcode.take("expect_tx") ? Decoded(arriveExpecting, 3)
                                    : Decoded(arriveAlone, 2);
  if (opcode.take("expect_tx"))
    return {expect, 2, false};
  if ((opcode.take("try_wait") || opcode.take("test_wait")) &&
      opcode.take("parity"))
    return {wait, 3, 4, true};
  return {};
}
