//===- CUDAMemory.cpp - Memory of a device in stream order ----------------===//

#include "CUDAMemory.h"
#include "TC/Runtime/CUDAGraphs.h"
#include "TC/Runtime/MemoryPool.h"

#include <algorithm>
#include <array>
#include <bit>

using namespace tc::runtime;

namespace {
constexpr CUresult outOfMemory = 2;
constexpr size_t smallestBlock = 512;
/// Blocks from here on are multiples of the driver's pages.
constexpr size_t firstLarge = size_t(32) << 20;
constexpr size_t pageBytes = size_t(2) << 20;
/// Blocks from here on have 16 sizes per doubling instead of the pool's four:
/// weights are of these sizes.
constexpr size_t firstMedium = size_t(1) << 20;
/// Streams whose free blocks are kept.
constexpr size_t mostStreams = 64;
constexpr unsigned eventWithoutTime = 2; // CU_EVENT_DISABLE_TIMING

const CUstream perThreadStream = reinterpret_cast<CUstream>(2);

size_t roundUp(size_t bytes) {
  if (bytes < firstMedium)
    return MemoryPool::roundUpToClass(std::max(bytes, smallestBlock));
  const size_t unit =
      bytes < firstLarge ? std::bit_floor(bytes) / 16 : pageBytes;
  return (bytes + unit - 1) / unit * unit;
}
} // namespace

CUDAMemory &CUDAMemory::of(CUDADevice &device) {
  // Never destroyed: tensors may outlive static destructors.
  static auto &all = *new std::array<CUDAMemory, maxCUDADevices>();
  CUDAMemory &memory = all[size_t(device.index)];
  static std::array<std::once_flag, maxCUDADevices> once;
  std::call_once(once[size_t(device.index)], [&] { memory.owner = &device; });
  return memory;
}

CUDABlock *CUDAMemory::blockOf(Storage &storage) {
  return storage.release == release ? static_cast<CUDABlock *>(&storage)
                                    : nullptr;
}

/// The driver's number; the stream's address where the driver has none.
uint64_t CUDAMemory::idOf(CUstream stream) const {
  unsigned long long id = 0;
  constexpr uint64_t legacyStream = ~uint64_t(0);
  if (reinterpret_cast<uintptr_t>(stream) <= 1) // null or CU_STREAM_LEGACY
    return legacyStream;
  if (owner->driver->cuStreamGetId &&
      owner->driver->cuStreamGetId(stream, &id) == 0)
    return id;
  return reinterpret_cast<uintptr_t>(stream);
}

CUDAMemory::FreeLists &CUDAMemory::listsOf(uint64_t streamId) {
  for (auto &[id, lists] : streams)
    if (id == streamId)
      return lists;
  return streams.emplace_back(streamId, FreeLists()).second;
}

CUDABlock *CUDAMemory::takeFree(uint64_t streamId, size_t bytes,
                                BlockContent content) {
  // A slightly larger block that is there costs less than a new one.
  FreeLists &lists = listsOf(streamId);
  const auto last = lists.upper_bound({content, bytes + bytes / 8});
  for (auto found = lists.lower_bound({content, bytes}); found != last; ++found)
    if (CUDABlock *block = found->second) {
      found->second = block->next;
      return block;
    }
  return nullptr;
}

void CUDAMemory::putBack(CUDABlock *block) {
  CUDABlock *&first = listsOf(block->streamId)[{block->content, block->bytes}];
  block->next = first;
  first = block;
}

bool CUDAMemory::isDone(CUDABlock &block) {
  const CUDADriver &driver = *owner->driver;
  while (!block.events.empty()) {
    if (driver.cuEventQuery(block.events.back()) != 0)
      return false;
    driver.cuEventDestroy(block.events.back());
    block.events.pop_back();
  }
  return true;
}

void CUDAMemory::collectWaiting() {
  CUDABlock *rest = std::exchange(waiting, nullptr);
  while (CUDABlock *block = rest) {
    rest = block->next;
    if (isDone(*block)) {
      putBack(block);
    } else {
      block->next = waiting;
      waiting = block;
    }
  }
}

