//===- Machine.cpp - Running the threads of a kernel ----------------------===//
//
// The blocks of a cluster run at a time, one cluster after the other. A thread
// runs until it waits for others; then the next one of its warp does. Those
// that wait go on when all have come that they wait for.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include <algorithm>

using namespace standin::ptx;

namespace {
/// Instructions that a thread runs before others are let to.
constexpr uint64_t slice = 1 << 20;
/// Instructions of one thread after which it is taken to run forever.
constexpr uint64_t mostSteps = uint64_t(1) << 31;

class Runner {
public:
  explicit Runner(Machine &machine) : machine(machine) {}

  void run() {
    setUp();
    const uint32_t *grid = machine.shape.grid;
    const uint32_t along = uint32_t(machine.blocks.size());
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; x += along) {
          runCluster(x, y, z);
          if (machine.outcome.error)
            return;
        }
  }

private:
  /// The instruction that a thread is at; it comes back to a wait for a phase.
  const Instruction &at(const Thread &thread) const {
    return machine.entry.code[thread.pc - (thread.wait != Wait::phase)];
  }

  void setUp() {
    const uint32_t *size = machine.shape.block;
    const uint64_t slots = machine.entry.initial.size();
    machine.blocks.resize(std::max(machine.shape.cluster, 1U));
    machine.lastUsed.resize(machine.entry.code.size());
    for (uint32_t rank = 0; rank < machine.blocks.size(); ++rank) {
      Block &block = machine.blocks[rank];
      block.machine = &machine;
      block.rank = rank;
      block.shared.resize(machine.entry.sharedBytes +
                          machine.shape.sharedBytes);
      block.threads.resize(uint64_t(size[0]) * size[1] * size[2]);
      block.slots.resize(slots * block.threads.size());
      for (uint32_t i = 0; i < block.threads.size(); ++i) {
        Thread &thread = block.threads[i];
        thread.slots = &block.slots[i * slots];
        thread.number = i;
        thread.block = &block;
        thread.local.resize(machine.entry.localBytes);
        std::copy(machine.entry.initial.begin(), machine.entry.initial.end(),
                  thread.slots);
      }
    }
  }

  uint64_t valueOf(const Thread &thread, const SpecialSlot &special) const;

  void start(Block &block, uint32_t x, uint32_t y, uint32_t z) {
    block.index[0] = x;
    block.index[1] = y;
    block.index[2] = z;
    block.exited = 0;
    // As memory that nobody has written: a NaN of every type.
    std::fill(block.shared.begin(), block.shared.end(), '\xff');
    std::fill(std::begin(block.barriers), std::end(block.barriers), Barrier());
    for (Thread &thread : block.threads) {
      thread.pc = 0;
      thread.steps = 0;
      thread.wait = Wait::nothing;
      thread.arrived = false;
      thread.copyGroup = 0;
      std::fill(thread.local.begin(), thread.local.end(), '\xff');
      for (const SpecialSlot &special : machine.entry.specials)
        thread.slots[special.slot] = valueOf(thread, special);
    }
  }

  void runCluster(uint32_t x, uint32_t y, uint32_t z) {
    machine.clusterArrived = machine.clusterExited = 0;
    machine.clusterPhase = 0;
    for (Block &block : machine.blocks)
      start(block, x + block.rank, y, z);
    const uint64_t threads =
        machine.blocks.size() * machine.blocks.front().threads.size();
    while (machine.clusterExited < threads) {
      bool moved = false;
      for (Block &block : machine.blocks)
        for (size_t first = 0; first < block.threads.size(); first += 32)
          moved |= runWarp(block, first);
      moved |= release(threads);
      // Copies come as late as they may, so that who does not wait misses them.
      if (!moved || machine.clusterExited == threads)
        moved |= doCopies(machine, [](const Copy &) { return true; });
      if (machine.outcome.error)
        return;
      if (!moved && machine.clusterExited < threads) {
        reportStandstill();
        return;
      }
    }
  }

