//===- CUDA.cpp - Memory and kernels of NVIDIA GPUs -----------------------===//

#include "TC/Runtime/CUDA.h"
#include "CUDADevice.h"
#include "CUDAModules.h"
#include "TC/Runtime/CUDAMeasurement.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

using namespace tc::runtime;

namespace {

/// The largest number of blocks of a grid along x.
constexpr int64_t maxBlocks = 2147483647;
// CU_LAUNCH_PARAM_*
void *const launchParamEnd = nullptr;
void *const launchParamBufferPointer = reinterpret_cast<void *>(1);
void *const launchParamBufferSize = reinterpret_cast<void *>(2);

struct DeviceStorage : Storage {
  CUDADevice *device = nullptr;
  CUstream stream = nullptr;
  /// Whether kernels of other streams have used it.
  std::atomic<bool> hasOtherStreams = false;
};

/// Frees behind the work that its stream has so far, without waiting for it;
/// behind all work of the device where other streams have used it.
void releaseDeviceStorage(Storage *base) {
  auto *storage = static_cast<DeviceStorage *>(base);
  const CUDAContext context(*storage->device);
  const CUDADriver &driver = *storage->device->driver;
  if (storage->hasOtherStreams.load(std::memory_order_relaxed))
    driver.cuCtxSynchronize();
  driver.cuMemFreeAsync(addressOf(storage->data), storage->stream);
  delete storage;
}

/// The value of a handle, made by `make` when it is null.
template <typename Make>
Expected<void *> getOrMake(void **handle, const Make &make) {
  const std::atomic_ref<void *> shared(*handle);
  if (void *known = shared.load(std::memory_order_acquire))
    return known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (void *known = shared.load(std::memory_order_acquire))
    return known;
  Expected<void *> made = make();
  if (made.ok())
    shared.store(*made, std::memory_order_release);
  return made;
}

} // namespace

Status cuda::checkDevice(int32_t device) {
  return CUDADevice::get(device).status();
}

Expected<StorageRef> cuda::allocate(size_t bytes, int32_t index, void *stream) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  CUdeviceptr address = 0;
  if (CUresult error =
          device.driver->cuMemAllocAsync(&address, bytes ? bytes : 1, stream))
    return device.failure("no memory for " + std::to_string(bytes) +
                              " bytes on CUDA device " + std::to_string(index),
                          error);
  auto *storage = new DeviceStorage();
  storage->data = reinterpret_cast<void *>(address);
  storage->bytes = bytes;
  storage->release = releaseDeviceStorage;
  storage->device = &device;
  storage->stream = stream;
  return StorageRef(storage);
}

void cuda::recordUse(Storage &base, void *stream) {
  if (base.release != releaseDeviceStorage)
    return;
  auto &storage = static_cast<DeviceStorage &>(base);
  if (storage.stream != stream)
    storage.hasOtherStreams.store(true, std::memory_order_relaxed);
}

Expected<Tensor> cuda::copyToDevice(const Tensor &tensor, int32_t index) {
  Expected<Tensor> source = tensor.contiguous();
  if (!source.ok())
    return source.takeStatus();
  Expected<StorageRef> storage = allocate(source->byteCount(), index);
  if (!storage.ok())
    return storage.takeStatus();
  CUDADevice &device = CUDADevice::get(index);
  const CUDAContext context(device);
  void *data = (*storage)->data;
  if (size_t bytes = source->byteCount())
    if (CUresult error =
            device.driver->cuMemcpyHtoD(addressOf(data), source->data(), bytes))
      return device.failure("a tensor cannot be copied to the device", error);
  Tensor result =
      Tensor::viewUnchecked(*std::move(storage), data, source->dtype(),
                            source->sizes(), source->strides());
  result.setDevice(TC_DEVICE_CUDA, index);
  return result;
}

Expected<Tensor> cuda::copyToHost(const Tensor &tensor) {
  if (!tensor.isContiguous())
    return Status(ErrorCode::Unsupported,
                  "a tensor on a device that is not row-major cannot be copied "
                  "to the host");
  Expected<Tensor> result = Tensor::empty(tensor.dtype(), tensor.sizes());
  if (!result.ok())
    return result;
  CUDADevice &device = CUDADevice::get(tensor.deviceIndex());
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  if (CUresult error = device.driver->cuCtxSynchronize())
    return device.kernelFailure(error, nullptr, /*ofAllStreams=*/true);
  device.forgetLaunches(nullptr, /*ofAllStreams=*/true);
  if (size_t bytes = tensor.byteCount())
    if (CUresult error = device.driver->cuMemcpyDtoH(
            result->data(), addressOf(tensor.data()), bytes))
      return device.failure("a tensor cannot be copied from the device", error);
  return result;
}

