//===- Parameters.h - Where a module's weights lie in memory ----*- C++ -*-===//

#ifndef TC_COMPILER_PARAMETERS_H
#define TC_COMPILER_PARAMETERS_H

#include "TC/Compiler/Manifest.h"
#include "TC/Runtime/Status.h"
#include "TC/Runtime/Tensor.h"

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

/// The parameters of a module in memory.
struct LoadedParameters {
  std::vector<runtime::Tensor> tensors; ///< in the manifest's order
  std::vector<void *> storage;          ///< their addresses, for tc_call

  /// Puts a new value in the place of parameter `index`.
  void replace(size_t index, runtime::Tensor value);
};

/// Maps the files of all parameters; nothing is copied but what is not
/// row-major. A relative file name is looked for in `directory`, then in the
/// working directory. Fails when a file is missing or too short, naming the
/// parameter.
runtime::Expected<LoadedParameters>
loadParameters(const Manifest &manifest, const std::string &directory,
               const std::vector<ParameterFile> &replacements = {});

} // namespace tc

#endif // TC_COMPILER_PARAMETERS_H
