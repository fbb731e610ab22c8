//===- CUDAFailures.cpp - What kernels report after a call ----------------===//

#include "CUDAFailures.h"

#include <algorithm>
#include <array>

using namespace tc::runtime;

CUDAFailures &CUDAFailures::of(CUDADevice &device) {
  // Never destroyed: kernels may write until the process ends.
  static auto &all = *new std::array<CUDAFailures, maxCUDADevices>();
  CUDAFailures &failures = all[size_t(device.index)];
  static std::array<std::once_flag, maxCUDADevices> once;
  std::call_once(once[size_t(device.index)],
                 [&] { failures.device = &device; });
  return failures;
}

Expected<int64_t *> CUDAFailures::addWords(const tc_kernel_failures &failures) {
  size_t begin = count.load(std::memory_order_relaxed);
  // Those of a function are next to each other.
  if (begin % wordsPerChunk + failures.count > wordsPerChunk)
    begin = (begin / wordsPerChunk + 1) * wordsPerChunk;
  const size_t chunk = begin / wordsPerChunk;
  if (failures.count > wordsPerChunk || chunk >= mostChunks)
    return Status(ErrorCode::OutOfMemory,
                  "more than " + std::to_string(mostChunks * wordsPerChunk) +
                      " launches that may fail, on CUDA device " +
                      std::to_string(device->index));
  if (!chunks[chunk]) {
    void *memory = nullptr;
    constexpr size_t bytes = wordsPerChunk * sizeof(int64_t);
    if (CUresult error = device->driver->cuMemHostAlloc(&memory, bytes,
                                                        hostMemoryForKernels))
      return device->failure("no memory for the failures of kernels, " +
                                 std::to_string(bytes) + " bytes of the host",
                             error);
    chunks[chunk] = static_cast<int64_t *>(memory);
    std::fill_n(chunks[chunk], wordsPerChunk, 0);
  }
  sources.resize(begin);
  const size_t end = begin + failures.count;
  for (size_t i = 0; i < failures.count; ++i)
    sources.push_back({failures.message, failures.kernels[i],
                       failures.locations[i] ? failures.locations[i] : "",
                       begin, end});
  count.store(end, std::memory_order_release);
  return &chunks[chunk][begin % wordsPerChunk];
}

Expected<int64_t *> CUDAFailures::wordsOf(const tc_kernel_failures &failures) {
  const std::atomic_ref<void *> handle(failures.handles[device->index]);
  if (void *known = handle.load(std::memory_order_acquire)) [[likely]]
    return static_cast<int64_t *>(known);
  const std::lock_guard lock(mutex);
  if (void *known = handle.load(std::memory_order_acquire))
    return static_cast<int64_t *>(known);
  Expected<int64_t *> words = addWords(failures);
  if (words.ok())
    handle.store(*words, std::memory_order_release);
  return words;
}

Status CUDAFailures::takeRange(size_t begin, size_t end, const char *prefix) {
  for (size_t i = begin; i < end; ++i) {
    if (wordAt(i).load(std::memory_order_relaxed) == 0) [[likely]]
      continue;
    const std::lock_guard lock(mutex);
    // Another thread may have been faster.
    if (wordAt(i).exchange(0, std::memory_order_acq_rel) == 0)
      continue;
    const Source &source = sources[i];
    for (size_t other = source.begin; other < source.end; ++other)
      wordAt(other).store(0, std::memory_order_relaxed);
    return Status(ErrorCode::IndexOutOfRange,
                  prefix + source.message + ", in the kernel '" +
                      source.kernel + "'",
                  source.location);
  }
  return Status::success();
}

Status CUDAFailures::take(const char *prefix) {
  return takeRange(0, count.load(std::memory_order_acquire), prefix);
}

Status CUDAFailures::takeOf(const tc_kernel_failures &failures) {
  const std::atomic_ref<void *> handle(failures.handles[device->index]);
  const auto *words =
      static_cast<const int64_t *>(handle.load(std::memory_order_acquire));
  if (!words)
    return Status::success();
  size_t chunk = 0;
  while (words < chunks[chunk] || words >= chunks[chunk] + wordsPerChunk)
    ++chunk;
  const size_t begin = chunk * wordsPerChunk + size_t(words - chunks[chunk]);
  return takeRange(begin, begin + failures.count, "");
}
