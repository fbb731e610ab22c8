//===- Parameters.cpp - The parameters of a compiled module ---------------===//

#include "TC/Compiler/Parameters.h"

using namespace tc;

std::unique_ptr<runtime::Parameters>
tc::bindParameters(const CompiledModule &compiled,
                   std::vector<runtime::Tensor> tensors, tc_device_kind device,
                   int32_t deviceIndex, const std::string &directory) {
  return runtime::bindParameters(compiled.manifest(),
                                 compiled.prepareFunction(), std::move(tensors),
                                 device, deviceIndex, directory);
}
