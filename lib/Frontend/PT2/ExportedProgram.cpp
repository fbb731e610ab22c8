//===- ExportedProgram.cpp - what torch.export.save wrote -----------------===//

#include "TC/Frontend/PT2/ExportedProgram.h"
#include "TC/Frontend/PT2/GuardParser.h"

#include "GraphReader.h"
#include "InputPaths.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tc::pt2 {

static constexpr int64_t supportedMajorVersion = 8;

StringRef getScalarTypeName(ScalarType type) {
  switch (type) {
  case ScalarType::Unknown:
    return "";
  case ScalarType::Byte:
    return "uint8";
  case ScalarType::Char:
    return "int8";
  case ScalarType::Short:
    return "int16";
  case ScalarType::Int:
    return "int32";
  case ScalarType::Long:
    return "int64";
  case ScalarType::Half:
    return "float16";
  case ScalarType::Float:
    return "float32";
  case ScalarType::Double:
    return "float64";
  case ScalarType::ComplexHalf:
    return "complex32";
  case ScalarType::ComplexFloat:
    return "complex64";
  case ScalarType::ComplexDouble:
    return "complex128";
  case ScalarType::Bool:
    return "bool";
  case ScalarType::BFloat16:
    return "bfloat16";
  case ScalarType::UInt16:
    return "uint16";
  case ScalarType::Float8E4M3FN:
    return "float8_e4m3fn";
  case ScalarType::Float8E5M2:
    return "float8_e5m2";
  case ScalarType::Float8E4M3FNUZ:
    return "float8_e4m3fnuz";
  case ScalarType::Float8E5M2FNUZ:
    return "float8_e5m2fnuz";
  case ScalarType::Float8E8M0FNU:
    return "float8_e8m0fnu";
  case ScalarType::UInt32:
    return "uint32";
  case ScalarType::UInt64:
    return "uint64";
  }
  return "";
}

unsigned getScalarTypeSize(ScalarType type) {
  switch (type) {
  case ScalarType::Unknown:
    return 0;
  case ScalarType::Byte:
  case ScalarType::Char:
  case ScalarType::Bool:
  case ScalarType::Float8E4M3FN:
  case ScalarType::Float8E5M2:
  case ScalarType::Float8E4M3FNUZ:
  case ScalarType::Float8E5M2FNUZ:
  case ScalarType::Float8E8M0FNU:
    return 1;
  case ScalarType::Short:
  case ScalarType::Half:
  case ScalarType::BFloat16:
  case ScalarType::UInt16:
    return 2;
  case ScalarType::Int:
  case ScalarType::Float:
  case ScalarType::UInt32:
  case ScalarType::ComplexHalf:
    return 4;
  case ScalarType::Long:
  case ScalarType::Double:
  case ScalarType::UInt64:
  case ScalarType::ComplexFloat:
    return 8;
  case ScalarType::ComplexDouble:
    return 16;
  }
  return 0;
}

namespace {
/// Fills an ExportedProgram from its archive, or from the text of a graph.
class ProgramReader {
public:
  ProgramReader(ExportedProgram &program) : program(program) {}

  Error read(StringRef modelName);
  Error readText(StringRef text);

private:
  Error failure(const Twine &message) const {
    return createStringError(program.path + ": " + message);
  }
  Error checkContainer();
  Error expectText(StringRef entry, StringRef expected, StringRef advice);
  Expected<std::string> chooseModel(StringRef requested) const;
  Error readJson(StringRef entryName, function_ref<void(JsonCursor)> visit);
  Error parse(StringRef text, StringRef what,
              function_ref<void(JsonCursor)> visit);
  Error readWeights(StringRef configName, StringRef folder);
  void readModel(JsonCursor cursor);
  void readInputSpec(JsonCursor cursor);
  void readOutputSpec(JsonCursor cursor);
  void readRanges(JsonCursor cursor);
  void readGuards(JsonCursor cursor);
  void readWeight(StringRef name, JsonCursor cursor, StringRef folder);
  void checkExtent(const Weight &weight, JsonCursor cursor);

  ExportedProgram &program;
  std::string top;
};
} // namespace

Error ProgramReader::expectText(StringRef entry, StringRef expected,
                                StringRef advice) {
  const ZipEntry *found = program.archive->find(top + entry.str());
  if (!found)
    return failure("entry '" + entry + "' is missing; " + advice);
  if (found->bytes.trim() != expected)
    return failure("'" + entry + "' says '" + found->bytes.take_front(40) +
                   "', expected '" + expected + "'; " + advice);
  return Error::success();
}

