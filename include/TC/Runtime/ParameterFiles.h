//===- ParameterFiles.h - A program's weights in memory ---------*- C++ -*-===//

#ifndef TC_RUNTIME_PARAMETERFILES_H
#define TC_RUNTIME_PARAMETERFILES_H

#include "TC/Runtime/Manifest.h"
#include "TC/Runtime/Parameters.h"

#include <memory>
#include <string>
#include <vector>

namespace tc::runtime {

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
/// then in the working directory; a file that is at neither place, or not at
/// its absolute one, in `directory` by its name alone. Fails when a file is
/// missing or too short, naming the parameter.
Expected<std::vector<Tensor>>
loadParameterTensors(const std::vector<ManifestParameter> &parameters,
                     const std::string &directory,
                     const std::vector<ParameterFile> &replacements = {});

/// The parameters of a program with such a manifest: `prepare` is its
/// @tc.prepare, null where it has none, and has to outlive them. `tensors` are
/// in the manifest's order, on the device where @tc.prepare runs when the
/// values are first asked for. It does not run where files in `directory` have
/// what it makes of these tensors.
std::unique_ptr<Parameters>
bindParameters(const Manifest &manifest, tc_function prepare,
               std::vector<Tensor> tensors,
               tc_device_kind device = TC_DEVICE_CPU, int32_t deviceIndex = 0,
               const std::string &directory = "");

/// A number that other values of the parameters that @tc.prepare reads change:
/// the hash of their sizes and of some of their bytes.
int64_t fingerprintOf(const Manifest &manifest,
                      const std::vector<Tensor> &tensors);

/// Runs @tc.prepare, which is on the host, on parameters that bindParameters
/// has bound, writes its values to the file `path`, and says so in the
/// manifest, where the file is called `name`.
Status writePrepared(Manifest &manifest, Parameters &parameters,
                     const std::vector<Tensor> &tensors,
                     const std::string &path, const std::string &name);

/// Puts a new value in the place of the parameter called `name`. Fails when
/// there is none, and when the value has another type.
Status replaceParameter(const Manifest &manifest, Parameters &parameters,
                        const std::string &name, Tensor value);

} // namespace tc::runtime

#endif // TC_RUNTIME_PARAMETERFILES_H
