//===- Addresses.cpp - What an address of a kernel stands for -------------===//

#include "Machine.h"

#include <algorithm>

using namespace standin::ptx;

static std::string hexadecimal(uint64_t value) {
  std::string text;
  for (; value; value >>= 4)
    text.insert(text.begin(), "0123456789abcdef"[value & 15]);
  return "0x" + (text.empty() ? "0" : text);
}

void standin::ptx::fail(Thread &thread, const Instruction &instruction,
                        int error, const std::string &what) {
  thread.wait = Wait::failed;
  const Block &block = *thread.block;
  Machine &machine = *block.machine;
  if (machine.outcome.error)
    return;
  const uint32_t *size = machine.shape.block;
  const uint32_t at[] = {thread.number % size[0],
                         thread.number / size[0] % size[1],
                         thread.number / size[0] / size[1]};
  auto triple = [](const uint32_t *of) {
    return "(" + std::to_string(of[0]) + ", " + std::to_string(of[1]) + ", " +
           std::to_string(of[2]) + ")";
  };
  machine.outcome = {error, "kernel '" + machine.entry.name + "', block " +
                                triple(block.index) + ", thread " + triple(at) +
                                ": '" + machine.entry.text[instruction.index] +
                                "': " + what};
}

namespace {
char *inRange(char *begin, uint64_t size, uint64_t offset, uint32_t bytes) {
  return offset <= size && bytes <= size - offset ? begin + offset : nullptr;
}

/// A place in the shared memory of this block or of another of the cluster.
char *findShared(Thread &thread, bool ofCluster, uint64_t address,
                 uint32_t bytes) {
  const uint64_t rank = (address - sharedWindow) / sharedStride;
  auto &blocks = thread.block->machine->blocks;
  if (rank >= blocks.size() || (!ofCluster && rank != thread.block->rank))
    return nullptr;
  Block &block = blocks[rank];
  // Shared memory ends with its block.
  if (block.exited == block.threads.size())
    return nullptr;
  return inRange(block.shared.data(), block.shared.size(),
                 (address - sharedWindow) % sharedStride, bytes);
}

char *findGlobal(Thread &thread, const Instruction &instruction,
                 uint64_t address, uint32_t bytes) {
  Machine &machine = *thread.block->machine;
  auto above = std::upper_bound(
      machine.memory.begin(), machine.memory.end(), address,
      [](uint64_t value, const Range &range) { return value < range.begin; });
  if (above == machine.memory.begin() ||
      address + bytes > std::prev(above)->end || address + bytes < address)
    return nullptr;
  machine.lastUsed[instruction.index] = *std::prev(above);
  return reinterpret_cast<char *>(address);
}

char *find(Thread &thread, const Instruction &instruction, Space space,
           uint64_t address, uint32_t bytes) {
  const Machine &machine = *thread.block->machine;
  if (space == Space::generic)
    space = address < sharedWindow                 ? Space::global
            : address < parameterWindow            ? Space::cluster
            : address < localWindow                ? Space::parameter
            : address < localWindow + sharedWindow ? Space::local
                                                   : Space::global;
  switch (space) {
  case Space::shared:
  case Space::cluster:
    return findShared(thread, space == Space::cluster, address, bytes);
  case Space::local:
    return inRange(thread.local.data(), thread.local.size(),
                   address - localWindow, bytes);
  case Space::parameter:
    return inRange(const_cast<char *>(machine.arguments.data()),
                   machine.arguments.size(), address - parameterWindow, bytes);
  default:
    return findGlobal(thread, instruction, address, bytes);
  }
}
} // namespace

char *standin::ptx::findMemory(Thread &thread, const Instruction &instruction,
                               uint64_t address, uint32_t bytes) {
  if (address & (bytes - 1)) {
    fail(thread, instruction, misalignedAccess,
         "address " + hexadecimal(address) + " is not aligned to " +
             std::to_string(bytes) + " bytes");
    return nullptr;
  }
  return findMemoryIn(thread, instruction, instruction.space, address, bytes);
}

char *standin::ptx::findMemoryIn(Thread &thread, const Instruction &instruction,
                                 Space space, uint64_t address,
                                 uint32_t bytes) {
  char *place = find(thread, instruction, space, address, bytes);
  if (!place)
    fail(thread, instruction, illegalAccess,
         "there are no " + std::to_string(bytes) + " bytes at address " +
             hexadecimal(address));
  return place;
}
