//===- MismatchText.cpp - Messages of checks that failed ------------------===//

#include "MismatchText.h"
#include "TC/Runtime/DType.h"
#include "TC/Runtime/Tensor.h"

using namespace tc::runtime;

/// The text of one placeholder's `kind`, the part after its colon.
static std::string describe(const tc_call &call, std::string_view kind,
                            int64_t value) {
  if (kind.empty())
    return std::to_string(value);
  if (value < 0 || value >= call.input_count)
    return "input " + std::to_string(value);
  const tc_tensor &input = call.inputs[value];
  const bool validRank = input.rank >= 0 && input.rank <= TC_MAX_RANK;
  if (!validRank)
    return "of rank " + std::to_string(input.rank);
  if (kind == "strides") {
    std::string text = "[";
    for (int32_t i = 0; i < input.rank; ++i)
      text += (i ? ", " : "") + std::to_string(input.strides[i]);
    return text + "]";
  }
  const std::optional<DType> dtype = dtypeFromABI(input.dtype);
  if (!dtype)
    return "of dtype number " + std::to_string(input.dtype);
  return typeString(*dtype, Extents(input.sizes, size_t(input.rank)));
}

std::string tc::runtime::fillPlaceholders(const tc_call &call,
                                          std::string_view format,
                                          int64_t first, int64_t second) {
  std::string text;
  while (!format.empty()) {
    const size_t open = format.find('{');
    const size_t close =
        open == format.npos ? format.npos : format.find('}', open);
    if (close == format.npos)
      break;
    text += format.substr(0, open);
    std::string_view placeholder = format.substr(open + 1, close - open - 1);
    const int64_t value = placeholder.starts_with('1') ? second : first;
    const size_t colon = placeholder.find(':');
    text += describe(call,
                     colon == placeholder.npos ? std::string_view()
                                               : placeholder.substr(colon + 1),
                     value);
    format.remove_prefix(close + 1);
  }
  return text.append(format);
}