/// Every entry is under one folder, whose name the archive chooses.
Error ProgramReader::checkContainer() {
  for (const ZipEntry &entry : program.archive->getEntries())
    if (StringRef(entry.name).ends_with("/archive_format"))
      top = StringRef(entry.name)
                .drop_back(StringRef("archive_format").size())
                .str();
  if (Error error = expectText("archive_format", "pt2",
                               "expected a file written by torch.export.save"))
    return error;
  if (Error error = expectText("archive_version", "0",
                               "export the model again with a version of "
                               "PyTorch whose archives are version 0"))
    return error;
  return expectText("byteorder", "little",
                    "export the model again on a little-endian machine");
}

Expected<std::string> ProgramReader::chooseModel(StringRef requested) const {
  std::vector<std::string> names;
  for (const ZipEntry &entry : program.archive->getEntries()) {
    StringRef name = entry.name;
    if (name.consume_front(top + "models/") && name.consume_back(".json"))
      names.push_back(name.str());
  }
  if (names.empty())
    return failure("holds no program under 'models/'; expected a file written "
                   "by torch.export.save");
  StringRef wanted = requested.empty() ? "model" : requested;
  if (is_contained(names, wanted))
    return wanted.str();
  if (requested.empty() && names.size() == 1)
    return names.front();
  return failure("holds no program '" + wanted +
                 "'; choose one of: " + join(names, ", "));
}

/// The parser recurses, so nesting is limited before it runs.
static bool isNestedTooDeeply(StringRef text) {
  unsigned depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > 1000)
        return true;
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return false;
}

Error ProgramReader::readJson(StringRef entryName,
                              function_ref<void(JsonCursor)> visit) {
  const ZipEntry *entry = program.archive->find(top + entryName.str());
  if (!entry)
    return failure("entry '" + entryName +
                   "' is missing; the file is damaged, export it again");
  return parse(entry->bytes, entryName, visit);
}

Error ProgramReader::parse(StringRef text, StringRef what,
                           function_ref<void(JsonCursor)> visit) {
  if (isNestedTooDeeply(text))
    return failure("'" + what +
                   "' nests more than 1000 levels; the file is damaged, "
                   "export it again");
  Expected<json::Value> document = json::parse(text);
  if (!document)
    return failure("'" + what +
                   "' is not valid JSON: " + toString(document.takeError()));
  JsonReading reading;
  visit(JsonCursor(*document, reading));
  if (!reading.failure.empty())
    return failure("'" + what + "': " + reading.failure);
  return Error::success();
}

Error ProgramReader::readText(StringRef text) {
  return parse(text, "graph", [&](JsonCursor cursor) { readModel(cursor); });
}

void ProgramReader::readInputSpec(JsonCursor cursor) {
  auto [tag, value] = cursor.tagged();
  InputSpec spec;
  auto readNamed = [&](InputSpec::Kind kind, StringRef nameField) {
    spec.kind = kind;
    spec.argument.kind = ArgumentKind::Tensor;
    spec.argument.text = value.field("arg").field("name").getString();
    spec.target = value.field(nameField).getString();
  };
  if (tag == "user_input") {
    spec.argument = readArgument(value.field("arg"));
  } else if (tag == "random_seed") {
    spec.argument = readArgument(value.field("arg"));
    spec.isRandomSeed = true;
  } else if (tag == "parameter") {
    readNamed(InputSpec::Parameter, "parameter_name");
  } else if (tag == "buffer") {
    readNamed(InputSpec::Buffer, "buffer_name");
    if (value.has("persistent"))
      spec.persistent = value.field("persistent").getBool();
  } else if (tag == "tensor_constant") {
    readNamed(InputSpec::TensorConstant, "tensor_constant_name");
  } else if (tag == "custom_obj") {
    readNamed(InputSpec::CustomObject, "custom_obj_name");
  } else if (tag == "token") {
    spec.kind = InputSpec::Token;
  } else if (tag == "constant_input") {
    spec.kind = InputSpec::ConstantInput;
    spec.target = value.field("name").getString();
    spec.argument = readArgument(value.field("value"));
  } else {
    cursor.fail("the kind of input '" + tag + "' is not known");
  }
  program.inputSpecs.push_back(std::move(spec));
}

