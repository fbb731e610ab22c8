//===- CUDAStatus.cpp - Where kernels report failures ---------------------===//

#include "CUDAStatus.h"

#include <algorithm>
#include <array>

using namespace tc::runtime;

CUDAStatusCells &CUDAStatusCells::of(CUDADevice &device) {
  static auto &all = *new std::array<CUDAStatusCells, maxCUDADevices>();
  CUDAStatusCells &cells = all[size_t(device.index)];
  static std::array<std::once_flag, maxCUDADevices> once;
  std::call_once(once[size_t(device.index)], [&] { cells.device = &device; });
  return cells;
}

Status CUDAStatusCells::allocate() {
  const std::lock_guard lock(mutex);
  if (cells.load(std::memory_order_relaxed))
    return Status::success();
  void *memory = nullptr;
  constexpr size_t bytes = count * words * sizeof(int64_t);
  if (CUresult error =
          device->driver->cuMemHostAlloc(&memory, bytes, hostMemoryForKernels))
    return device->failure("no memory for the statuses of calls, " +
                               std::to_string(bytes) + " bytes of the host",
                           error);
  for (uint32_t i = 0; i < count; ++i)
    next[i].store(i + 1 < count ? i + 2 : 0, std::memory_order_relaxed);
  first.store(1, std::memory_order_relaxed);
  cells.store(static_cast<int64_t *>(memory), std::memory_order_release);
  return Status::success();
}

Expected<int64_t *> CUDAStatusCells::take() {
  int64_t *all = cells.load(std::memory_order_acquire);
  if (!all) [[unlikely]] {
    if (Status status = allocate(); !status.ok())
      return status;
    all = cells.load(std::memory_order_acquire);
  }
  uint64_t head = first.load(std::memory_order_acquire);
  for (;;) {
    const auto number = uint32_t(head);
    if (number == 0)
      return Status(ErrorCode::OutOfMemory,
                    "more than " + std::to_string(count) +
                        " calls that may fail are in flight on CUDA device " +
                        std::to_string(device->index));
    const uint64_t changed = ((head >> 32) + 1) << 32 |
                             next[number - 1].load(std::memory_order_relaxed);
    if (first.compare_exchange_weak(head, changed, std::memory_order_acq_rel)) {
      int64_t *cell = all + size_t(number - 1) * words;
      std::fill_n(cell, words, 0);
      return cell;
    }
  }
}

void CUDAStatusCells::putBack(int64_t *cell) {
  const auto index =
      uint32_t((cell - cells.load(std::memory_order_relaxed)) / words);
  uint64_t head = first.load(std::memory_order_relaxed);
  uint64_t changed = 0;
  do {
    next[index].store(uint32_t(head), std::memory_order_relaxed);
    changed = ((head >> 32) + 1) << 32 | (index + 1);
  } while (
      !first.compare_exchange_weak(head, changed, std::memory_order_acq_rel));
}
