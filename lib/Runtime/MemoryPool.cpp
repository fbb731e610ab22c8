//===- MemoryPool.cpp - Memory for results and arenas ---------------------===//
//
// A free list per size class, newest first (its pages are the likeliest to be
// in a cache). Blocks below 64 KiB are cut from slabs and never return to the
// system; larger ones are mappings of their own.
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/MemoryPool.h"
#include "TC/Runtime/CPULimit.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <vector>

using namespace tc::runtime;

namespace {

constexpr size_t smallestBlock = 64;
constexpr size_t slabBytes = size_t(1) << 20;
constexpr size_t firstMapped = size_t(1) << 16;
constexpr size_t hugePage = size_t(2) << 20;
constexpr size_t largestRequest = size_t(1) << 46;
constexpr int classCount = 4 + 4 * (46 - 8) + 1;

/// Classes 0 to 3 are 64 to 256 bytes; then four steps per doubling.
int classOf(size_t bytes) {
  if (bytes <= 4 * smallestBlock)
    return bytes == 0 ? 0 : int((bytes - 1) / smallestBlock);
  const int log = int(std::bit_width(bytes - 1)) - 1; // 2^log < bytes
  const int step = int(((bytes - 1) >> (log - 2)) & 3);
  return 4 + 4 * (log - 8) + step;
}

size_t bytesOfClass(int index) {
  if (index < 4)
    return smallestBlock * size_t(index + 1);
  const int log = 8 + (index - 4) / 4;
  return (size_t(1) << log) + (size_t((index - 4) % 4 + 1) << (log - 2));
}

void *mapMemory(size_t bytes) {
  void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : data;
}

/// Maps `bytes` aligned for huge pages, by cutting a larger mapping.
void *mapHuge(size_t bytes) {
  char *data = static_cast<char *>(mapMemory(bytes + hugePage));
  if (!data)
    return nullptr;
  const size_t head = (hugePage - uintptr_t(data) % hugePage) % hugePage;
  if (head)
    munmap(data, head);
  if (hugePage != head)
    munmap(data + head + bytes, hugePage - head);
  madvise(data + head, bytes, MADV_HUGEPAGE); // a hint: may fail
  return data + head;
}

} // namespace

namespace {
struct Block : Storage {
  void *owner = nullptr; ///< MemoryPool::State
  Block *next = nullptr; ///< in the free list
  int classIndex = 0;
};
} // namespace

struct MemoryPool::State {
  struct alignas(64) FreeList {
    std::mutex mutex;
    Block *first = nullptr;
  };
  FreeList freeLists[classCount];

  std::mutex slabMutex;
  char *slab = nullptr;
  size_t slabLeft = 0;
  std::vector<void *> slabs;

  std::atomic<uint64_t> live{0}, peak{0}, cached{0}, allocations{0}, reuses{0};
  std::atomic<uint64_t> cacheLimit{0};
  /// The pool and each block that is handed out hold the state.
  std::atomic<int64_t> holders{1};
  State *nextState = nullptr; ///< list of states, for fork()

  ~State();
  StorageRef take(int classIndex);
  Block *takeCached(int classIndex);
  Block *makeBlock(int classIndex);
  void *cutFromSlab(size_t bytes);
  void putBack(Block *block);
  uint64_t trim(uint64_t keepBytes);
  void letGo() {
    if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }
  template <typename Action> void forEachMutex(Action action) {
    for (FreeList &list : freeLists)
      action(list.mutex);
    action(slabMutex);
  }
  static void addToList(State *state);
  static void removeFromList(State *state);
  static void installForkHandler();
};

// Around fork() every lock is held, so that the child finds whole lists.
static std::mutex stateListMutex;
static void *stateList = nullptr; // MemoryPool::State, a private type

void MemoryPool::State::installForkHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    static constexpr auto forEachState = [](auto action) {
      for (auto *state = static_cast<State *>(stateList); state;
           state = state->nextState)
        state->forEachMutex(action);
    };
    pthread_atfork(
        [] {
          stateListMutex.lock();
          forEachState([](std::mutex &mutex) { mutex.lock(); });
        },
        [] {
          forEachState([](std::mutex &mutex) { mutex.unlock(); });
          stateListMutex.unlock();
        },
        [] {
          forEachState([](std::mutex &mutex) { mutex.unlock(); });
          stateListMutex.unlock();
        });
  });
}

void MemoryPool::State::addToList(State *state) {
  installForkHandler();
  std::lock_guard lock(stateListMutex);
  state->nextState = static_cast<State *>(stateList);
  stateList = state;
}

void MemoryPool::State::removeFromList(State *state) {
  std::lock_guard lock(stateListMutex);
  if (stateList == state) {
    stateList = state->nextState;
    return;
  }
  auto *before = static_cast<State *>(stateList);
  while (before->nextState != state)
    before = before->nextState;
  before->nextState = state->nextState;
}

MemoryPool::State::~State() {
  removeFromList(this);
  trim(0);
  for (FreeList &list : freeLists)
    while (Block *block = list.first) {
      list.first = block->next;
      delete block;
    }
  for (void *memory : slabs)
    munmap(memory, slabBytes);
}

