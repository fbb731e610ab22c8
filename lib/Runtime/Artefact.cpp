//===- Artefact.cpp - Compiled programs in a file -------------------------===//

#include "TC/Runtime/Artefact.h"
#include "ArtefactSections.h"
#include "ObjectLinker.h"
#include "TC/Runtime/CPUFeatures.h"
#include "TC/Runtime/Call.h"

#include <filesystem>
#include <set>

using namespace tc::runtime;

Status
tc::runtime::writeArtefact(const std::string &path,
                           const std::vector<ArtefactProgram> &programs) {
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
  return writeArtefactFile(path, makeSections(programs, texts));
}

Artefact::~Artefact() = default;

/// What the machine lacks to run the program: an architecture or features.
static std::vector<std::string> whatIsMissing(const ArtefactProgram &program) {
  if (program.architecture != hostArchitecture())
    return {program.architecture};
  return missingCPUFeatures(program.features);
}

/// The number of the program with the most features among those that run here.
static Expected<size_t>
chooseProgram(const std::string &path,
              const std::vector<ArtefactProgram> &programs) {
  size_t best = programs.size();
  std::string refusals;
  for (size_t number = 0; number < programs.size(); ++number) {
    const ArtefactProgram &program = programs[number];
    const std::vector<std::string> missing = whatIsMissing(program);
    if (missing.empty() &&
        (best == programs.size() ||
         program.features.size() > programs[best].features.size()))
      best = number;
    std::string list;
    for (const std::string &name : missing)
      list += (list.empty() ? "" : ", ") + name;
    refusals += (refusals.empty() ? "" : "; ") + program.target +
                " needs what is not here: " + list;
  }
  if (best < programs.size())
    return best;
  return Status(ErrorCode::Unsupported, "'" + path +
                                            "' has no target that this " +
                                            std::string(hostArchitecture()) +
                                            " machine can run: " + refusals);
}

Status Artefact::link(const ArtefactProgram &program) {
  Expected<std::unique_ptr<LinkedObjects>> linked =
      LinkedObjects::link(program.objects);
  if (!linked.ok())
    return linked.takeStatus();
  code = std::move(*linked);
  for (const ManifestFunction &function : content.functions) {
    void *address = code->find(function.name);
    if (!address)
      return Status(ErrorCode::CorruptData,
                    "the code for target " + program.target +
                        " has no function '" + function.name + "'");
    functions.push_back(reinterpret_cast<tc_function>(address));
  }
  return Status::success();
}

Expected<std::unique_ptr<Artefact>> Artefact::load(const std::string &path,
                                                   const Options &options) {
  Expected<ArtefactFile> file = ArtefactFile::open(path);
  if (!file.ok())
    return file.takeStatus();
  Expected<std::vector<ArtefactProgram>> programs = readPrograms(*file);
  if (!programs.ok())
    return programs.takeStatus();
  Expected<size_t> number = chooseProgram(path, *programs);
  if (!number.ok())
    return number.takeStatus();
  const ArtefactProgram &program = (*programs)[*number];
  Expected<Manifest> manifest = readProgramManifest(*file, *number);
  if (!manifest.ok())
    return manifest.takeStatus();
  std::unique_ptr<Artefact> artefact(new Artefact());
  artefact->targetName = program.target;
  artefact->content = *std::move(manifest);
  if (Status status = artefact->link(program); !status.ok())
    return status;
  const std::string directory =
      options.directory.empty()
          ? std::filesystem::path(path).parent_path().string()
          : options.directory;
  Expected<std::vector<Tensor>> tensors = loadParameterTensors(
      artefact->content.parameters, directory, options.parameters);
  if (!tensors.ok())
    return tensors.takeStatus();
  tc_function prepare = nullptr;
  if (artefact->content.prepare)
    prepare = reinterpret_cast<tc_function>(
        artefact->code->find(artefact->content.prepare->name));
  artefact->parameters =
      bindParameters(artefact->content, prepare, *std::move(tensors));
  return artefact;
}

Expected<std::vector<Tensor>>
Artefact::call(size_t index, std::span<const Tensor> inputs) const {
  if (index >= functions.size())
    return Status(ErrorCode::InvalidArgument,
                  "the artefact has no function number " +
                      std::to_string(index) + ", it has " +
                      std::to_string(functions.size()));
  auto values = parameters->current();
  if (!values.ok())
    return values.takeStatus();
  return Call(functions[index])
      .inputs(inputs)
      .parameters((*values)->addresses)
      .outputs(int32_t(content.functions[index].outputs.size()))
      .run();
}

Status Artefact::setParameter(const std::string &name, Tensor value) {
  for (size_t index = 0; index < content.parameters.size(); ++index)
    if (content.parameters[index].name == name)
      return parameters->replace(index, std::move(value));
  return Status(ErrorCode::InvalidArgument,
                "the artefact has no parameter '" + name + "'");
}