void ProgramReader::readOutputSpec(JsonCursor cursor) {
  auto [tag, value] = cursor.tagged();
  OutputSpec spec;
  auto readNamed = [&](OutputSpec::Kind kind, StringRef nameField) {
    spec.kind = kind;
    spec.argument.kind = ArgumentKind::Tensor;
    spec.argument.text = value.field("arg").field("name").getString();
    if (!nameField.empty())
      spec.target = value.field(nameField).getString();
  };
  if (tag == "user_output") {
    spec.argument = readArgument(value.field("arg"));
    if (value.has("may_overwrite")) // TC's own
      spec.target = value.field("may_overwrite").getString();
  } else if (tag == "loss_output")
    readNamed(OutputSpec::LossOutput, "");
  else if (tag == "buffer_mutation")
    readNamed(OutputSpec::BufferMutation, "buffer_name");
  else if (tag == "parameter_mutation")
    readNamed(OutputSpec::ParameterMutation, "parameter_name");
  else if (tag == "user_input_mutation")
    readNamed(OutputSpec::UserInputMutation, "user_input_name");
  else if (tag == "gradient_to_parameter")
    readNamed(OutputSpec::GradientToParameter, "parameter_name");
  else if (tag == "gradient_to_user_input")
    readNamed(OutputSpec::GradientToUserInput, "user_input_name");
  else if (tag == "token")
    spec.kind = OutputSpec::Token;
  else
    cursor.fail("the kind of output '" + tag + "' is not known");
  program.outputSpecs.push_back(std::move(spec));
}

void ProgramReader::readRanges(JsonCursor cursor) {
  cursor.forEachField([&](StringRef symbol, JsonCursor range) {
    RangeConstraint &bounds = program.ranges[symbol.str()];
    if (range.has("min_val"))
      bounds.minimum = range.field("min_val").getInteger();
    if (range.has("max_val"))
      bounds.maximum = range.field("max_val").getInteger();
  });
}

void ProgramReader::readGuards(JsonCursor cursor) {
  cursor.forEach([&](JsonCursor line) {
    std::string text = line.getString();
    Expected<Expression> condition = parseGuard(text);
    if (condition)
      program.guards.push_back({std::move(text), std::move(*condition)});
    else
      line.fail(toString(condition.takeError()));
  });
}

void ProgramReader::readModel(JsonCursor cursor) {
  JsonCursor version = cursor.field("schema_version").field("major");
  if (int64_t major = version.getInteger(); major != supportedMajorVersion)
    return version.fail("schema version " + Twine(major) +
                        " is not supported, expected " +
                        Twine(supportedMajorVersion) +
                        "; export the model again with a version of PyTorch "
                        "that writes it (2.6 to 2.13 do)");
  if (cursor.has("torch_version"))
    program.torchVersion = cursor.field("torch_version").getString();
  JsonCursor module = cursor.field("graph_module");
  program.graph = readGraph(module.field("graph"));
  JsonCursor signature = module.field("signature");
  signature.field("input_specs").forEach([&](JsonCursor spec) {
    readInputSpec(spec);
  });
  signature.field("output_specs").forEach([&](JsonCursor spec) {
    readOutputSpec(spec);
  });
  if (cursor.has("range_constraints"))
    readRanges(cursor.field("range_constraints"));
  if (cursor.has("guards_code"))
    readGuards(cursor.field("guards_code"));
  if (module.has("module_call_graph"))
    assignInputPaths(module.field("module_call_graph"), program.inputSpecs);
  if (program.inputSpecs.size() < program.graph.inputs.size())
    signature.fail("expected a specification for each of the " +
                   Twine(program.graph.inputs.size()) +
                   " graph inputs, found " + Twine(program.inputSpecs.size()));
  if (program.outputSpecs.size() != program.graph.outputs.size())
    signature.fail("expected a specification for each of the " +
                   Twine(program.graph.outputs.size()) +
                   " graph outputs, found " +
                   Twine(program.outputSpecs.size()));
}