  bool runWarp(Block &block, size_t first) {
    Thread *lanes[32] = {};
    const size_t count = std::min<size_t>(32, block.threads.size() - first);
    for (size_t lane = 0; lane < count; ++lane)
      lanes[lane] = &block.threads[first + lane];
    bool moved = false, yields = false;
    do {
      for (size_t lane = 0; lane < count; ++lane) {
        if (lanes[lane]->wait != Wait::nothing)
          continue;
        moved = true;
        runThread(*lanes[lane]);
        if (lanes[lane]->wait == Wait::turn)
          lanes[lane]->wait = Wait::nothing;
        yields |= lanes[lane]->wait == Wait::nothing;
        if (lanes[lane]->wait == Wait::failed)
          return false;
      }
    } while (!yields && meet(lanes));
    return moved;
  }

  void runThread(Thread &thread) {
    const Instruction *code = machine.entry.code.data();
    uint64_t steps = 0;
    while (steps < slice && thread.wait == Wait::nothing) {
      const Instruction &i = code[thread.pc++];
      ++steps;
      if (i.guard < 0 || (thread.slots[i.guard] != 0) != i.guardNegated)
        i.run(thread, i);
    }
    thread.steps += steps;
    if (thread.wait == Wait::exited) {
      ++thread.block->exited;
      ++machine.clusterExited;
      if (thread.arrived && thread.phase == machine.clusterPhase)
        --machine.clusterArrived; // counted among those that are done
    } else if (thread.steps > mostSteps) {
      fail(thread, at(thread), launchFailed, "the thread runs forever");
    }
  }

  /// Lets the threads of a warp go on that wait for each other, when all of
  /// their mask have come. Whether any does.
  bool meet(Thread *const *lanes) {
    bool moved = false;
    for (int lane = 0; lane < 32; ++lane) {
      if (!lanes[lane] || lanes[lane]->wait != Wait::warp)
        continue;
      const Instruction &i = at(*lanes[lane]);
      const uint32_t mask = warpMask(*lanes[lane], i);
      if (!(mask >> lane & 1)) {
        fail(*lanes[lane], i, launchFailed,
             "the thread is not in its own mask of lanes");
        return false;
      }
      moved |= meet(lanes, i, mask);
    }
    return moved;
  }

  bool meet(Thread *const *lanes, const Instruction &i, uint32_t mask) {
    Thread *taking[32] = {};
    for (int lane = 0; lane < 32; ++lane) {
      Thread *thread = lanes[lane];
      if (!(mask >> lane & 1) || !thread || thread->wait == Wait::exited)
        continue;
      if (thread->wait != Wait::warp || &at(*thread) != &i ||
          warpMask(*thread, i) != mask)
        return false;
      taking[lane] = thread;
    }
    warpHandler(i)(taking, i);
    for (Thread *thread : taking)
      if (thread)
        thread->wait = Wait::nothing;
    return true;
  }

  bool release(uint64_t threads);
  bool releaseBarrier(Block &block, uint32_t number);
  void reportStandstill();

  Machine &machine;
};

uint64_t Runner::valueOf(const Thread &thread,
                         const SpecialSlot &special) const {
  const Shape &shape = machine.shape;
  const uint32_t *size = shape.block;
  const uint32_t lane = thread.number % 32;
  const Block &block = *thread.block;
  switch (special.special) {
  case Special::tidX:
    return thread.number % size[0];
  case Special::tidY:
    return thread.number / size[0] % size[1];
  case Special::tidZ:
    return thread.number / size[0] / size[1];
  case Special::ntidX:
    return size[0];
  case Special::ntidY:
    return size[1];
  case Special::ntidZ:
    return size[2];
  case Special::ctaidX:
    return block.index[0];
  case Special::ctaidY:
    return block.index[1];
  case Special::ctaidZ:
    return block.index[2];
  case Special::nctaidX:
    return shape.grid[0];
  case Special::nctaidY:
    return shape.grid[1];
  case Special::nctaidZ:
    return shape.grid[2];
  case Special::lane:
    return lane;
  case Special::warp:
    return thread.number / 32;
  case Special::warps:
    return (block.threads.size() + 31) / 32;
  case Special::clusterRank:
    return block.rank;
  case Special::clusterSize:
    return machine.blocks.size();
  case Special::clusterX:
    return block.index[0] / machine.blocks.size();
  case Special::clustersX:
    return shape.grid[0] / machine.blocks.size();
  case Special::laneMaskLt:
    return (1U << lane) - 1;
  case Special::laneMaskLe:
    return (2ULL << lane) - 1;
  case Special::laneMaskEq:
    return 1U << lane;
  case Special::laneMaskGe:
    return ~((1U << lane) - 1);
  case Special::laneMaskGt:
    return ~uint32_t((2ULL << lane) - 1);
  case Special::dynamicSharedBytes:
    return shape.sharedBytes;
  case Special::sharedAddress:
    return sharedWindow + block.rank * sharedStride + special.offset;
  case Special::one:
    return 1;
  default:
    return 0;
  }
}

