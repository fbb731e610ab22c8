//===- Handles.cpp - Arguments of the C API -------------------------------===//

#include "Handles.h"

using namespace tc;
using namespace tc::capi;
using namespace tc::runtime;

tc_error *capi::checkSizes(int32_t rank, const int64_t *sizes) {
  if (rank >= 0 && rank <= TC_MAX_RANK)
    return checkList(sizes, rank, "sizes");
  return invalidArgument("the rank is " + std::to_string(rank) +
                         ", expected 0 to " + std::to_string(TC_MAX_RANK));
}

Expected<DType> capi::readDType(int32_t value) {
  if (std::optional<DType> dtype = dtypeFromABI(value))
    return *dtype;
  return Status(ErrorCode::InvalidArgument,
                "the dtype is " + std::to_string(value) + ", expected 0 to " +
                    std::to_string(dtypeCount - 1));
}

tc_error *capi::checkDescriptor(const tc_tensor *descriptor) {
  if (tc_error *error = checkGiven(descriptor, "descriptor"))
    return error;
  if (tc_error *error = checkSizes(descriptor->rank, descriptor->sizes))
    return error;
  if (tc_error *error =
          checkList(descriptor->strides, descriptor->rank, "strides"))
    return error;
  Expected<DType> type = readDType(descriptor->dtype);
  if (!type.ok())
    return toError(type.error());
  if (descriptor->device_kind != TC_DEVICE_CPU &&
      descriptor->device_kind != TC_DEVICE_CUDA)
    return invalidArgument("the device kind is " +
                           std::to_string(descriptor->device_kind) +
                           ", expected 0 (CPU) or 1 (CUDA)");
  const Extents sizes(descriptor->sizes, size_t(descriptor->rank));
  const Extents strides(descriptor->strides, size_t(descriptor->rank));
  const std::optional<int64_t> count = countElements(sizes);
  if (!count || (*count > 0 && !descriptor->data))
    return invalidArgument("the array " + typeString(*type, sizes) +
                           (count ? " has no data"
                                  : " has sizes that are negative or too "
                                    "large"));
  if (!byteRange(*type, sizes, strides))
    return invalidArgument("the array " + typeString(*type, sizes) +
                           " has strides that are too large");
  return nullptr;
}

tc_error *capi::give(Expected<Tensor> tensor, tc_array **result) {
  if (!tensor.ok())
    return toError(tensor.error());
  *result = new tc_array{*std::move(tensor)};
  return nullptr;
}

tc_error *capi::checkAssign(const tc_array *target, const tc_array *source,
                            tc_device_kind kind) {
  if (tc_error *error = checkGiven(target, "target"))
    return error;
  if (tc_error *error = checkGiven(source, "source"))
    return error;
  const Tensor &to = target->tensor;
  if (to.typeString() != source->tensor.typeString())
    return invalidArgument("an array " + source->tensor.typeString() +
                           " cannot be copied to one " + to.typeString());
  if (tc_error *error = tc_array_check_writable(target))
    return error;
  for (const tc_array *array : {target, source})
    if (array->tensor.deviceKind() != kind)
      return tc_error_create(
          TC_ERROR_UNSUPPORTED,
          kind == TC_DEVICE_CPU
              ? "only arrays in host memory can be copied without a stream"
              : "only arrays of a CUDA device can be copied on a stream",
          nullptr);
  return nullptr;
}
