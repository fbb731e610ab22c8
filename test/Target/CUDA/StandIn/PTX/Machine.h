//===- Machine.h - A launch of a kernel on the host -------------*- C++ -*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_PTX_MACHINE_H
#define TC_TEST_TARGET_CUDA_STANDIN_PTX_MACHINE_H

#include "Program.h"

#include <cstring>
#include <functional>
#include <span>

namespace standin::ptx {

/// Memory that a kernel may access.
struct Range {
  uint64_t begin = 0, end = 0;
};

/// Errors of the driver that a launch fails with.
constexpr int illegalAccess = 700, misalignedAccess = 716, launchFailed = 719,
              notSupported = 801;

/// The result of a launch: 0, or an error and what a person reads about it.
struct Outcome {
  int error = 0;
  std::string text;
};

/// How often and with what an entry runs.
struct Shape {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t cluster = 0; ///< blocks, along x; 0: none
  uint32_t sharedBytes = 0;
};

/// Runs a kernel to its end. `memory`: every allocation that it may access, in
/// order of addresses.
Outcome launch(const Program &program, const Entry &entry, const Shape &shape,
               std::span<const char> arguments, std::vector<Range> memory);

/// Why a thread does not go on.
enum class Wait : uint8_t {
  nothing,
  warp,
  barrier,
  cluster,
  phase, ///< of a barrier in memory
  exited,
  failed,
  turn ///< lets others run although it could go on
};

struct Block;
struct Machine;

struct Thread {
  uint64_t *slots = nullptr;
  uint32_t pc = 0;
  Wait wait = Wait::nothing;
  bool arrived = false; ///< at the cluster's barrier, in this phase
  uint8_t barrier = 0;  ///< that it waits at
  uint32_t number = 0;  ///< in the block
  uint64_t steps = 0;   ///< instructions so far
  uint64_t phase = 0;   ///< of the cluster's barrier that it arrived in
  const char *memoryBarrier = nullptr; ///< that it waits at
  bool parity = false;                 ///< of the phase whose end it waits for
  uint32_t copyGroup = 0;              ///< number of its next group of copies
  Block *block = nullptr;
  std::vector<char> local;
};

/// One of a block's barriers while threads wait at it.
struct Barrier {
  uint32_t arrived = 0, expected = 0;
};

struct Block {
  Machine *machine = nullptr;
  uint32_t index[3] = {}, rank = 0, exited = 0;
  std::vector<char> shared;
  std::vector<Thread> threads;
  std::vector<uint64_t> slots;
  Barrier barriers[16];
};

/// A copy that a thread has started and that has not been done.
struct Copy {
  Thread *thread;
  bool isInGroup; ///< for which its thread waits
  uint32_t group; ///< of the thread
  std::function<void()> run;
};

/// A launch, of which the blocks of one cluster run at a time.
struct Machine {
  const Entry &entry;
  Shape shape;
  std::span<const char> arguments;
  std::vector<Range> memory;
  std::vector<Range> lastUsed; ///< by instruction
  std::vector<Block> blocks;   ///< of the cluster
  uint32_t clusterArrived = 0, clusterExited = 0;
  uint64_t clusterPhase = 0;
  std::vector<Copy> copies; ///< in the order in which they were started
  Outcome outcome;
};

/// The value of a slot as a type.
template <typename T> T get(const Thread &thread, int32_t slot) {
  T value;
  std::memcpy(&value, thread.slots + slot, sizeof(T));
  return value;
}

template <typename T> void put(Thread &thread, int32_t slot, T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  thread.slots[slot] = bits;
}

/// Ends the launch with an error at an instruction. The text names the kernel,
/// the block, the thread and the instruction besides.
void fail(Thread &thread, const Instruction &instruction, int error,
          const std::string &what);

/// What `access` does with an address that is not where the same instruction
/// accessed global memory before.
char *findMemory(Thread &thread, const Instruction &instruction,
                 uint64_t address, uint32_t bytes);

/// The memory of an access of `bytes`, a power of two, at the instruction's
/// address, which has to be aligned to them; null after it has failed.
inline char *access(Thread &thread, const Instruction &instruction,
                    int32_t slot, uint32_t bytes) {
  const uint64_t base = instruction.narrowAddress ? get<uint32_t>(thread, slot)
                                                  : thread.slots[slot];
  const uint64_t address = base + uint64_t(instruction.offset);
  const Range &last = thread.block->machine->lastUsed[instruction.index];
  if (address >= last.begin && address < last.end &&
      bytes <= last.end - address && !(address & (bytes - 1)))
    return reinterpret_cast<char *>(address);
  return findMemory(thread, instruction, address, bytes);
}

/// The memory of `bytes` at an address that an instruction computes or has
/// besides others; null after it has failed.
char *findMemoryIn(Thread &thread, const Instruction &instruction, Space space,
                   uint64_t address, uint32_t bytes);

/// The address in the cluster's shared memory that an operand gives.
inline uint32_t sharedAddress(const Thread &thread,
                              const Instruction &instruction, int operand) {
  return get<uint32_t>(thread, instruction.slot[operand]) +
         uint32_t(instruction.offsets[operand]);
}

/// The same place of shared memory in the block `rank` of the cluster.
inline uint64_t inBlock(uint64_t address, uint32_t rank) {
  return sharedWindow + rank * sharedStride +
         (address - sharedWindow) % sharedStride;
}

/// Whether a phase of a barrier in memory, that of a parity, is over.
bool isOver(const char *barrier, bool parity);

/// Has the barrier at an address in shared memory wait for `arrivals` more,
/// which copies make.
void awaitCopies(Thread &thread, const Instruction &instruction,
                 uint64_t address, int arrivals);

/// Says that `bytes` of a copy have come, to the barrier at an address in the
/// cluster's shared memory.
void completeBytes(Thread &thread, const Instruction &instruction,
                   uint64_t barrier, uint32_t bytes);

/// Does the copies that `isWanted` says. Whether there were any.
bool doCopies(Machine &machine,
              const std::function<bool(const Copy &)> &isWanted);

/// Who ends the wait of a warp at an instruction: its own or by its `mode`.
WarpHandler warpHandler(const Instruction &instruction);

/// The threads that take part in an instruction of a warp.
uint32_t warpMask(const Thread &thread, const Instruction &instruction);

} // namespace standin::ptx

#endif // TC_TEST_TARGET_CUDA_STANDIN_PTX_MACHINE_H