bool Runner::releaseBarrier(Block &block, uint32_t number) {
  Barrier &barrier = block.barriers[number];
  if (!barrier.arrived || barrier.arrived < barrier.expected)
    return false;
  barrier.arrived = 0;
  for (size_t i = 0; i < block.threads.size(); ++i) {
    Thread &thread = block.threads[i];
    if (thread.wait != Wait::barrier || thread.barrier != number)
      continue;
    // Those of a warp come together, where the instruction says so.
    const Thread &first = block.threads[i / 32 * 32];
    if (at(thread).integral && first.pc != thread.pc) {
      fail(thread, at(thread), launchFailed,
           "threads of a warp come to a barrier at different instructions");
      return false;
    }
  }
  for (Thread &thread : block.threads)
    if (thread.wait == Wait::barrier && thread.barrier == number)
      thread.wait = Wait::nothing;
  return true;
}

bool Runner::release(uint64_t threads) {
  bool moved = false;
  for (Block &block : machine.blocks)
    for (uint32_t number = 0; number < 16; ++number)
      moved |= releaseBarrier(block, number);
  if (machine.clusterArrived &&
      machine.clusterArrived + machine.clusterExited == threads) {
    machine.clusterArrived = 0;
    ++machine.clusterPhase;
  }
  for (Block &block : machine.blocks)
    for (Thread &thread : block.threads) {
      if (thread.wait == Wait::cluster && thread.phase < machine.clusterPhase)
        thread.arrived = false;
      else if (thread.wait != Wait::phase ||
               !isOver(thread.memoryBarrier, thread.parity))
        continue;
      thread.wait = Wait::nothing;
      moved = true;
    }
  return moved;
}

void Runner::reportStandstill() {
  uint64_t waiting[8] = {};
  Thread *first = nullptr;
  for (Block &block : machine.blocks)
    for (Thread &thread : block.threads) {
      ++waiting[size_t(thread.wait)];
      if (!first && thread.wait != Wait::exited)
        first = &thread;
    }
  fail(*first, at(*first), launchFailed,
       "the thread waits forever: " + std::to_string(waiting[1]) +
           " threads wait for their warp, " + std::to_string(waiting[2]) +
           " at a barrier, " + std::to_string(waiting[4]) +
           " at one in memory and " + std::to_string(waiting[3]) +
           " for their cluster, and " + std::to_string(waiting[5]) +
           " have ended");
}
} // namespace

Outcome standin::ptx::launch(const Program &program, const Entry &entry,
                             const Shape &shape,
                             std::span<const char> arguments,
                             std::vector<Range> memory) {
  auto refuse = [&](int error, const std::string &what) {
    return Outcome{error, "kernel '" + entry.name + "': " + what};
  };
  if (!entry.problem.empty())
    return refuse(notSupported, entry.problem);
  Shape made = shape;
  if (!made.cluster)
    made.cluster = std::max(entry.cluster, 1U);
  const uint64_t threads =
      uint64_t(shape.block[0]) * shape.block[1] * shape.block[2];
  if (threads == 0 || threads > 1024 ||
      (entry.maxThreads && threads > entry.maxThreads))
    return refuse(1, "blocks have " + std::to_string(threads) + " threads");
  if (entry.cluster && made.cluster != entry.cluster)
    return refuse(1,
                  "clusters have " + std::to_string(made.cluster) + " blocks");
  if (made.grid[0] % made.cluster)
    return refuse(1, std::to_string(made.grid[0]) +
                         " blocks are not a number of clusters");
  if (entry.sharedBytes + made.sharedBytes > 227 * 1024)
    return refuse(1, "blocks have more shared memory than there is");
  for (const Variable &variable : program.variables)
    memory.push_back({variable.begin, variable.begin + variable.bytes});
  std::sort(memory.begin(), memory.end(),
            [](const Range &x, const Range &y) { return x.begin < y.begin; });
  Machine machine{entry, made, arguments, std::move(memory), {}, {}, 0, 0,
                  0,     {},   {}};
  Runner(machine).run();
  return machine.outcome;
}
