//===- Parameters.h - A module's weights in memory --------------*- C++ -*-===//

#ifndef TC_COMPILER_PARAMETERS_H
#define TC_COMPILER_PARAMETERS_H

#include "TC/Compiler/Compiler.h"
#include "TC/Runtime/ParameterFiles.h"

namespace tc {

using runtime::loadParameterTensors;
using runtime::ParameterFile;
using runtime::parseParameterFile;

/// The parameters of a compiled module, which has to outlive them: `tensors` in
/// the manifest's order, on the device where @tc.prepare runs when the values
/// are first asked for, unless an artefact says that files in `directory` have
/// what it makes.
std::unique_ptr<runtime::Parameters>
bindParameters(const CompiledModule &compiled,
               std::vector<runtime::Tensor> tensors,
               tc_device_kind device = TC_DEVICE_CPU, int32_t deviceIndex = 0,
               const std::string &directory = "");

} // namespace tc

#endif // TC_COMPILER_PARAMETERS_H
