//===- ParameterFiles.cpp - A program's weights in memory -----------------===//

#include "TC/Runtime/ParameterFiles.h"
#include "ContentHash.h"
#include "TC/Runtime/MappedFile.h"
#include "TC/Runtime/Npy.h"
#include "TC/Runtime/Npz.h"
#include "TC/Runtime/SafeTensors.h"

#include <filesystem>
#include <map>

using namespace tc::runtime;
namespace fs = std::filesystem;

ParameterFile tc::runtime::parseParameterFile(const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

namespace {
class ParameterLoader {
public:
  ParameterLoader(const std::string &directory,
                  const std::vector<ParameterFile> &replacements)
      : directory(directory), replacements(replacements) {}

  Expected<Tensor> load(const ManifestParameter &parameter);

private:
  /// The file a parameter comes from.
  std::string pathOf(const ManifestParameter &parameter) const;
  Expected<Tensor> fromArchive(const ManifestParameter &parameter,
                               const std::string &path);
  Expected<Tensor> fromFile(const ManifestParameter &parameter,
                            const std::string &path);

  const fs::path directory;
  const std::vector<ParameterFile> &replacements;
  std::map<std::string, StorageRef> files;
  std::map<std::string, std::map<std::string, Tensor>> archives;
};
} // namespace

std::string ParameterLoader::pathOf(const ManifestParameter &parameter) const {
  const fs::path file = parameter.file;
  for (const ParameterFile &replacement : replacements)
    if (replacement.scope.empty() || parameter.file == replacement.scope ||
        file.filename() == replacement.scope)
      return replacement.path;
  std::error_code ignored;
  if (fs::path inDirectory = directory / file;
      file.is_relative() && fs::exists(inDirectory, ignored))
    return inDirectory.string();
  // A program that was moved together with its weights.
  if (fs::path moved = directory / file.filename();
      !fs::exists(file, ignored) && fs::exists(moved, ignored))
    return moved.string();
  return parameter.file;
}

static Status describe(const ManifestParameter &parameter,
                       const std::string &what, ErrorCode code) {
  return Status(code, "parameter '" + parameter.name + "' (" +
                          parameter.typeString() + "): " + what);
}

/// All arrays of a file that has them by name.
static Expected<std::vector<NamedTensor>> readArchive(const std::string &path) {
  if (path.ends_with(".npz"))
    return readNpz(path);
  Expected<SafeTensors> read = readSafeTensors(path);
  if (!read.ok())
    return read.takeStatus();
  return std::move(read->tensors);
}

Expected<Tensor>
ParameterLoader::fromArchive(const ManifestParameter &parameter,
                             const std::string &path) {
  auto found = archives.find(path);
  if (found == archives.end()) {
    Expected<std::vector<NamedTensor>> read = readArchive(path);
    if (!read.ok())
      return describe(parameter, read.error().message(), read.error().code());
    found = archives.try_emplace(path).first;
    for (NamedTensor &entry : *read)
      found->second.insert(std::move(entry));
  }
  auto entry = found->second.find(parameter.name);
  if (entry == found->second.end())
    return describe(parameter, path + " has no array of that name",
                    ErrorCode::InvalidArgument);
  if (entry->second.typeString() != parameter.typeString())
    return describe(
        parameter, "the array in " + path + " is " + entry->second.typeString(),
        ErrorCode::InvalidArgument);
  return entry->second;
}

Expected<Tensor> ParameterLoader::fromFile(const ManifestParameter &parameter,
                                           const std::string &path) {
  StorageRef &storage = files[path];
  if (!storage) {
    Expected<StorageRef> mapped = mapFile(path);
    if (!mapped.ok())
      return describe(
          parameter,
          mapped.error().message() +
              "; give its place with --parameters=" + parameter.file + "=FILE",
          mapped.error().code());
    storage = std::move(*mapped);
  }
  std::vector<int64_t> sizes, strides = parameter.strides;
  for (const ManifestSize &size : parameter.sizes) {
    if (!size.constant)
      return describe(parameter, "a parameter cannot have symbolic sizes",
                      ErrorCode::Unsupported);
    sizes.push_back(*size.constant);
  }
  if (strides.empty()) {
    strides.resize(sizes.size());
    fillContiguousStrides(sizes, strides);
  }
  Expected<Tensor> view =
      Tensor::view(storage, parameter.dtype, sizes, strides, parameter.offset);
  if (!view.ok())
    return describe(parameter,
                    "in " + path + ", of " + std::to_string(storage->bytes) +
                        " bytes, at offset " +
                        std::to_string(parameter.offset) + ": " +
                        view.error().message(),
                    view.error().code());
  return view;
}

Expected<Tensor> ParameterLoader::load(const ManifestParameter &parameter) {
  std::string path = pathOf(parameter);
  bool byName = path.ends_with(".npz") || path.ends_with(".safetensors");
  return byName ? fromArchive(parameter, path) : fromFile(parameter, path);
}

Expected<std::vector<Tensor>> tc::runtime::loadParameterTensors(
    const std::vector<ManifestParameter> &parameters,
    const std::string &directory,
    const std::vector<ParameterFile> &replacements) {
  ParameterLoader loader(directory, replacements);
  std::vector<Tensor> loaded;
  for (const ManifestParameter &parameter : parameters) {
    Expected<Tensor> tensor = loader.load(parameter);
    if (!tensor.ok())
      return tensor.takeStatus();
    loaded.push_back(*std::move(tensor));
  }
  return loaded;
}

/// Bytes from the first to the last element, with what strides skip.
static size_t extentBytes(const Tensor &tensor) {
  size_t elements = 1;
  for (size_t dim = 0; dim < tensor.sizes().size(); ++dim) {
    if (tensor.sizes()[dim] == 0)
      return 0;
    elements += size_t((tensor.sizes()[dim] - 1) * tensor.strides()[dim]);
  }
  return elements * dtypeSize(tensor.dtype());
}

int64_t tc::runtime::fingerprintOf(const Manifest &manifest,
                                   const std::vector<Tensor> &tensors) {
  uint64_t hash = contentHash("");
  if (!manifest.prepare)
    return 0;
  for (int32_t number : manifest.prepare->parameters) {
    if (size_t(number) >= tensors.size())
      continue;
    const Tensor &tensor = tensors[size_t(number)];
    const size_t bytes = extentBytes(tensor);
    hash = contentHash(tensor.typeString(), hash);
    constexpr size_t kSamples = 4, kSampleBytes = 64;
    for (size_t sample = 0; sample < kSamples; ++sample) {
      const size_t begin = bytes / kSamples * sample;
      hash = contentHash({static_cast<const char *>(tensor.data()) + begin,
                          std::min(kSampleBytes, bytes - begin)},
                         hash);
    }
  }
  return int64_t(hash);
}

/// The prepared values in files; none where one is missing, or is made of other
/// parameters: they are computed then.
static std::vector<Tensor> loadPrepared(const Manifest &manifest,
                                        const std::vector<Tensor> &tensors,
                                        const std::string &directory) {
  std::vector<ManifestParameter> files;
  for (const ManifestPrepared &prepared : manifest.prepared) {
    if (prepared.file.empty())
      return {};
    ManifestParameter &file = files.emplace_back();
    static_cast<ManifestTensor &>(file) = prepared;
    file.file = prepared.file;
    file.offset = prepared.offset;
  }
  if (files.empty() || fingerprintOf(manifest, tensors) != manifest.fingerprint)
    return {};
  Expected<std::vector<Tensor>> loaded = loadParameterTensors(files, directory);
  return loaded.ok() ? *std::move(loaded) : std::vector<Tensor>();
}

Status tc::runtime::writePrepared(Manifest &manifest, Parameters &parameters,
                                  const std::vector<Tensor> &tensors,
                                  const std::string &path,
                                  const std::string &name) {
  constexpr size_t kAlignment = 64;
  const std::string padding(kAlignment, 0);
  manifest.fingerprint = fingerprintOf(manifest, tensors);
  auto values = parameters.current();
  if (!values.ok())
    return values.takeStatus();
  std::vector<std::span<const char>> parts;
  uint64_t offset = 0;
  for (size_t i = 0; i < manifest.prepared.size(); ++i) {
    const Tensor &value = (*values)->prepared[i];
    const size_t bytes = value.byteCount();
    const size_t rest = (kAlignment - bytes % kAlignment) % kAlignment;
    manifest.prepared[i].file = name;
    manifest.prepared[i].offset = offset;
    parts.push_back({static_cast<const char *>(value.data()), bytes});
    parts.push_back({padding.data(), rest});
    offset += bytes + rest;
  }
  return writeFile(path, parts);
}

std::unique_ptr<Parameters>
tc::runtime::bindParameters(const Manifest &manifest, tc_function prepare,
                            std::vector<Tensor> tensors, tc_device_kind device,
                            int32_t deviceIndex, const std::string &directory) {
  ParameterUse use;
  use.device = device;
  use.deviceIndex = deviceIndex;
  use.readByCalls.resize(tensors.size());
  use.readByPrepare.resize(tensors.size());
  auto mark = [&](const ManifestFunction &function, std::vector<bool> &read) {
    for (int32_t number : function.parameters)
      if (size_t(number) < read.size())
        read[size_t(number)] = true;
  };
  for (const ManifestFunction &function : manifest.functions)
    mark(function, use.readByCalls);
  if (manifest.prepare) {
    use.prepare = prepare;
    use.outputCount = int32_t(manifest.prepare->outputs.size());
    mark(*manifest.prepare, use.readByPrepare);
    if (device == TC_DEVICE_CPU)
      use.known = loadPrepared(manifest, tensors, directory);
  }
  for (const ManifestPrepared &prepared : manifest.prepared)
    use.prepared.push_back(prepared.output);
  return std::make_unique<Parameters>(std::move(tensors), std::move(use));
}

Status tc::runtime::replaceParameter(const Manifest &manifest,
                                     Parameters &parameters,
                                     const std::string &name, Tensor value) {
  for (size_t index = 0; index < manifest.parameters.size(); ++index) {
    const ManifestParameter &parameter = manifest.parameters[index];
    if (parameter.name != name)
      continue;
    if (value.typeString() != parameter.typeString())
      return Status(ErrorCode::InvalidArgument,
                    "parameter '" + name + "' is " + parameter.typeString() +
                        ", the new value is " + value.typeString());
    return parameters.replace(index, std::move(value));
  }
  return Status(ErrorCode::InvalidArgument,
                "the program has no parameter '" + name + "'");
}
