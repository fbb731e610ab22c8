//===- CUDA.cpp - CUDA devices in the C API -------------------------------===//

#include "TC/Runtime/CUDA.h"
#include "Handles.h"

using namespace tc;
using namespace tc::capi;
using namespace tc::runtime;

tc_error *tc_cuda_check_device(int32_t device) {
  return toError(cuda::checkDevice(device));
}

tc_error *tc_cuda_synchronize(int32_t device, void *stream) {
  return toError(cuda::synchronize(device, stream));
}

tc_error *tc_cuda_release_cached_memory(int32_t device) {
  Expected<uint64_t> freed = cuda::releaseCachedMemory(device);
  return freed.ok() ? nullptr : toError(freed.error());
}

/// Fails unless both arguments are given and the array is on such a device.
static tc_error *checkCopy(const tc_array *array, tc_array **result,
                           tc_device_kind kind) {
  if (tc_error *error = checkGiven(array, "array"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  if (array->tensor.deviceKind() == kind)
    return nullptr;
  return invalidArgument("the array " + array->tensor.typeString() +
                         (kind == TC_DEVICE_CPU
                              ? " is not in host memory"
                              : " is not in the memory of a CUDA device"));
}

tc_error *tc_array_copy_to_device(const tc_array *array, int32_t device,
                                  tc_array **result) {
  if (tc_error *error = checkCopy(array, result, TC_DEVICE_CPU))
    return error;
  return give(cuda::copyToDevice(array->tensor, device), result);
}

tc_error *tc_array_copy_to_host(const tc_array *array, tc_array **result) {
  if (tc_error *error = checkCopy(array, result, TC_DEVICE_CUDA))
    return error;
  return give(cuda::copyToHost(array->tensor), result);
}

tc_error *tc_array_assign_on_stream(tc_array *target, const tc_array *source,
                                    void *stream) {
  if (tc_error *error = checkAssign(target, source, TC_DEVICE_CUDA))
    return error;
  return toError(cuda::copy(target->tensor, source->tensor, stream));
}

tc_error *tc_array_share_with_stream(tc_array *array, void *producer,
                                     void *consumer) {
  if (tc_error *error = checkGiven(array, "array"))
    return error;
  const Tensor &tensor = array->tensor;
  if (tensor.deviceKind() != TC_DEVICE_CUDA || producer == consumer)
    return nullptr;
  if (Storage *storage = tensor.storage().get())
    cuda::shareWithOtherStreams(*storage);
  return toError(cuda::orderAfter(tensor.deviceIndex(), consumer, producer));
}