Expected<CUDABlock *> CUDAMemory::makeBlock(size_t requested, CUstream stream,
                                            BlockContent content) {
  CUdeviceptr address = 0;
  const size_t bytes = roundUp(requested);
  const CUDADriver &driver = *owner->driver;
  CUresult error = driver.cuMemAllocAsync(&address, bytes, stream);
  if (error == outOfMemory && trim() > 0)
    error = driver.cuMemAllocAsync(&address, bytes, stream);
  if (error)
    return owner->failure("no memory for " + std::to_string(requested) +
                              " bytes on CUDA device " +
                              std::to_string(owner->index),
                          error);
  if (content == BlockContent::Zeros)
    error = driver.cuMemsetD8Async(address, 0, bytes, stream);
  if (error) {
    driver.cuMemFreeAsync(address, stream);
    return owner->failure("clearing " + std::to_string(requested) +
                              " bytes on CUDA device " +
                              std::to_string(owner->index),
                          error);
  }
  auto *block = new CUDABlock();
  block->data = reinterpret_cast<void *>(address);
  block->bytes = bytes;
  block->content = content;
  block->release = release;
  block->owner = this;
  return block;
}

Expected<StorageRef> CUDAMemory::allocate(size_t bytes, CUstream stream,
                                          BlockContent content) {
  constexpr size_t largestRequest = size_t(1) << 46;
  if (bytes > largestRequest)
    return Status(ErrorCode::OutOfMemory,
                  "no memory for " + std::to_string(bytes) +
                      " bytes on CUDA device " + std::to_string(owner->index));
  const size_t rounded = roundUp(bytes);
  const uint64_t id = idOf(stream);
  bool hasManyStreams = false;
  {
    const std::lock_guard lock(mutex);
    CUDABlock *block = takeFree(id, rounded, content);
    if (!block && waiting) {
      collectWaiting();
      block = takeFree(id, rounded, content);
    }
    if (block)
      return StorageRef(block);
    hasManyStreams = streams.size() > mostStreams;
  }
  // Blocks of streams that are no more.
  if (hasManyStreams)
    trim();
  Expected<CUDABlock *> made = makeBlock(bytes, stream, content);
  if (!made.ok())
    return made.takeStatus();
  (*made)->stream = stream;
  (*made)->streamId = id;
  return StorageRef(*made);
}

void CUDAMemory::recordUse(CUDABlock &block, CUstream stream) {
  // Only the thread's own stream is another one on each thread.
  if (block.stream == stream && stream != perThreadStream)
    return;
  if (block.streamId == idOf(stream))
    return;
  CUevent event = nullptr;
  const CUDADriver &driver = *owner->driver;
  if (driver.cuEventCreate(&event, eventWithoutTime) != 0 ||
      driver.cuEventRecord(event, stream) != 0) {
    block.isShared.store(true, std::memory_order_relaxed);
    return;
  }
  const std::lock_guard lock(mutex);
  block.events.push_back(event);
}

void CUDAMemory::release(Storage *storage) {
  auto *block = static_cast<CUDABlock *>(storage);
  CUDAMemory &memory = *block->owner;
  CUDADevice &device = memory.device();
  if (!device.isUsable()) { // its memory is lost
    delete block;
    return;
  }
  if (block->isShared.exchange(false, std::memory_order_relaxed)) {
    const CUDAContext context(device);
    device.driver->cuCtxSynchronize();
  }
  const std::lock_guard lock(memory.mutex);
  if (block->events.empty()) {
    memory.putBack(block);
    return;
  }
  block->next = memory.waiting;
  memory.waiting = block;
}

uint64_t CUDAMemory::trim() {
  const CUDADriver &driver = *owner->driver;
  if (CUresult error = driver.cuCtxSynchronize()) {
    (void)owner->kernelFailure(error, nullptr, /*ofAllStreams=*/true);
    return 0;
  }
  uint64_t freed = 0;
  CUDAGraphs::releaseUnused(owner->index);
  const std::lock_guard lock(mutex);
  collectWaiting();
  for (auto &[id, lists] : streams)
    for (auto &[kind, first] : lists)
      while (CUDABlock *block = first) {
        first = block->next;
        freed += block->bytes;
        // All work is done, so any stream will do; the block's may be gone.
        driver.cuMemFreeAsync(addressOf(block->data), nullptr);
        delete block;
      }
  streams.clear();
  CUmemoryPool pool = nullptr;
  if (driver.cuDeviceGetDefaultMemPool(&pool, owner->device) == 0) {
    driver.cuStreamSynchronize(nullptr);
    driver.cuMemPoolTrimTo(pool, 0);
  }
  return freed;
}
