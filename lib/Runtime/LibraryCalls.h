//===- LibraryCalls.h - What calls of all libraries share -------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_LIBRARYCALLS_H
#define TC_LIB_RUNTIME_LIBRARYCALLS_H

#include "CUDADevice.h"
#include "TC/Runtime/CUDAMeasurement.h"

#include <array>
#include <bit>

namespace tc::runtime {

/// Everything that a library's choice of an algorithm depends on.
template <size_t Count> struct LibraryKey {
  std::array<int64_t, Count> words;

  bool operator==(const LibraryKey &other) const = default;
  size_t hash() const {
    uint64_t result = 0;
    for (const int64_t word : words)
      result = (std::rotl(result, 23) ^ uint64_t(word)) * 0x9e3779b97f4a7c15;
    return size_t(result >> 32);
  }
};

/// What libraries have their workspace aligned to.
inline constexpr uintptr_t libraryAlignment = 256;

/// Bytes of a workspace that are behind its first aligned address, at least.
inline uint64_t usableWorkspace(uint64_t bytes) {
  constexpr uint64_t planned = 64; // what it is aligned to by the memory plan
  constexpr uint64_t lost = libraryAlignment - planned;
  return bytes < lost ? 0 : bytes - lost;
}

/// That address.
inline void *alignWorkspace(void *workspace) {
  const auto address = reinterpret_cast<uintptr_t>(workspace);
  return reinterpret_cast<void *>((address + libraryAlignment - 1) &
                                  -libraryAlignment);
}

/// Tells those that measure kernels of what a library launches in its lifetime.
class LibraryLaunch {
public:
  /// `plan` is what the device knows the kernel by (CUDADevice::nameKernel).
  LibraryLaunch(CUDADevice &device, CUstream stream, const char *kernel,
                CUfunction plan)
      : observer(cuda::launchObserver.load(std::memory_order_acquire)) {
    if (observer) [[unlikely]] {
      info.kernel = kernel;
      info.device = device.index;
      info.stream = stream;
      observer->beforeLaunch(info);
    }
    device.recordLaunch(plan, stream, /*blocks=*/0, /*threads=*/0);
  }
  ~LibraryLaunch() {
    if (observer) [[unlikely]]
      observer->afterLaunch(info);
  }
  LibraryLaunch(const LibraryLaunch &) = delete;
  LibraryLaunch &operator=(const LibraryLaunch &) = delete;

private:
  cuda::LaunchObserver *observer;
  cuda::LaunchInfo info;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_LIBRARYCALLS_H
