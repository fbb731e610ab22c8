//===- CUDA.h - Memory and kernels of NVIDIA GPUs ---------------*- C++ -*-===//
//
// Everything goes through the CUDA driver, which is opened when it is first
// needed and never linked, in the primary context of a device: the one that
// torch and other libraries of the process use. A thread's current context is
// put back after each operation. A process that has called one of these must
// not use CUDA in children that it forks afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_CUDA_H
#define TC_RUNTIME_CUDA_H

#include "TC/Runtime/Status.h"
#include "TC/Runtime/Tensor.h"

namespace tc::runtime::cuda {

/// Fails, saying why, when there is no driver or no such device.
Status checkDevice(int32_t device);

/// Device memory of at least `bytes` bytes, content undefined, ready for use in
/// the order of `stream`, and given back in that order: nothing waits.
Expected<StorageRef> allocate(size_t bytes, int32_t device,
                              void *stream = nullptr);

/// Says that work of `stream` uses memory. If it was allocated by `allocate` in
/// the order of another stream, it is given back when the device has done all
/// its work.
void recordUse(Storage &storage, void *stream);

/// A row-major copy of a tensor in host memory on a device.
Expected<Tensor> copyToDevice(const Tensor &tensor, int32_t device);

/// A row-major copy, from the pool, of a row-major tensor on a device; waits
/// for all work of the device.
Expected<Tensor> copyToHost(const Tensor &tensor);

/// Waits until the device has done all work of a stream.
Status synchronize(int32_t device, void *stream = nullptr);

/// See tc_runtime_api::launch_kernel.
Status launchKernel(int32_t device, void *stream, const char *kernel,
                    const char *image, void **handle, int64_t blocks,
                    int64_t threads, const int64_t *arguments,
                    int64_t argumentCount);

/// Sets an i64 in device memory to 0 in the order of `stream`.
Status clearStatus(int32_t device, void *stream, void *address);

/// Reads an i64 from device memory, after the work of `stream`.
Expected<int64_t> readStatus(int32_t device, void *stream, const void *address);

/// See tc_runtime_api::copy_to_host and copy_to_device.
Status copyBytesToHost(int32_t device, void *stream, void *to, const void *from,
                       uint64_t bytes);
Status copyBytesToDevice(int32_t device, void *stream, void *to,
                         const void *from, uint64_t bytes);

/// See tc_runtime_api::device_constant. The copy lives as long as the process.
Expected<void *> constant(int32_t device, const void *data, uint64_t bytes,
                          void **handle);

} // namespace tc::runtime::cuda

#endif // TC_RUNTIME_CUDA_H
