//===- Manifest.cpp - What a compiled module holds ------------------------===//

#include "TC/Runtime/Manifest.h"

#include <algorithm>

using namespace tc::runtime;

/// The texts that `describe` makes of the entries, separated by commas.
template <typename List, typename Describe>
static std::string join(const List &list, Describe describe) {
  std::string text;
  for (const auto &entry : list)
    text += (text.empty() ? "" : ", ") + describe(entry);
  return text;
}

std::string ManifestTensor::typeString() const {
  std::string text;
  for (const ManifestSize &size : sizes)
    text += (size.text.find(' ') == std::string::npos ? size.text
                                                      : "(" + size.text + ")") +
            "x";
  return text + std::string(dtypeName(dtype));
}

size_t ManifestFunction::userOutputCount() const {
  return size_t(std::count_if(
      outputs.begin(), outputs.end(),
      [](const ManifestOutput &output) { return output.mutates.empty(); }));
}

std::string ManifestFunction::signature() const {
  auto describe = [](const ManifestTensor &tensor) {
    return (tensor.name.empty() ? "" : tensor.name + ": ") +
           tensor.typeString();
  };
  auto describeInput = [&](const ManifestInput &input) {
    auto textOf = [](const ManifestStride &stride) { return stride.text; };
    return describe(input) +
           (input.strides.empty()
                ? ""
                : " strides [" + join(input.strides, textOf) + "]");
  };
  return name + "(" + join(inputs, describeInput) + ") -> (" +
         join(outputs, describe) + ")";
}

const ManifestFunction *Manifest::find(const std::string &name) const {
  for (const ManifestFunction &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

std::string Manifest::functionNames() const {
  return join(functions,
              [](const ManifestFunction &function) { return function.name; });
}
