//===- CUDAMeasurement.cpp - Times and resources of kernels ---------------===//

#include "TC/Runtime/CUDAMeasurement.h"
#include "CUDADevice.h"
#include "CUDAModules.h"

using namespace tc::runtime;
using namespace tc::runtime::cuda;

namespace {
// CU_DEVICE_ATTRIBUTE_*
constexpr int clockRate = 13, multiprocessorCount = 16, memoryClockRate = 36,
              busWidth = 37, l2Size = 38, maxSharedOptIn = 97;
// CU_FUNC_ATTRIBUTE_*
constexpr int maxThreadsPerBlock = 0, sharedSizeBytes = 1, localSizeBytes = 3,
              numRegs = 4;

Expected<KernelResources> readResources(CUDADevice &device, const char *kernel,
                                        CUfunction function) {
  KernelResources result;
  const std::pair<int, int32_t *> fields[] = {
      {maxThreadsPerBlock, &result.maxThreads},
      {sharedSizeBytes, &result.sharedBytes},
      {localSizeBytes, &result.localBytes},
      {numRegs, &result.registers}};
  for (auto [attribute, value] : fields)
    if (CUresult error =
            device.driver->cuFuncGetAttribute(value, attribute, function))
      return device.failure(std::string("the resources of the kernel '") +
                                kernel + "' cannot be read",
                            error);
  return result;
}
} // namespace

Expected<DeviceProperties> cuda::deviceProperties(int32_t index) {
  CUDADevice &device = CUDADevice::get(index);
  if (Status status = device.status(); !status.ok())
    return status;
  const CUDADriver &driver = *device.driver;
  DeviceProperties result;
  char name[256] = "";
  size_t bytes = 0;
  int l2Bytes = 0;
  CUresult error = driver.cuDeviceGetName(name, sizeof(name), device.device);
  if (!error)
    error = driver.cuDeviceTotalMem(&bytes, device.device);
  const std::pair<int, int32_t *> fields[] = {
      {clockRate, &result.clockKHz},
      {multiprocessorCount, &result.multiprocessors},
      {memoryClockRate, &result.memoryClockKHz},
      {busWidth, &result.memoryBusBits},
      {l2Size, &l2Bytes},
      {maxSharedOptIn, &result.sharedBytesPerBlock}};
  for (auto [attribute, value] : fields)
    if (!error)
      error = driver.cuDeviceGetAttribute(value, attribute, device.device);
  if (error)
    return device.failure("the properties of CUDA device " +
                              std::to_string(index) + " cannot be read",
                          error);
  result.name = name;
  result.chip = device.chip;
  result.memoryBytes = bytes;
  result.l2Bytes = uint64_t(l2Bytes);
  result.driverVersion = device.driverVersion;
  return result;
}

Event &Event::operator=(Event &&other) noexcept {
  std::swap(device, other.device);
  std::swap(event, other.event);
  return *this;
}

Event::~Event() {
  if (!event)
    return;
  const CUDADevice &owner = CUDADevice::get(device);
  const CUDAContext context(owner);
  owner.driver->cuEventDestroy(event);
}

Expected<Event> Event::create(int32_t index) {
  CUDADevice &device = CUDADevice::get(index);
  if (Status status = device.status(); !status.ok())
    return status;
  const CUDAContext context(device);
  Event result;
  result.device = index;
  if (CUresult error = device.driver->cuEventCreate(&result.event, 0))
    return device.failure("an event cannot be made", error);
  return result;
}

Status Event::record(void *stream) {
  CUDADevice &owner = CUDADevice::get(device);
  const CUDAContext context(owner);
  if (CUresult error = owner.driver->cuEventRecord(event, stream))
    return owner.failure("an event cannot be recorded", error);
  return Status::success();
}

Status Event::synchronize() const {
  CUDADevice &owner = CUDADevice::get(device);
  const CUDAContext context(owner);
  if (CUresult error = owner.driver->cuEventSynchronize(event))
    return owner.kernelFailure(error, nullptr, /*ofAllStreams=*/true);
  return Status::success();
}

Expected<double> Event::secondsSince(const Event &begin) const {
  CUDADevice &owner = CUDADevice::get(device);
  const CUDAContext context(owner);
  float milliseconds = 0;
  if (CUresult error =
          owner.driver->cuEventElapsedTime(&milliseconds, begin.event, event))
    return owner.failure("the time between two events cannot be read", error);
  return double(milliseconds) * 1e-3;
}

Expected<KernelResources> cuda::kernelResources(int32_t index,
                                                const char *kernel,
                                                const char *image,
                                                uint64_t imageBytes) {
  CUDADevice &device = CUDADevice::get(index);
  if (Status status = device.status(); !status.ok())
    return status;
  const CUDAContext context(device);
  Expected<CUfunction> function =
      loadCUDAKernel(device, kernel, image, imageBytes, /*isAlone=*/true);
  if (!function.ok())
    return function.takeStatus();
  return readResources(device, kernel, *function);
}

Expected<KernelResources> cuda::kernelResources(const LaunchInfo &launch) {
  CUDADevice &device = CUDADevice::get(launch.device);
  if (Status status = device.status(); !status.ok())
    return status;
  const CUDAContext context(device);
  return readResources(device, launch.kernel, launch.function);
}

Status cuda::fill(int32_t index, void *stream, void *data, uint8_t value,
                  uint64_t bytes) {
  CUDADevice &device = CUDADevice::get(index);
  if (Status status = device.status(); !status.ok() || bytes == 0)
    return status;
  const CUDAContext context(device);
  if (CUresult error =
          device.driver->cuMemsetD8Async(addressOf(data), value, bytes, stream))
    return device.failure("device memory cannot be written", error);
  return Status::success();
}

LaunchObserver *cuda::setLaunchObserver(LaunchObserver *observer) {
  return launchObserver.exchange(observer);
}
