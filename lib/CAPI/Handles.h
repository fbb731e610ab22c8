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

} // namespace tc::capi

#endif // TC_LIB_CAPI_HANDLES_H
