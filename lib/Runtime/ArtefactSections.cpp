//===- ArtefactSections.cpp - Programs as sections of a file --------------===//

#include "ArtefactSections.h"
#include "Json.h"
#include "TC/Runtime/ManifestText.h"

using namespace tc::runtime;

static std::string sectionName(size_t program, const std::string &part) {
  return std::to_string(program) + "/" + part;
}

static std::string objectName(size_t program, size_t object) {
  return sectionName(program, "object/" + std::to_string(object));
}

static std::string cubinName(size_t program, size_t cubin) {
  return sectionName(program, "cubin/" + std::to_string(cubin));
}

static std::string describeTarget(const ArtefactProgram &program) {
  std::string text = "{\"target\":";
  appendJsonString(text, program.target);
  text += ",\"architecture\":";
  appendJsonString(text, program.architecture);
  text += ",\"features\":[";
  for (const std::string &feature : program.features) {
    text += text.back() == '[' ? "" : ",";
    appendJsonString(text, feature);
  }
  text += "],\"objects\":" + std::to_string(program.objects.size());
  text += ",\"cubins\":[";
  for (const KernelCode &cubin : program.cubins) {
    text += text.back() == '[' ? "" : ",";
    appendJsonString(text, cubin.kernel);
  }
  return text + "]}";
}

/// Reads what describeTarget has written, and how many objects there are; the
/// cubins have names and no code yet.
static Status readTarget(std::string_view text, ArtefactProgram &program,
                         size_t &objects) {
  Expected<JsonValue> json = parseJson(text);
  if (!json.ok())
    return json.takeStatus();
  const JsonValue *target = json->find("target");
  const JsonValue *architecture = json->find("architecture");
  const JsonValue *features = json->find("features");
  const JsonValue *count = json->find("objects");
  const JsonValue *cubins = json->find("cubins");
  if (!target || !architecture || !features || !count || !count->integer ||
      !cubins)
    return Status(ErrorCode::CorruptData,
                  "a target of an artefact lacks its target, architecture, "
                  "features, objects or cubins");
  program.target = target->string;
  program.architecture = architecture->string;
  for (const JsonValue &feature : features->elements)
    program.features.push_back(feature.string);
  for (const JsonValue &kernel : cubins->elements)
    program.cubins.push_back({kernel.string, {}});
  objects = size_t(*count->integer);
  return Status::success();
}

Expected<std::vector<ArtefactProgram>>
tc::runtime::readPrograms(const ArtefactFile &file) {
  std::vector<ArtefactProgram> programs;
  for (size_t number = 0;; ++number) {
    Expected<std::string_view> text = file.find(sectionName(number, "target"));
    if (!text.ok() && number > 0)
      return programs;
    if (!text.ok())
      return text.takeStatus();
    ArtefactProgram &program = programs.emplace_back();
    size_t objects = 0;
    if (Status status = readTarget(*text, program, objects); !status.ok())
      return status;
    for (size_t i = 0; i < objects; ++i) {
      Expected<std::string_view> object = file.find(objectName(number, i));
      if (!object.ok())
        return object.takeStatus();
      program.objects.push_back({object->data(), object->size()});
    }
    for (size_t i = 0; i < program.cubins.size(); ++i) {
      Expected<std::string_view> cubin = file.find(cubinName(number, i));
      if (!cubin.ok())
        return cubin.takeStatus();
      program.cubins[i].code = {cubin->data(), cubin->size()};
    }
  }
}

Expected<Manifest> tc::runtime::readProgramManifest(const ArtefactFile &file,
                                                    size_t number) {
  Expected<std::string_view> text = file.find(sectionName(number, "manifest"));
  if (!text.ok())
    return text.takeStatus();
  return parseManifest(*text);
}

std::vector<ArtefactSection>
tc::runtime::makeSections(const std::vector<ArtefactProgram> &programs,
                          std::deque<std::string> &texts) {
  std::vector<ArtefactSection> sections;
  for (size_t number = 0; number < programs.size(); ++number) {
    const ArtefactProgram &program = programs[number];
    sections.push_back({sectionName(number, "target"),
                        texts.emplace_back(describeTarget(program))});
    sections.push_back({sectionName(number, "manifest"),
                        texts.emplace_back(toJson(program.manifest))});
    for (size_t i = 0; i < program.objects.size(); ++i)
      sections.push_back({objectName(number, i), program.objects[i]});
    for (size_t i = 0; i < program.cubins.size(); ++i)
      sections.push_back({cubinName(number, i), program.cubins[i].code});
  }
  return sections;
}