/// Checks that every element of the weight is inside its entry.
void ProgramReader::checkExtent(const Weight &weight, JsonCursor cursor) {
  const TensorMeta &meta = weight.meta;
  int64_t last = meta.storageOffset.integer;
  bool valid = last >= 0 && meta.storageOffset.kind == ExpressionKind::Integer;
  bool empty = false;
  for (auto [size, stride] : llvm::zip(meta.sizes, meta.strides)) {
    if (size.kind != ExpressionKind::Integer ||
        stride.kind != ExpressionKind::Integer)
      return cursor.fail("expected constant sizes and strides of a weight, "
                         "found " +
                         size.str() + " and " + stride.str());
    int64_t span = 0;
    valid &= size.integer >= 0 && stride.integer >= 0;
    empty |= size.integer == 0;
    if (valid && !empty)
      valid = !MulOverflow(size.integer - 1, stride.integer, span) &&
              !AddOverflow(last, span, last);
  }
  int64_t elements = weight.storage->bytes.size() /
                     std::max(1u, getScalarTypeSize(meta.dtype));
  if (valid && (empty || last < elements))
    return;
  cursor.fail("the tensor reaches outside entry '" + weight.storage->name +
              "' of " + Twine(weight.storage->bytes.size()) +
              " bytes; the file is damaged, export it again");
}

void ProgramReader::readWeight(StringRef name, JsonCursor cursor,
                               StringRef folder) {
  if (cursor.has("use_pickle") && cursor.field("use_pickle").getBool())
    return cursor.fail("is stored as a Python pickle, which is not read; "
                       "expected raw bytes, make it a plain tensor (not a "
                       "subclass or a custom object) before the export");
  Weight weight;
  weight.meta = readTensorMeta(cursor.field("tensor_meta"));
  if (cursor.has("is_param"))
    weight.isParameter = cursor.field("is_param").getBool();
  std::string entry = cursor.field("path_name").getString();
  weight.storage = program.archive->find(top + folder.str() + entry);
  if (!weight.storage)
    return cursor.fail("entry '" + folder + entry +
                       "' is missing; the file is damaged, export it again");
  checkExtent(weight, cursor);
  if (!program.weights.try_emplace(name, std::move(weight)).second)
    cursor.fail("the name is given twice");
}

Error ProgramReader::readWeights(StringRef configName, StringRef folder) {
  if (!program.archive->find(top + folder.str() + configName.str()))
    return Error::success(); // a program without weights may have no list
  return readJson(folder.str() + configName.str(), [&](JsonCursor cursor) {
    cursor.field("config").forEachField(
        [&](StringRef name, JsonCursor payload) {
          readWeight(name, payload, folder);
        });
  });
}

Error ProgramReader::read(StringRef modelName) {
  if (Error error = checkContainer())
    return error;
  Expected<std::string> model = chooseModel(modelName);
  if (!model)
    return model.takeError();
  if (Error error = readJson("models/" + *model + ".json",
                             [&](JsonCursor cursor) { readModel(cursor); }))
    return error;
  if (Error error =
          readWeights(*model + "_weights_config.json", "data/weights/"))
    return error;
  return readWeights(*model + "_constants_config.json", "data/constants/");
}

Expected<std::unique_ptr<ExportedProgram>>
ExportedProgram::load(StringRef path, StringRef modelName) {
  Expected<std::unique_ptr<ZipArchive>> archive = ZipArchive::open(path);
  if (!archive)
    return archive.takeError();
  return load(std::move(*archive), modelName);
}

Expected<std::unique_ptr<ExportedProgram>>
ExportedProgram::load(std::unique_ptr<ZipArchive> archive,
                      StringRef modelName) {
  auto program = std::make_unique<ExportedProgram>();
  program->path = archive->getPath().str();
  program->archive = std::move(archive);
  if (Error error = ProgramReader(*program).read(modelName))
    return std::move(error);
  return std::move(program);
}

Expected<std::unique_ptr<ExportedProgram>>
ExportedProgram::parse(StringRef text, StringRef name) {
  auto program = std::make_unique<ExportedProgram>();
  program->path = name.str();
  if (Error error = ProgramReader(*program).readText(text))
    return std::move(error);
  return std::move(program);
}

llvm::StringMap<int64_t> ExportedProgram::getExampleSizes() const {
  llvm::StringMap<int64_t> sizes;
  for (const InputSpec &spec : inputSpecs) {
    auto meta = graph.tensorValues.find(spec.argument.text);
    if (meta == graph.tensorValues.end())
      continue;
    for (const Expression &size : meta->second.sizes)
      if (size.kind == ExpressionKind::Symbol && size.hint)
        sizes[size.name] = *size.hint;
  }
  return sizes;
}

const InputSpec *ExportedProgram::findInput(StringRef path) const {
  for (const InputSpec &spec : inputSpecs)
    if (!spec.path.empty() && samePath(spec.path, path))
      return &spec;
  return nullptr;
}

} // namespace tc::pt2
