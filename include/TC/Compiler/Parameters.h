//===- Parameters.h - A module's weights in memory --------------*- C++ -*-===//

#ifndef TC_COMPILER_PARAMETERS_H
#define TC_COMPILER_PARAMETERS_H

#include "TC/Compiler/Compiler.h"
#include "TC/Runtime/Parameters.h"

namespace tc {

/// A file to take parameters from instead of the one that the module names.
struct ParameterFile {
  /// The parameters it is for: those whose file in the module has this name,
  /// with or without directories. Empty: all.
  std::string scope;
  /// An .npz or .safetensors file, which has the parameters by name, or a file
  /// with the layout of the one it replaces.
  std::string path;
};

/// Reads "[SCOPE=]FILE".
ParameterFile parseParameterFile(const std::string &text);

/// Maps the files of all parameters; nothing is copied, so that a tensor has
/// the strides of its file. A relative file name is looked for in `directory`,
/// then in the working directory. Fails when a file is missing or too short,
/// naming the parameter.
runtime::Expected<std::vector<runtime::Tensor>>
loadParameterTensors(const std::vector<ManifestParameter> &parameters,
                     const std::string &directory,
                     const std::vector<ParameterFile> &replacements = {});

/// The parameters of a compiled module, which has to outlive them: `tensors` in
/// the manifest's order, on the device where @tc.prepare runs when the values
/// are first asked for.
std::unique_ptr<runtime::Parameters>
bindParameters(const CompiledModule &compiled,
               std::vector<runtime::Tensor> tensors,
               tc_device_kind device = TC_DEVICE_CPU, int32_t deviceIndex = 0);

} // namespace tc

#endif // TC_COMPILER_PARAMETERS_H
