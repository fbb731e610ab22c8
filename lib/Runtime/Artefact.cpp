//===- Artefact.cpp - Compiled programs in a file -------------------------===//

#include "TC/Runtime/Artefact.h"
#include "ArtefactChoice.h"
#include "ArtefactSections.h"
#include "KernelCubins.h"
#include "ObjectLinker.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/Call.h"
#include "TC/Runtime/Strides.h"

#include <array>
#include <deque>
#include <filesystem>
#include <set>

using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The name of the section.
static constexpr const char *kVersions = "versions";

Expected<std::string>
tc::runtime::makeArtefact(const std::vector<ArtefactProgram> &programs,
                          const std::string &versions) {
  if (programs.empty())
    return Status(ErrorCode::InvalidArgument,
                  "an artefact of no target cannot be written, expected at "
                  "least one");
  std::set<std::string> names;
  for (const ArtefactProgram &program : programs)
    if (!names.insert(program.target).second)
      return Status(ErrorCode::InvalidArgument,
                    "target " + program.target + " is given twice");
  std::deque<std::string> texts;
  std::vector<ArtefactSection> sections = makeSections(programs, texts);
  if (!versions.empty())
    sections.push_back({kVersions, {versions.data(), versions.size()}});
  return makeArtefactContent(sections);
}

Status tc::runtime::writeArtefact(const std::string &path,
                                  const std::vector<ArtefactProgram> &programs,
                                  const std::string &versions) {
  Expected<std::string> content = makeArtefact(programs, versions);
  if (!content.ok())
    return content.takeStatus();
  return replaceFile(path, *content);
}

std::string tc::runtime::readVersions(const ArtefactFile &file) {
  Expected<std::string_view> versions = file.find(kVersions);
  return versions.ok() ? std::string(*versions) : "";
}

