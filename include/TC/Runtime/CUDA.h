//===- CUDA.h - Memory and kernels of NVIDIA GPUs ---------------*- C++ -*-===//
//
// Everything goes through the CUDA driver, which is opened when it is first
// needed and never linked, in the primary context of a device: the one that
// torch and other libraries of the process use. A thread's current context is
// put back after each operation. A process that has called one of these must
// not use CUDA in children that it forks afterwards. After a kernel that failed
// the driver refuses all work on its device: every operation there then returns
// that first failure.
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
/// the order of `stream`, and given back in that order: nothing waits. The
/// stream may be destroyed before the memory is given back.
Expected<StorageRef> allocate(size_t bytes, int32_t device,
                              void *stream = nullptr);

/// Says that the work that `stream` has so far uses memory. If it was allocated
/// by `allocate` in the order of another stream, others get it only when that
/// work is done.
void recordUse(Storage &storage, void *stream);

/// Says that work of unknown streams may use memory until it is given back,
/// which then waits for the device.
void shareWithOtherStreams(Storage &storage);

/// Makes work that `stream` gets from now on wait for the work that `other` has
/// so far.
Status orderAfter(int32_t device, void *stream, void *other);

/// Gives memory that `allocate` keeps for later back to the driver, once the
/// device has done all its work; the bytes.
Expected<uint64_t> releaseCachedMemory(int32_t device);

/// A row-major copy of a tensor in host memory on a device.
Expected<Tensor> copyToDevice(const Tensor &tensor, int32_t device);
/// The same with the tensor's own strides, none of them negative; what is
/// between its elements is copied as well.
Expected<Tensor> copyToDeviceWithStrides(const Tensor &tensor, int32_t device);

/// A row-major copy, from the pool, of a row-major tensor on a device; waits
/// for all work of the device and, as synchronize does, reports a failure.
Expected<Tensor> copyToHost(const Tensor &tensor);

/// Copies the elements of `source` to `target`, row-major tensors of equal type
/// on one device, in the order of `stream`.
Status copy(const Tensor &target, const Tensor &source, void *stream);

/// Waits until the device has done all work of a stream. Fails where a kernel
/// has failed, or has found an index out of range in a call on this device that
/// nobody has been told.
Status synchronize(int32_t device, void *stream = nullptr);

/// Whether cuBLASLt can be opened here, for calls of
/// tc_runtime_api::multiply_matrices.
bool hasCuBLASLt();

/// Whether cuDNN can be opened here, for calls of tc_runtime_api::convolve;
/// `reason`, if it is given, says why not.
bool hasCuDNN(std::string *reason = nullptr);

/// See tc_runtime_api::launch_kernel.
Status launchKernel(int32_t device, void *stream, const tc_kernel &kernel,
                    int64_t blocks, void *arguments);

/// Copy bytes between the host and a device in the order of `stream`, and wait.
Status copyBytesToHost(int32_t device, void *stream, void *to, const void *from,
                       uint64_t bytes);
Status copyBytesToDevice(int32_t device, void *stream, void *to,
                         const void *from, uint64_t bytes);

/// See tc_runtime_api::copy_to_host and copy_to_device.
Status copyBytesToHost(int32_t device, void *stream, void *to, const void *from,
                       uint64_t bytes);
Status copyBytesToDevice(int32_t device, void *stream, void *to,
                         const void *from, uint64_t bytes);

/// See tc_runtime_api::device_constant. The copy lives as long as the process.
Expected<void *> constant(int32_t device, const void *data, uint64_t bytes,
                          void **handles);

} // namespace tc::runtime::cuda

#endif // TC_RUNTIME_CUDA_H