Status cuda::synchronize(int32_t index, void *stream) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  if (CUresult error = device.driver->cuStreamSynchronize(stream))
    return device.kernelFailure(error, stream, /*ofAllStreams=*/false);
  return Status::success();
}

Status cuda::launchKernel(int32_t index, void *stream, const char *kernel,
                          const char *image, void **handle, int64_t blocks,
                          int64_t threads, const int64_t *arguments,
                          int64_t argumentCount) {
  if (blocks <= 0)
    return Status::success();
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  const CUDADriver &driver = *device.driver;
  Expected<void *> function = getOrMake(
      handle, [&] { return loadCUDAKernel(device, kernel, image, 0); });
  if (!function.ok())
    return function.takeStatus();
  // Parameters of kernels are 8 bytes each: the arguments are the block that
  // the driver copies.
  size_t bytes = size_t(argumentCount) * sizeof(int64_t);
  void *block[] = {launchParamBufferPointer, const_cast<int64_t *>(arguments),
                   launchParamBufferSize, &bytes, launchParamEnd};
  const auto count = unsigned(blocks < maxBlocks ? blocks : maxBlocks);
  LaunchObserver *observer = getLaunchObserver();
  LaunchInfo info;
  if (observer) [[unlikely]] {
    info.kernel = kernel;
    info.device = index;
    info.stream = stream;
    info.grid[0] = count;
    info.block[0] = unsigned(threads);
    info.function = *function;
    observer->beforeLaunch(info);
  }
  device.recordLaunch(kernel, stream, count, unsigned(threads));
  CUresult error =
      driver.cuLaunchKernel(*function, count, 1, 1, unsigned(threads), 1, 1, 0,
                            stream, nullptr, block);
  if (observer) [[unlikely]]
    observer->afterLaunch(info);
  if (error)
    return device.failure(
        std::string("the kernel '") + kernel + "' cannot be started", error);
  return Status::success();
}

Status cuda::clearStatus(int32_t index, void *stream, void *address) {
  CUDADevice &device = CUDADevice::get(index);
  const CUDAContext context(device);
  if (CUresult error = device.driver->cuMemsetD8Async(addressOf(address), 0,
                                                      sizeof(int64_t), stream))
    return device.failure("device memory cannot be cleared", error);
  return Status::success();
}

Expected<int64_t> cuda::readStatus(int32_t index, void *stream,
                                   const void *address) {
  CUDADevice &device = CUDADevice::get(index);
  const CUDAContext context(device);
  int64_t value = 0;
  CUresult error = device.driver->cuMemcpyDtoHAsync(&value, addressOf(address),
                                                    sizeof(value), stream);
  if (!error)
    error = device.driver->cuStreamSynchronize(stream);
  if (error)
    return device.kernelFailure(error, stream, /*ofAllStreams=*/false);
  return value;
}

Status cuda::copyBytesToHost(int32_t index, void *stream, void *to,
                             const void *from, uint64_t bytes) {
  if (bytes == 0)
    return Status::success();
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  CUresult error =
      device.driver->cuMemcpyDtoHAsync(to, addressOf(from), bytes, stream);
  if (!error)
    error = device.driver->cuStreamSynchronize(stream);
  if (error)
    return device.failure("values cannot be copied from the device to the host",
                          error);
  return Status::success();
}

Status cuda::copyBytesToDevice(int32_t index, void *stream, void *to,
                               const void *from, uint64_t bytes) {
  if (bytes == 0)
    return Status::success();
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  // The host's memory is its own again afterwards.
  CUresult error =
      device.driver->cuMemcpyHtoDAsync(addressOf(to), from, bytes, stream);
  if (!error)
    error = device.driver->cuStreamSynchronize(stream);
  if (error)
    return device.failure("values cannot be copied from the host to the device",
                          error);
  return Status::success();
}

Expected<void *> cuda::constant(int32_t index, const void *data, uint64_t bytes,
                                void **handle) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  return getOrMake(handle, [&]() -> Expected<void *> {
    Expected<StorageRef> storage = allocate(bytes, index);
    if (!storage.ok())
      return storage.takeStatus();
    const CUDAContext context(device);
    void *address = (*storage)->data;
    if (CUresult error =
            device.driver->cuMemcpyHtoD(addressOf(address), data, bytes))
      return device.failure("a constant cannot be copied", error);
    // Compiled code refers to it from now on.
    new StorageRef(*std::move(storage));
    return address;
  });
}
