//===- Handles.cpp - Arguments of the C API -------------------------------===//

#include "Handles.h"

using namespace tc;
using namespace tc::capi;
using namespace tc::runtime;

tc_error *capi::checkRank(int32_t rank) {
  if (rank >= 0 && rank <= TC_MAX_RANK)
    return nullptr;
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
  if (tc_error *error = checkRank(descriptor->rank))
    return error;
  if (tc_error *error = checkList(descriptor->sizes, descriptor->rank, "sizes"))
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
