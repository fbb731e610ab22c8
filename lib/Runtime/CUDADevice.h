//===- CUDADevice.h - A device and its context ------------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDADEVICE_H
#define TC_LIB_RUNTIME_CUDADEVICE_H

#include "CUDADriver.h"
#include "TC/Runtime/Status.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace tc::runtime {

/// Whether `data` begins at a multiple of the 16 bytes that a thread of a GPU
/// accesses at once, as the buffers of some kernels do (`aligned_buffers` of
/// tc.launch).
inline bool isAlignedForVectors(const void *data) {
  constexpr uintptr_t vectorBytes = 16;
  return reinterpret_cast<uintptr_t>(data) % vectorBytes == 0;
}

/// One device with its primary context, which is kept until the process ends.
class CUDADevice {
public:
  /// Device `index`, opened at its first use; `status` says whether that
  /// worked.
  static CUDADevice &get(int32_t index);

  /// Whether the driver refuses all further work in a context after `error`:
  /// kernels that failed, hardware that did.
  static bool breaksContext(CUresult error);

  /// Why the device cannot be used: it could not be opened, or a kernel broke
  /// its context. One load where all is well.
  Status status() const;
  bool isUsable() const { return usable.load(std::memory_order_acquire); }

  /// The failure of an operation. One after which the driver refuses all
  /// further work in the context is kept: status() gives it from then on.
  Status failure(const std::string &what, CUresult error);
  /// The failure of an operation that waited for kernels of `stream`, or of all
  /// streams: names those that may have failed.
  Status kernelFailure(CUresult error, CUstream stream, bool ofAllStreams);

  /// Waits until the device has done all work of a stream. The context must be
  /// the thread's.
  Status synchronize(CUstream stream);

  /// Keeps the name of a loaded kernel, which may outlive the compiled code
  /// that has it.
  void nameKernel(CUfunction function, const char *name);
  /// How many launches are remembered.
  static constexpr size_t launchesKept = 16;
  /// Remembers a launch, for the error message of a kernel that fails. One by a
  /// library has no blocks, and what nameKernel was told in the function's
  /// place.
  void recordLaunch(CUfunction function, CUstream stream, unsigned blocks,
                    unsigned threads);
  /// Forgets the launches on a stream, or on all, which are done.
  void forgetLaunches(CUstream stream, bool ofAllStreams);

  const CUDADriver *driver = nullptr;
  CUdevice device = 0;
  CUcontext context = nullptr;
  int32_t index = 0;
  int driverVersion = 0;
  bool launchesBlock = false; ///< as cuda::launchesBlock() when it was opened
  std::string chip;           ///< such as sm_90

private:
  Status open();
  void breakWith(Status status);

  /// One of the latest launches. Fields are atomic since a launch on another
  /// thread may write while a failure is described.
  struct Launch {
    std::atomic<CUfunction> function{nullptr};
    std::atomic<CUstream> stream{nullptr};
    std::atomic<uint64_t> number{0};
    std::atomic<unsigned> blocks{0}, threads{0};
  };
  Launch launches[launchesKept];
  std::atomic<uint64_t> launchCount{0};
  std::atomic<bool> usable{false};
  mutable std::mutex mutex;
  Status broken;                                     ///< guarded by `mutex`
  std::unordered_map<CUfunction, std::string> names; ///< guarded by `mutex`
};

/// Makes a device's context the thread's while it lives.
class CUDAContext {
public:
  explicit CUDAContext(const CUDADevice &device) : driver(*device.driver) {
    driver.cuCtxGetCurrent(&previous);
    isOther = previous != device.context;
    if (isOther)
      driver.cuCtxSetCurrent(device.context);
  }
  ~CUDAContext() {
    if (isOther)
      driver.cuCtxSetCurrent(previous);
  }
  CUDAContext(const CUDAContext &) = delete;
  CUDAContext &operator=(const CUDAContext &) = delete;

private:
  const CUDADriver &driver;
  CUcontext previous = nullptr;
  bool isOther = false;
};

inline constexpr int32_t maxCUDADevices = TC_MAX_DEVICES;
/// CU_MEMHOSTALLOC_PORTABLE and _DEVICEMAP, for cuMemHostAlloc.
inline constexpr unsigned hostMemoryForKernels = 3;

namespace cuda {
/// Whether CUDA_LAUNCH_BLOCKING asks that whoever launches kernels waits.
bool launchesBlock();
class LaunchObserver;
/// The observer that setLaunchObserver has set; null for none.
inline std::atomic<LaunchObserver *> launchObserver{nullptr};
} // namespace cuda

inline CUdeviceptr addressOf(const void *data) {
  return reinterpret_cast<CUdeviceptr>(data);
}

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDADEVICE_H
