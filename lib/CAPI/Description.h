//===- Description.h - Manifests in the structs of the C API ----*- C++ -*-===//

#ifndef TC_LIB_CAPI_DESCRIPTION_H
#define TC_LIB_CAPI_DESCRIPTION_H

#include "TC/Runtime/Manifest.h"
#include "tc-c/Description.h"
#include "tc-c/Runtime.h"
#include <deque>
#include <string>
#include <vector>

namespace tc::capi {

/// tc_tensor_info and what it points to.
struct TensorInfo {
  std::string type;
  std::vector<int64_t> sizes;
  std::vector<const char *> texts, strides;
};

/// The description of a program in C structs. Points into the manifest.
class Description {
public:
  explicit Description(const runtime::Manifest &manifest);

  std::vector<tc_function_info> functions;
  std::vector<tc_tensor_info> parameters;

private:
  tc_tensor_info describe(const runtime::ManifestTensor &tensor,
                          const std::string &mutates);
  tc_tensor_info describeInput(const runtime::ManifestInput &input);

  const std::string none;
  std::deque<TensorInfo> details;
  std::deque<std::string> signatures;
  std::deque<std::vector<tc_tensor_info>> tensors;
  std::deque<std::vector<tc_symbol_info>> symbols;
};

/// Element `index` of a list; null when there is none.
template <typename T> const T *at(const std::vector<T> &list, int64_t index) {
  return index >= 0 && index < int64_t(list.size()) ? &list[size_t(index)]
                                                    : nullptr;
}

/// The number of the function called `name`; null or "" for the only one, or
/// main. `owner` is what has no such function, for the message.
tc_error *findFunction(const runtime::Manifest &manifest, const char *owner,
                       const char *name, int64_t *index);

} // namespace tc::capi

#endif // TC_LIB_CAPI_DESCRIPTION_H
