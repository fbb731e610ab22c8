//===- Handles.h - What the handles of the C API are ------------*- C++ -*-===//

#ifndef TC_LIB_CAPI_HANDLES_H
#define TC_LIB_CAPI_HANDLES_H

#include "TC/Runtime/Status.h"
#include "TC/Runtime/Tensor.h"
#include "tc-c/Runtime.h"

struct tc_array {
  tc::runtime::Tensor tensor;
};

namespace tc::capi {

/// A failed status as the C API gives it; null for success.
inline tc_error *toError(const runtime::Status &status) {
  if (status.ok())
    return nullptr;
  return tc_error_create(int32_t(status.code()), status.message().c_str(),
                         status.location().c_str());
}

inline tc_error *invalidArgument(const std::string &message) {
  return tc_error_create(TC_STATUS_INVALID_ARGUMENT, message.c_str(), nullptr);
}

/// The error for an argument that must not be null; null when it is not null.
inline tc_error *checkGiven(const void *argument, const char *name) {
  return argument ? nullptr
                  : invalidArgument(std::string("the argument '") + name +
                                    "' is null, expected a value");
}

/// The same for an array of `count` entries.
inline tc_error *checkList(const void *list, int64_t count, const char *name) {
  if (count < 0)
    return invalidArgument(std::string("the argument '") + name + "' has " +
                           std::to_string(count) +
                           " entries, expected at least 0");
  return count == 0 ? nullptr : checkGiven(list, name);
}

/// Fails unless 0 <= `rank` <= TC_MAX_RANK, and there are sizes if it is not 0.
tc_error *checkSizes(int32_t rank, const int64_t *sizes);

/// The dtype of a number of the ABI; an error for a number that has none.
runtime::Expected<runtime::DType> readDType(int32_t value);

/// Fails unless `source` can be copied to `target`, both on such a device.
tc_error *checkAssign(const tc_array *target, const tc_array *source,
                      tc_device_kind kind);

/// Gives `tensor` to the caller, or says why there is none.
tc_error *give(runtime::Expected<runtime::Tensor> tensor, tc_array **result);

/// Fails unless a descriptor's fields can be read and are possible.
tc_error *checkDescriptor(const tc_tensor *descriptor);

} // namespace tc::capi

#endif // TC_LIB_CAPI_HANDLES_H
