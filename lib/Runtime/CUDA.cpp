//===- CUDA.cpp - Memory and kernels of NVIDIA GPUs -----------------------===//

#include "TC/Runtime/CUDA.h"
#include "CUDADriver.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

using namespace tc::runtime;

namespace {

/// The largest number of blocks of a grid along x.
constexpr int64_t maxBlocks = 2147483647;
// CU_MEMPOOL_ATTR_*, CU_JIT_*
constexpr int poolReleaseThreshold = 4;
constexpr int jitErrorLog = 5, jitErrorLogSize = 6;
// CU_LAUNCH_PARAM_*
void *const launchParamEnd = nullptr;
void *const launchParamBufferPointer = reinterpret_cast<void *>(1);
void *const launchParamBufferSize = reinterpret_cast<void *>(2);

Status failure(const CUDADriver &driver, const std::string &what,
               CUresult error) {
  constexpr CUresult outOfMemory = 2;
  return Status(error == outOfMemory ? ErrorCode::OutOfMemory
                                     : ErrorCode::Internal,
                what + ": " + driver.describe(error));
}

/// One device with its primary context, which is kept until the process ends.
struct Device {
  const CUDADriver *driver = nullptr;
  CUdevice device = 0;
  CUcontext context = nullptr;
  Status status;
};

Status openDevice(Device &device, int32_t index) {
  std::string reason;
  device.driver = CUDADriver::get(&reason);
  if (!device.driver)
    return Status(ErrorCode::Unsupported, reason);
  const CUDADriver &driver = *device.driver;
  int count = 0;
  if (CUresult error = driver.cuDeviceGetCount(&count))
    return failure(driver, "CUDA devices cannot be counted", error);
  if (index < 0 || index >= count)
    return Status(ErrorCode::InvalidArgument,
                  "there is no CUDA device " + std::to_string(index) + " of " +
                      std::to_string(count));
  if (CUresult error = driver.cuDeviceGet(&device.device, index))
    return failure(driver, "the CUDA device cannot be opened", error);
  if (CUresult error =
          driver.cuDevicePrimaryCtxRetain(&device.context, device.device))
    return failure(driver, "the CUDA device has no context", error);
  // Freed memory stays with the process: giving it back costs more than the
  // kernels that use it.
  CUmemoryPool pool = nullptr;
  uint64_t keepAll = ~uint64_t(0);
  if (driver.cuDeviceGetDefaultMemPool(&pool, device.device) == 0)
    driver.cuMemPoolSetAttribute(pool, poolReleaseThreshold, &keepAll);
  return Status::success();
}

constexpr int32_t maxDevices = 64;

/// Opens device `index` at its first use; its status says whether that worked.
Device &getDevice(int32_t index) {
  static std::array<Device, maxDevices> devices;
  static std::array<std::once_flag, maxDevices> opened;
  static Device none;
  if (index < 0 || index >= maxDevices) {
    static std::once_flag once;
    std::call_once(once, [] {
      none.status = Status(ErrorCode::InvalidArgument,
                           "a CUDA device has a number that none can have");
    });
    return none;
  }
  std::call_once(opened[size_t(index)], [&] {
    Device &device = devices[size_t(index)];
    device.status = openDevice(device, index);
  });
  return devices[size_t(index)];
}

/// Makes a device's context the thread's while it lives.
class InContext {
public:
  explicit InContext(const Device &device) : driver(*device.driver) {
    driver.cuCtxGetCurrent(&previous);
    isOther = previous != device.context;
    if (isOther)
      driver.cuCtxSetCurrent(device.context);
  }
  ~InContext() {
    if (isOther)
      driver.cuCtxSetCurrent(previous);
  }

private:
  const CUDADriver &driver;
  CUcontext previous = nullptr;
  bool isOther = false;
};

Status copyStatus(const Status &status) {
  if (status.ok())
    return Status::success();
  return Status(status.code(), status.message());
}

CUdeviceptr addressOf(const void *data) {
  return reinterpret_cast<CUdeviceptr>(data);
}

struct DeviceStorage : Storage {
  const Device *device = nullptr;
  CUstream stream = nullptr;
  /// Whether kernels of other streams have used it.
  std::atomic<bool> hasOtherStreams = false;
};

/// Frees behind the work that its stream has so far, without waiting for it;
/// behind all work of the device where other streams have used it.
void releaseDeviceStorage(Storage *base) {
  auto *storage = static_cast<DeviceStorage *>(base);
  const InContext context(*storage->device);
  const CUDADriver &driver = *storage->device->driver;
  if (storage->hasOtherStreams.load(std::memory_order_relaxed))
    driver.cuCtxSynchronize();
  driver.cuMemFreeAsync(addressOf(storage->data), storage->stream);
  delete storage;
}

Expected<CUfunction> loadKernel(const CUDADriver &driver, const char *kernel,
                                const char *image) {
  std::vector<char> log(8192, '\0');
  int options[] = {jitErrorLog, jitErrorLogSize};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  CUmodule module = nullptr;
  if (CUresult error =
          driver.cuModuleLoadDataEx(&module, image, 2, options, values))
    return failure(driver,
                   std::string("the kernel '") + kernel + "' cannot be loaded" +
                       (log[0] ? ": " : "") + log.data(),
                   error);
  CUfunction function = nullptr;
  if (CUresult error = driver.cuModuleGetFunction(&function, module, kernel))
    return failure(
        driver, std::string("there is no kernel '") + kernel + "' in its image",
        error);
  return function;
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
  return copyStatus(getDevice(device).status);
}

Expected<StorageRef> cuda::allocate(size_t bytes, int32_t index, void *stream) {
  const Device &device = getDevice(index);
  if (!device.status.ok())
    return copyStatus(device.status);
  const InContext context(device);
  CUdeviceptr address = 0;
  if (CUresult error =
          device.driver->cuMemAllocAsync(&address, bytes ? bytes : 1, stream))
    return failure(*device.driver,
                   "no memory for " + std::to_string(bytes) +
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
  const Device &device = getDevice(index);
  const InContext context(device);
  void *data = (*storage)->data;
  if (size_t bytes = source->byteCount())
    if (CUresult error =
            device.driver->cuMemcpyHtoD(addressOf(data), source->data(), bytes))
      return failure(*device.driver, "a tensor cannot be copied to the device",
                     error);
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
  const Device &device = getDevice(tensor.deviceIndex());
  if (!device.status.ok())
    return copyStatus(device.status);
  const InContext context(device);
  CUresult error = device.driver->cuCtxSynchronize();
  if (size_t bytes = tensor.byteCount(); bytes && !error)
    error = device.driver->cuMemcpyDtoH(result->data(),
                                        addressOf(tensor.data()), bytes);
  if (error)
    return failure(*device.driver, "a tensor cannot be copied from the device",
                   error);
  return result;
}

Status cuda::synchronize(int32_t index, void *stream) {
  const Device &device = getDevice(index);
  if (!device.status.ok())
    return copyStatus(device.status);
  const InContext context(device);
  if (CUresult error = device.driver->cuStreamSynchronize(stream))
    return failure(*device.driver, "a kernel failed", error);
  return Status::success();
}

Status cuda::launchKernel(int32_t index, void *stream, const char *kernel,
                          const char *image, void **handle, int64_t blocks,
                          int64_t threads, const int64_t *arguments,
                          int64_t argumentCount) {
  if (blocks <= 0)
    return Status::success();
  const Device &device = getDevice(index);
  if (!device.status.ok())
    return copyStatus(device.status);
  const InContext context(device);
  const CUDADriver &driver = *device.driver;
  Expected<void *> function =
      getOrMake(handle, [&] { return loadKernel(driver, kernel, image); });
  if (!function.ok())
    return function.takeStatus();
  // Parameters of kernels are 8 bytes each: the arguments are the block that
  // the driver copies.
  size_t bytes = size_t(argumentCount) * sizeof(int64_t);
  void *block[] = {launchParamBufferPointer, const_cast<int64_t *>(arguments),
                   launchParamBufferSize, &bytes, launchParamEnd};
  const auto count = unsigned(blocks < maxBlocks ? blocks : maxBlocks);
  if (CUresult error =
          driver.cuLaunchKernel(*function, count, 1, 1, unsigned(threads), 1, 1,
                                0, stream, nullptr, block))
    return failure(driver,
                   std::string("the kernel '") + kernel + "' cannot be started",
                   error);
  return Status::success();
}

Status cuda::clearStatus(int32_t index, void *stream, void *address) {
  const Device &device = getDevice(index);
  const InContext context(device);
  if (CUresult error = device.driver->cuMemsetD8Async(addressOf(address), 0,
                                                      sizeof(int64_t), stream))
    return failure(*device.driver, "device memory cannot be cleared", error);
  return Status::success();
}

Expected<int64_t> cuda::readStatus(int32_t index, void *stream,
                                   const void *address) {
  const Device &device = getDevice(index);
  const InContext context(device);
  int64_t value = 0;
  CUresult error = device.driver->cuMemcpyDtoHAsync(&value, addressOf(address),
                                                    sizeof(value), stream);
  if (!error)
    error = device.driver->cuStreamSynchronize(stream);
  if (error)
    return failure(*device.driver, "a kernel failed", error);
  return value;
}

Status cuda::copyBytesToHost(int32_t index, void *stream, void *to,
                             const void *from, uint64_t bytes) {
  if (bytes == 0)
    return Status::success();
  const Device &device = getDevice(index);
  if (!device.status.ok())
    return copyStatus(device.status);
  const InContext context(device);
  CUresult error =
      device.driver->cuMemcpyDtoHAsync(to, addressOf(from), bytes, stream);
  if (!error)
    error = device.driver->cuStreamSynchronize(stream);
  if (error)
    return failure(*device.driver,
                   "values cannot be copied from the device to the host",
                   error);
  return Status::success();
}

Status cuda::copyBytesToDevice(int32_t index, void *stream, void *to,
                               const void *from, uint64_t bytes) {
  if (bytes == 0)
    return Status::success();
  const Device &device = getDevice(index);
  if (!device.status.ok())
    return copyStatus(device.status);
  const InContext context(device);
  // The host's memory is its own again afterwards.
  CUresult error =
      device.driver->cuMemcpyHtoDAsync(addressOf(to), from, bytes, stream);
  if (!error)
    error = device.driver->cuStreamSynchronize(stream);
  if (error)
    return failure(*device.driver,
                   "values cannot be copied from the host to the device",
                   error);
  return Status::success();
}

Expected<void *> cuda::constant(int32_t index, const void *data, uint64_t bytes,
                                void **handle) {
  const Device &device = getDevice(index);
  if (!device.status.ok())
    return copyStatus(device.status);
  return getOrMake(handle, [&]() -> Expected<void *> {
    Expected<StorageRef> storage = allocate(bytes, index);
    if (!storage.ok())
      return storage.takeStatus();
    const InContext context(device);
    void *address = (*storage)->data;
    if (CUresult error =
            device.driver->cuMemcpyHtoD(addressOf(address), data, bytes))
      return failure(*device.driver, "a constant cannot be copied", error);
    // Compiled code refers to it from now on.
    new StorageRef(*std::move(storage));
    return address;
  });
}
