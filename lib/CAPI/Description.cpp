//===- Description.cpp - Manifests in the structs of the C API ------------===//

#include "Description.h"
#include "Handles.h"

using namespace tc;
using namespace tc::capi;
using namespace tc::runtime;

tc_tensor_info Description::describe(const ManifestTensor &tensor,
                                     const std::string &mutates) {
  TensorInfo &detail = details.emplace_back();
  detail.type = tensor.typeString();
  for (const ManifestSize &size : tensor.sizes) {
    detail.sizes.push_back(size.constant.value_or(-1));
    detail.texts.push_back(size.text.c_str());
  }
  return {tensor.name.c_str(),   detail.type.c_str(),
          int32_t(tensor.dtype), int32_t(tensor.sizes.size()),
          detail.sizes.data(),   detail.texts.data(),
          mutates.c_str(),       nullptr};
}

tc_tensor_info Description::describeInput(const ManifestInput &input) {
  tc_tensor_info info = describe(input, none);
  if (input.strides.empty())
    return info;
  TensorInfo &detail = details.back();
  for (const ManifestStride &stride : input.strides)
    detail.strides.push_back(stride.text.c_str());
  info.stride_texts = detail.strides.data();
  return info;
}

Description::Description(const Manifest &manifest) {
  for (const ManifestFunction &function : manifest.functions) {
    std::vector<tc_tensor_info> &inputs = tensors.emplace_back();
    for (const ManifestInput &input : function.inputs)
      inputs.push_back(describeInput(input));
    std::vector<tc_tensor_info> &outputs = tensors.emplace_back();
    for (const ManifestOutput &output : function.outputs)
      outputs.push_back(describe(output, output.mutates));
    std::vector<tc_symbol_info> &ranges = symbols.emplace_back();
    for (const ManifestSymbol &symbol : function.symbols)
      ranges.push_back({symbol.name.c_str(), symbol.minimum, symbol.maximum,
                        symbol.divisor});
    signatures.push_back(function.signature());
    functions.push_back({function.name.c_str(), signatures.back().c_str(),
                         int64_t(inputs.size()), int64_t(outputs.size()),
                         int64_t(function.userOutputCount()),
                         int64_t(ranges.size()), inputs.data(), outputs.data(),
                         ranges.data()});
  }
  for (const ManifestParameter &parameter : manifest.parameters)
    parameters.push_back(describe(parameter, none));
}

tc_error *capi::findFunction(const Manifest &manifest, const char *owner,
                             const char *name, int64_t *index) {
  std::string wanted = name ? name : "";
  if (wanted.empty() && manifest.functions.size() != 1)
    wanted = "main";
  for (size_t number = 0; number < manifest.functions.size(); ++number)
    if (wanted.empty() || manifest.functions[number].name == wanted) {
      *index = int64_t(number);
      return nullptr;
    }
  return invalidArgument(std::string("the ") + owner + " has no function '" +
                         wanted + "'; it has " + manifest.functionNames());
}
