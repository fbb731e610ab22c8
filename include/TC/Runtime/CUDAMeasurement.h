//===- CUDAMeasurement.h - Times and resources of kernels -------*- C++ -*-===//
//
// What tools need to measure kernels of NVIDIA GPUs: events on a stream, what a
// kernel takes of a multiprocessor, what the device has, and a look at each
// launch. As in CUDA.h everything is in the primary context of a device.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_CUDAMEASUREMENT_H
#define TC_RUNTIME_CUDAMEASUREMENT_H

#include "TC/Runtime/Status.h"

namespace tc::runtime::cuda {

/// What a device has.
struct DeviceProperties {
  std::string name;
  std::string chip; ///< such as sm_90
  uint64_t memoryBytes = 0;
  uint64_t l2Bytes = 0;
  int32_t multiprocessors = 0;
  int32_t clockKHz = 0;       ///< highest of the multiprocessors
  int32_t memoryClockKHz = 0; ///< highest
  int32_t memoryBusBits = 0;
  int32_t sharedBytesPerBlock = 0; ///< most that a block may ask for
  int32_t driverVersion = 0;       ///< 1000 * major + 10 * minor
};

Expected<DeviceProperties> deviceProperties(int32_t device);

/// A point in the work of a stream, with its time.
class Event {
public:
  Event() = default;
  Event(Event &&other) noexcept { *this = std::move(other); }
  Event &operator=(Event &&other) noexcept;
  ~Event();

  static Expected<Event> create(int32_t device);

  /// Places the event behind the work that the stream has so far.
  Status record(void *stream);
  /// Waits until the device has come to it.
  Status synchronize() const;
  /// Seconds of the device from `begin`, of the same device, to this event,
  /// with a resolution of about half a microsecond; both must have been passed.
  Expected<double> secondsSince(const Event &begin) const;

private:
  int32_t device = 0;
  void *event = nullptr;
};

/// What a loaded kernel takes.
struct KernelResources {
  int32_t registers = 0;   ///< of a thread
  int32_t localBytes = 0;  ///< of a thread: spills and arrays
  int32_t sharedBytes = 0; ///< of a block, without the dynamic part
  int32_t maxThreads = 0;  ///< largest block
};

/// Loads the kernel from its image (PTX with a zero behind it, or a cubin of
/// `imageBytes` bytes), as the first launch does.
Expected<KernelResources> kernelResources(int32_t device, const char *kernel,
                                          const char *image,
                                          uint64_t imageBytes);

/// Writes `bytes` bytes of device memory in the order of `stream`: clears an L2
/// cache of other data, for example.
Status fill(int32_t device, void *stream, void *data, uint8_t value,
            uint64_t bytes);

/// One launch as the driver is given it.
struct LaunchInfo {
  const char *kernel = nullptr; ///< lives as long as the compiled function
  int32_t device = 0;
  void *stream = nullptr;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t cluster[3] = {1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  void *function = nullptr; ///< the driver's handle
};

/// What the kernel of a launch takes.
Expected<KernelResources> kernelResources(const LaunchInfo &launch);

/// Sees every launch of the process, on the thread that launches: a profiler
/// records an event before and one after.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  virtual void beforeLaunch(const LaunchInfo &launch) = 0;
  virtual void afterLaunch(const LaunchInfo &launch) = 0;
};

/// Sets the observer, or null for none, and gives the one before. It must live
/// until no call is in flight and it is no longer set.
LaunchObserver *setLaunchObserver(LaunchObserver *observer);

} // namespace tc::runtime::cuda

#endif // TC_RUNTIME_CUDAMEASUREMENT_H