Expected<std::vector<ArtefactSummary>>
tc::runtime::summarize(const ArtefactFile &file) {
  Expected<std::vector<ArtefactProgram>> programs = readPrograms(file);
  if (!programs.ok())
    return programs.takeStatus();
  std::vector<ArtefactSummary> summaries;
  for (size_t number = 0; number < programs->size(); ++number) {
    Expected<Manifest> manifest = readProgramManifest(file, number);
    if (!manifest.ok())
      return manifest.takeStatus();
    summaries.push_back(
        {(*programs)[number].target, manifest->functionNames()});
  }
  return summaries;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

ArtefactCode::~ArtefactCode() = default;

Status ArtefactCode::link(const ArtefactProgram &program) {
  Expected<std::unique_ptr<LinkedObjects>> linked =
      LinkedObjects::link(program.objects);
  if (!linked.ok())
    return linked.takeStatus();
  code = std::move(*linked);
  if (!program.cubins.empty())
    cubins = std::make_unique<KernelCubins>(code->range(), program.target,
                                            program.cubins);
  auto find = [&](const ManifestFunction &function, tc_function &found) {
    found = reinterpret_cast<tc_function>(code->find(function.name));
    return found ? Status::success()
                 : Status(ErrorCode::CorruptData,
                          "the code for target " + program.target +
                              " has no function '" + function.name + "'");
  };
  for (const ManifestFunction &function : content.functions)
    if (Status status = find(function, addresses.emplace_back()); !status.ok())
      return status;
  return content.prepare ? find(*content.prepare, preparation)
                         : Status::success();
}

Expected<std::unique_ptr<ArtefactCode>>
ArtefactCode::load(const ArtefactFile &file, const ArtefactDevice &device) {
  Expected<std::vector<ArtefactProgram>> programs = readPrograms(file);
  if (!programs.ok())
    return programs.takeStatus();
  Expected<size_t> number = chooseProgram(file.name(), *programs, device);
  if (!number.ok())
    return number.takeStatus();
  const ArtefactProgram &program = (*programs)[*number];
  Expected<Manifest> manifest = readProgramManifest(file, *number);
  if (!manifest.ok())
    return manifest.takeStatus();
  std::unique_ptr<ArtefactCode> loaded(new ArtefactCode());
  loaded->targetName = program.target;
  loaded->kind = isCUDATarget(program.target) ? TC_DEVICE_CUDA : TC_DEVICE_CPU;
  loaded->content = *std::move(manifest);
  for (std::span<const char> object : program.objects)
    loaded->bytes += object.size();
  for (const KernelCode &cubin : program.cubins)
    loaded->bytes += cubin.code.size();
  if (Status status = loaded->link(program); !status.ok())
    return status;
  return loaded;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Artefact>> Artefact::load(const std::string &path,
                                                   const Options &options) {
  Expected<ArtefactFile> file = ArtefactFile::open(path);
  if (!file.ok())
    return file.takeStatus();
  return load(*file, options);
}

Expected<std::unique_ptr<Artefact>> Artefact::load(const ArtefactFile &file,
                                                   const Options &options) {
  Expected<std::unique_ptr<ArtefactCode>> code =
      ArtefactCode::load(file, options.device);
  if (!code.ok())
    return code.takeStatus();
  std::unique_ptr<Artefact> artefact(new Artefact());
  artefact->code = std::move(*code);
  artefact->deviceIndex = options.device.index;
  const Manifest &manifest = artefact->manifest();
  const std::string directory =
      options.directory.empty()
          ? std::filesystem::path(file.name()).parent_path().string()
          : options.directory;
  Expected<std::vector<Tensor>> tensors =
      loadParameterTensors(manifest.parameters, directory, options.parameters);
  if (!tensors.ok())
    return tensors.takeStatus();
  artefact->parameters = bindParameters(
      manifest, artefact->code->prepare(), *std::move(tensors),
      artefact->code->deviceKind(), artefact->deviceIndex, directory);
  return artefact;
}

/// The inputs, with a copy of each that is in host memory, should be row-major
/// and is not.
static Expected<std::vector<Tensor>>
makeRowMajor(const ManifestFunction &function, std::span<const Tensor> inputs) {
  std::vector<Tensor> made(inputs.begin(), inputs.end());
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i].deviceKind() != TC_DEVICE_CPU ||
        !function.inputs[i].strides.empty())
      continue;
    std::array<int64_t, TC_MAX_RANK> strides;
    const std::span<int64_t> wanted(strides.data(), made[i].sizes().size());
    fillContiguousStrides(made[i].sizes(), wanted);
    Expected<Tensor> copy = withStrides(made[i], wanted);
    if (!copy.ok())
      return copy.takeStatus();
    made[i] = *std::move(copy);
  }
  return made;
}

Expected<std::vector<Tensor>> Artefact::call(size_t index,
                                             std::span<const Tensor> inputs,
                                             void *stream) const {
  if (index >= manifest().functions.size())
    return Status(ErrorCode::InvalidArgument,
                  "the artefact has no function number " +
                      std::to_string(index) + ", it has " +
                      std::to_string(manifest().functions.size()));
  const ManifestFunction &function = manifest().functions[index];
  if (inputs.size() != function.inputs.size())
    return Status(ErrorCode::InvalidArgument,
                  "'" + function.name + "' has " +
                      std::to_string(function.inputs.size()) +
                      " inputs, the call has " + std::to_string(inputs.size()));
  auto values = parameters->current();
  if (!values.ok())
    return values.takeStatus();
  Expected<std::vector<Tensor>> given = makeRowMajor(function, inputs);
  if (!given.ok())
    return given.takeStatus();
  return Call(code->functions()[index])
      .device(code->deviceKind(), deviceIndex)
      .stream(stream)
      .inputs(*given)
      .parameters((*values)->addresses)
      .outputs(int32_t(function.outputs.size()))
      .run();
}

Status Artefact::setParameter(const std::string &name, Tensor value) {
  return replaceParameter(manifest(), *parameters, name, std::move(value));
}
