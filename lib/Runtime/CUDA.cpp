//===- CUDA.cpp - Memory and kernels of NVIDIA GPUs -----------------------===//

#include "TC/Runtime/CUDA.h"
#include "CUDAFailures.h"
#include "CUDALaunch.h"
#include "CUDAMemory.h"
#include "CuBLASLt.h"
#include "CuDNN.h"

using namespace tc::runtime;

bool cuda::hasCuBLASLt() { return CuBLASLt::get() != nullptr; }
bool cuda::hasCuDNN(std::string *reason) {
  return CuDNN::get(reason) != nullptr;
}

Status cuda::checkDevice(int32_t device) {
  return CUDADevice::get(device).status();
}

Expected<StorageRef> cuda::allocate(size_t bytes, int32_t index, void *stream) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  return CUDAMemory::of(device).allocate(bytes, stream);
}

void cuda::recordUse(Storage &storage, void *stream) {
  CUDABlock *block = CUDAMemory::blockOf(storage);
  if (!block || !block->owner->device().isUsable())
    return;
  const CUDAContext context(block->owner->device());
  block->owner->recordUse(*block, stream);
}

void cuda::shareWithOtherStreams(Storage &storage) {
  if (CUDABlock *block = CUDAMemory::blockOf(storage))
    block->isShared.store(true, std::memory_order_relaxed);
}

Status cuda::orderAfter(int32_t index, void *stream, void *other) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  if (stream == other)
    return Status::success();
  const CUDAContext context(device);
  const CUDADriver &driver = *device.driver;
  constexpr unsigned eventWithoutTime = 2; // CU_EVENT_DISABLE_TIMING
  CUevent event = nullptr;
  CUresult error = driver.cuEventCreate(&event, eventWithoutTime);
  if (!error)
    error = driver.cuEventRecord(event, other);
  if (!error)
    error = driver.cuStreamWaitEvent(stream, event, 0);
  if (event)
    driver.cuEventDestroy(event); // once it has been passed
  if (error)
    return device.failure("a stream cannot wait for another", error);
  return Status::success();
}

Expected<uint64_t> cuda::releaseCachedMemory(int32_t index) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  return CUDAMemory::of(device).trim();
}

Expected<Tensor> cuda::copyToDevice(const Tensor &tensor, int32_t index) {
  Expected<Tensor> source = tensor.contiguous();
  if (!source.ok())
    return source.takeStatus();
  return copyToDeviceWithStrides(*source, index);
}

Expected<Tensor> cuda::copyToDeviceWithStrides(const Tensor &tensor,
                                               int32_t index) {
  const std::optional<ByteRange> range =
      byteRange(tensor.dtype(), tensor.sizes(), tensor.strides());
  if (!range || range->begin != 0)
    return Status(ErrorCode::Unsupported,
                  "a tensor with negative strides cannot be copied to the "
                  "device as it is");
  const auto bytes = size_t(range->end);
  Expected<StorageRef> storage = allocate(bytes, index);
  if (!storage.ok())
    return storage.takeStatus();
  CUDADevice &device = CUDADevice::get(index);
  const CUDAContext context(device);
  void *data = (*storage)->data;
  if (bytes != 0)
    if (CUresult error =
            device.driver->cuMemcpyHtoD(addressOf(data), tensor.data(), bytes))
      return device.failure("a tensor cannot be copied to the device", error);
  Tensor result =
      Tensor::viewUnchecked(*std::move(storage), data, tensor.dtype(),
                            tensor.sizes(), tensor.strides());
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
  if (Status failure = CUDAFailures::of(device).take(); !failure.ok())
    return failure;
  if (size_t bytes = tensor.byteCount())
    if (CUresult error = device.driver->cuMemcpyDtoH(
            result->data(), addressOf(tensor.data()), bytes))
      return device.failure("a tensor cannot be copied from the device", error);
  return result;
}

Status cuda::copy(const Tensor &target, const Tensor &source, void *stream) {
  if (target.deviceIndex() != source.deviceIndex())
    return Status(ErrorCode::InvalidArgument,
                  "a tensor on CUDA device " +
                      std::to_string(source.deviceIndex()) +
                      " cannot be copied to one on device " +
                      std::to_string(target.deviceIndex()));
  if (!target.isContiguous() || !source.isContiguous())
    return Status(ErrorCode::Unsupported,
                  "a tensor on a device that is not row-major cannot be copied "
                  "or written");
  CUDADevice &device = CUDADevice::get(target.deviceIndex());
  const size_t bytes = target.byteCount();
  if (!device.isUsable() || bytes == 0)
    return device.status();
  const CUDAContext context(device);
  if (CUresult error = device.driver->cuMemcpyDtoDAsync(
          addressOf(target.data()), addressOf(source.data()), bytes, stream))
    return device.failure("a tensor cannot be copied on the device", error);
  for (const Tensor *tensor : {&target, &source})
    if (Storage *storage = tensor->storage().get())
      recordUse(*storage, stream);
  return Status::success();
}

Status cuda::synchronize(int32_t index, void *stream) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  Status status = device.synchronize(stream);
  return status.ok() ? CUDAFailures::of(device).take() : std::move(status);
}

Status cuda::launchKernel(int32_t index, void *stream, const tc_kernel &kernel,
                          int64_t blocks, void *arguments) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const CUDAContext context(device);
  return launchCUDAKernel(device, stream, kernel, blocks, arguments);
}

/// Copies `bytes` bytes by `copy`, a function of the driver's table, and waits:
/// the host's memory is its own again afterwards.
template <typename Copy>
static Status copyAndWait(int32_t index, void *stream, uint64_t bytes,
                          const char *failure, const Copy &copy) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable() || bytes == 0)
    return device.status();
  const CUDAContext context(device);
  if (CUresult error = copy(*device.driver))
    return device.failure(failure, error);
  return device.synchronize(stream);
}

Status cuda::copyBytesToHost(int32_t index, void *stream, void *to,
                             const void *from, uint64_t bytes) {
  return copyAndWait(index, stream, bytes,
                     "values cannot be copied from the device to the host",
                     [&](const CUDADriver &driver) {
                       return driver.cuMemcpyDtoHAsync(to, addressOf(from),
                                                       bytes, stream);
                     });
}

Status cuda::copyBytesToDevice(int32_t index, void *stream, void *to,
                               const void *from, uint64_t bytes) {
  return copyAndWait(index, stream, bytes,
                     "values cannot be copied from the host to the device",
                     [&](const CUDADriver &driver) {
                       return driver.cuMemcpyHtoDAsync(addressOf(to), from,
                                                       bytes, stream);
                     });
}

Expected<void *> cuda::constant(int32_t index, const void *data, uint64_t bytes,
                                void **handles) {
  CUDADevice &device = CUDADevice::get(index);
  if (!device.isUsable())
    return device.status();
  const std::atomic_ref<void *> handle(handles[index]);
  if (void *known = handle.load(std::memory_order_acquire))
    return known;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (void *known = handle.load(std::memory_order_acquire))
    return known;
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
  handle.store(address, std::memory_order_release);
  return address;
}