void *MemoryPool::State::cutFromSlab(size_t bytes) {
  std::lock_guard lock(slabMutex);
  if (slabLeft < bytes) {
    // The rest of the old slab, at most 64 KiB, is given up.
    void *memory = mapMemory(slabBytes);
    if (!memory)
      return nullptr;
    slabs.push_back(memory);
    slab = static_cast<char *>(memory);
    slabLeft = slabBytes;
  }
  void *data = slab;
  slab += bytes;
  slabLeft -= bytes;
  return data;
}

Block *MemoryPool::State::makeBlock(int classIndex) {
  const size_t bytes = bytesOfClass(classIndex);
  void *data = bytes < firstMapped ? cutFromSlab(bytes)
               : bytes < hugePage  ? mapMemory(bytes)
                                   : mapHuge(bytes);
  if (!data)
    return nullptr;
  auto *block = new Block();
  block->data = data;
  block->bytes = bytes;
  block->owner = this;
  block->classIndex = classIndex;
  block->release = [](Storage *storage) {
    auto *block = static_cast<Block *>(storage);
    auto *state = static_cast<State *>(block->owner);
    state->putBack(block);
    state->letGo();
  };
  return block;
}

Block *MemoryPool::State::takeCached(int classIndex) {
  FreeList &list = freeLists[classIndex];
  std::lock_guard lock(list.mutex);
  Block *block = list.first;
  if (block) {
    list.first = block->next;
    cached.fetch_sub(block->bytes, std::memory_order_relaxed);
  }
  return block;
}

StorageRef MemoryPool::State::take(int classIndex) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  Block *block = takeCached(classIndex);
  // A slightly larger block that is there costs less than fresh pages.
  if (!block && bytesOfClass(classIndex) >= hugePage)
    for (int larger = classIndex + 1;
         !block && larger <= std::min(classIndex + 2, classCount - 1); ++larger)
      block = takeCached(larger);
  if (block) {
    reuses.fetch_add(1, std::memory_order_relaxed);
  } else {
    block = makeBlock(classIndex);
    if (!block && trim(0) > 0)
      block = makeBlock(classIndex);
    if (!block)
      return StorageRef();
  }
  holders.fetch_add(1, std::memory_order_relaxed);
  const uint64_t now =
      live.fetch_add(block->bytes, std::memory_order_relaxed) + block->bytes;
  uint64_t highest = peak.load(std::memory_order_relaxed);
  while (now > highest &&
         !peak.compare_exchange_weak(highest, now, std::memory_order_relaxed))
    ;
  return StorageRef(block);
}

void MemoryPool::State::putBack(Block *block) {
  const size_t bytes = block->bytes;
  live.fetch_sub(bytes, std::memory_order_relaxed);
  if (bytes >= firstMapped && cached.load(std::memory_order_relaxed) + bytes >
                                  cacheLimit.load(std::memory_order_relaxed)) {
    munmap(block->data, bytes);
    delete block;
    return;
  }
  FreeList &list = freeLists[block->classIndex];
  std::lock_guard lock(list.mutex);
  block->next = list.first;
  list.first = block;
  cached.fetch_add(bytes, std::memory_order_relaxed);
}

uint64_t MemoryPool::State::trim(uint64_t keepBytes) {
  uint64_t freed = 0;
  for (int index = classCount - 1; index >= 0; --index) {
    if (bytesOfClass(index) < firstMapped)
      break;
    while (cached.load(std::memory_order_relaxed) > keepBytes) {
      Block *block = takeCached(index);
      if (!block)
        break;
      freed += block->bytes;
      munmap(block->data, block->bytes);
      delete block;
    }
  }
  return freed;
}

MemoryPool::MemoryPool() : state(new State()) {
  state->cacheLimit.store(availableMemoryBytes() / 4);
  State::addToList(state);
}

MemoryPool::~MemoryPool() {
  // Blocks that come back from now on are not kept.
  state->cacheLimit.store(0);
  state->trim(0);
  state->letGo();
}

MemoryPool &MemoryPool::global() {
  // Never destroyed: tensors may outlive static destructors.
  static MemoryPool *pool = new MemoryPool();
  return *pool;
}

StorageRef MemoryPool::allocate(size_t bytes) {
  if (bytes > largestRequest)
    return StorageRef();
  return state->take(classOf(bytes));
}

uint64_t MemoryPool::trim(uint64_t keepBytes) { return state->trim(keepBytes); }

void MemoryPool::setCacheLimit(uint64_t bytes) {
  state->cacheLimit.store(bytes);
  state->trim(bytes);
}

MemoryPoolStatistics MemoryPool::statistics() const {
  MemoryPoolStatistics result;
  result.bytesLive = state->live.load(std::memory_order_relaxed);
  result.bytesPeak = state->peak.load(std::memory_order_relaxed);
  result.bytesCached = state->cached.load(std::memory_order_relaxed);
  result.allocations = state->allocations.load(std::memory_order_relaxed);
  result.reuses = state->reuses.load(std::memory_order_relaxed);
  return result;
}

void MemoryPool::resetPeak() {
  state->peak.store(state->live.load(std::memory_order_relaxed),
                    std::memory_order_relaxed);
}

size_t MemoryPool::roundUpToClass(size_t bytes) {
  return bytesOfClass(classOf(bytes));
}
