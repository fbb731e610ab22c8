//===- MismatchText.h - Messages of checks that failed ----------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_MISMATCHTEXT_H
#define TC_LIB_RUNTIME_MISMATCHTEXT_H

#include "TC/Runtime/ABI.h"

#include <string>
#include <string_view>

namespace tc::runtime {

/// `format` with its placeholders filled; see tc_runtime_api::report_mismatch.
std::string fillPlaceholders(const tc_call &call, std::string_view format,
                             int64_t first, int64_t second);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_MISMATCHTEXT_H
