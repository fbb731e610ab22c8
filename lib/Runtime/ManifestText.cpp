//===- ManifestText.cpp - A manifest as JSON text -------------------------===//

#include "TC/Runtime/ManifestText.h"
#include "Json.h"

using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Writes JSON with a comma before each entry but the first of its list.
class ManifestWriter {
public:
  std::string text;

  void manifest(const Manifest &manifest);

private:
  void comma() {
    if (!text.empty() && text.back() != '{' && text.back() != '[' &&
        text.back() != ':')
      text += ',';
  }
  void key(std::string_view name) {
    comma();
    appendJsonString(text, name);
    text += ':';
  }
  void value(const std::string &string) {
    comma();
    appendJsonString(text, string);
  }
  void value(int64_t number) {
    comma();
    text += std::to_string(number);
  }
  template <typename Value> void member(std::string_view name, Value content) {
    key(name);
    value(content);
  }
  /// A list of what `write` makes of each entry.
  template <typename List, typename Write>
  void list(std::string_view name, const List &entries, Write write) {
    key(name);
    text += '[';
    for (const auto &entry : entries)
      write(entry);
    text += ']';
  }
  template <typename Write> void object(Write write) {
    comma();
    text += '{';
    write();
    text += '}';
  }

  void size(const ManifestSize &size) {
    size.constant ? value(*size.constant) : value(size.text);
  }
  void stride(const ManifestStride &stride);
  void tensor(const ManifestTensor &tensor);
  void function(const ManifestFunction &function);
  void parameter(const ManifestParameter &parameter);
};
} // namespace

void ManifestWriter::stride(const ManifestStride &stride) {
  object([&] {
    key("stride");
    size(stride);
    list("steps", stride.steps, [&](const ManifestStep &step) {
      value(int64_t(step.kind));
      value(step.value);
    });
  });
}

void ManifestWriter::tensor(const ManifestTensor &tensor) {
  member("name", tensor.name);
  member("dtype", std::string(dtypeName(tensor.dtype)));
  list("sizes", tensor.sizes, [&](const ManifestSize &one) { size(one); });
}

void ManifestWriter::function(const ManifestFunction &function) {
  object([&] {
    member("name", function.name);
    list("inputs", function.inputs, [&](const ManifestInput &input) {
      object([&] {
        tensor(input);
        list("strides", input.strides,
             [&](const ManifestStride &one) { stride(one); });
      });
    });
    list("outputs", function.outputs, [&](const ManifestOutput &output) {
      object([&] {
        tensor(output);
        member("mutates", output.mutates);
      });
    });
    list("symbols", function.symbols, [&](const ManifestSymbol &symbol) {
      object([&] {
        member("name", symbol.name);
        member("minimum", symbol.minimum);
        member("maximum", symbol.maximum);
        member("divisor", symbol.divisor);
      });
    });
    list("bindings", function.bindings, [&](const ManifestBinding &binding) {
      object([&] {
        member("symbol", int64_t(binding.symbol));
        member("input", int64_t(binding.input));
        member("dim", int64_t(binding.dim));
        member("is_stride", int64_t(binding.isStride));
        member("factor", binding.factor);
        member("offset", binding.offset);
      });
    });
    list("parameters", function.parameters,
         [&](int32_t number) { value(int64_t(number)); });
    member("launches", function.launches);
    member("arena_bytes", function.arenaBytes);
  });
}

void ManifestWriter::parameter(const ManifestParameter &parameter) {
  object([&] {
    tensor(parameter);
    member("file", parameter.file);
    member("offset", int64_t(parameter.offset));
    list("strides", parameter.strides, [&](int64_t stride) { value(stride); });
    member("role", parameter.role);
  });
}

void ManifestWriter::manifest(const Manifest &manifest) {
  auto writeFunction = [&](const ManifestFunction &one) { function(one); };
  object([&] {
    list("functions", manifest.functions, writeFunction);
    list("prepare",
         manifest.prepare ? std::vector{*manifest.prepare}
                          : std::vector<ManifestFunction>(),
         writeFunction);
    list("parameters", manifest.parameters,
         [&](const ManifestParameter &one) { parameter(one); });
    list("prepared", manifest.prepared, [&](const ManifestPrepared &prepared) {
      object([&] {
        tensor(prepared);
        member("output", int64_t(prepared.output));
        member("file", prepared.file);
        member("offset", int64_t(prepared.offset));
      });
    });
    member("fingerprint", manifest.fingerprint);
    list("kernels", manifest.kernels, [&](const ManifestKernel &kernel) {
      object([&] {
        member("function", kernel.function);
        member("name", kernel.name);
        member("class", kernel.kernelClass);
        member("schedule", kernel.schedule);
      });
    });
  });
}

std::string tc::runtime::toJson(const Manifest &manifest) {
  ManifestWriter writer;
  writer.manifest(manifest);
  return std::move(writer.text);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads members, and keeps the first that is not what it should be.
class ManifestReader {
public:
  Manifest manifest(const JsonValue &json);
  std::string problem;

private:
  using Kind = JsonValue::Kind;

  void fail(std::string_view name, const char *expected) {
    if (problem.empty())
      problem = "member '" + std::string(name) + "' is not " + expected;
  }
  std::string text(const JsonValue &json, std::string_view name) {
    const JsonValue *found = json.find(name);
    if (found && found->kind == Kind::String)
      return found->string;
    fail(name, "a string");
    return {};
  }
  int64_t integer(const JsonValue &json, std::string_view name,
                  int64_t least = INT64_MIN, int64_t end = INT64_MAX) {
    const JsonValue *found = json.find(name);
    return integer(found ? *found : JsonValue(), least, end, name);
  }
  /// At least `least` and less than `end`, or the largest number of all.
  int64_t integer(const JsonValue &value, int64_t least, int64_t end,
                  std::string_view name) {
    if (value.integer && *value.integer >= least &&
        (*value.integer < end || end == INT64_MAX))
      return *value.integer;
    fail(name, "an integer in its range");
    return 0;
  }
  const std::vector<JsonValue> &list(const JsonValue &json,
                                     std::string_view name) {
    static const std::vector<JsonValue> none;
    const JsonValue *found = json.find(name);
    if (found && found->kind == Kind::Array)
      return found->elements;
    fail(name, "a list");
    return none;
  }

  void size(const JsonValue &json, ManifestSize &size);
  void tensor(const JsonValue &json, ManifestTensor &tensor);
  ManifestStride stride(const JsonValue &json, size_t symbolCount);
  void input(const JsonValue &json, ManifestFunction &function);
  ManifestBinding binding(const JsonValue &json,
                          const ManifestFunction &function);
  ManifestFunction function(const JsonValue &json, size_t parameterCount);
  ManifestParameter parameter(const JsonValue &json);
};
} // namespace

void ManifestReader::size(const JsonValue &json, ManifestSize &size) {
  size.constant = json.integer;
  size.text = json.integer ? std::to_string(*json.integer) : json.string;
  if (size.text.empty())
    fail("sizes", "a list of integers and expressions");
}

void ManifestReader::tensor(const JsonValue &json, ManifestTensor &tensor) {
  tensor.name = text(json, "name");
  if (auto dtype = dtypeFromName(text(json, "dtype")))
    tensor.dtype = *dtype;
  else
    fail("dtype", "an element type");
  for (const JsonValue &one : list(json, "sizes"))
    size(one, tensor.sizes.emplace_back());
}

ManifestStride ManifestReader::stride(const JsonValue &json,
                                      size_t symbolCount) {
  ManifestStride result;
  const JsonValue *value = json.find("stride");
  size(value ? *value : JsonValue(), result);
  const std::vector<JsonValue> &steps = list(json, "steps");
  for (size_t i = 0; i + 1 < steps.size(); i += 2) {
    ManifestStep &step = result.steps.emplace_back();
    step.kind = ManifestStep::Kind(
        integer(steps[i], 0, ManifestStep::Maximum + 1, "steps"));
    const bool isSymbol = step.kind == ManifestStep::Symbol;
    step.value = integer(steps[i + 1], isSymbol ? 0 : INT64_MIN,
                         isSymbol ? int64_t(symbolCount) : INT64_MAX, "steps");
  }
  return result;
}

void ManifestReader::input(const JsonValue &json, ManifestFunction &function) {
  ManifestInput &input = function.inputs.emplace_back();
  tensor(json, input);
  for (const JsonValue &one : list(json, "strides"))
    input.strides.push_back(stride(one, function.symbols.size()));
  if (!input.strides.empty() && input.strides.size() != input.sizes.size())
    fail("strides", "a list of one entry for each dimension");
}

ManifestBinding ManifestReader::binding(const JsonValue &json,
                                        const ManifestFunction &function) {
  ManifestBinding result{};
  result.symbol =
      size_t(integer(json, "symbol", 0, int64_t(function.symbols.size())));
  result.input =
      size_t(integer(json, "input", 0, int64_t(function.inputs.size())));
  const int64_t rank = result.input < function.inputs.size()
                           ? int64_t(function.inputs[result.input].sizes.size())
                           : 0;
  result.dim = size_t(integer(json, "dim", 0, rank));
  result.isStride = integer(json, "is_stride", 0, 2) != 0;
  result.factor = integer(json, "factor", 1);
  result.offset = integer(json, "offset");
  return result;
}

ManifestFunction ManifestReader::function(const JsonValue &json,
                                          size_t parameterCount) {
  ManifestFunction result;
  result.name = text(json, "name");
  for (const JsonValue &one : list(json, "symbols"))
    result.symbols.push_back({text(one, "name"), integer(one, "minimum"),
                              integer(one, "maximum"),
                              integer(one, "divisor", 1)});
  for (const JsonValue &one : list(json, "inputs"))
    input(one, result);
  for (const JsonValue &one : list(json, "outputs")) {
    ManifestOutput &output = result.outputs.emplace_back();
    tensor(one, output);
    output.mutates = text(one, "mutates");
  }
  for (const JsonValue &one : list(json, "bindings"))
    result.bindings.push_back(binding(one, result));
  for (const JsonValue &one : list(json, "parameters"))
    result.parameters.push_back(
        int32_t(integer(one, 0, int64_t(parameterCount), "parameters")));
  result.launches = integer(json, "launches", 0);
  result.arenaBytes = text(json, "arena_bytes");
  return result;
}

ManifestParameter ManifestReader::parameter(const JsonValue &json) {
  ManifestParameter result;
  tensor(json, result);
  result.file = text(json, "file");
  result.offset = uint64_t(integer(json, "offset", 0));
  for (const JsonValue &one : list(json, "strides"))
    result.strides.push_back(integer(one, INT64_MIN, INT64_MAX, "strides"));
  result.role = text(json, "role");
  return result;
}

Manifest ManifestReader::manifest(const JsonValue &json) {
  Manifest result;
  for (const JsonValue &one : list(json, "parameters"))
    result.parameters.push_back(parameter(one));
  const std::vector<JsonValue> &prepared = list(json, "prepared");
  const size_t values = result.parameters.size() + prepared.size();
  for (const JsonValue &one : list(json, "functions"))
    result.functions.push_back(function(one, values));
  for (const JsonValue &one : list(json, "prepare"))
    result.prepare = function(one, values);
  const size_t outputs = result.prepare ? result.prepare->outputs.size() : 0;
  for (const JsonValue &one : prepared) {
    ManifestPrepared &value = result.prepared.emplace_back();
    tensor(one, value);
    value.output = int32_t(integer(one, "output", 0, int64_t(outputs)));
    value.file = text(one, "file");
    value.offset = uint64_t(integer(one, "offset", 0));
  }
  result.fingerprint = integer(json, "fingerprint");
  for (const JsonValue &one : list(json, "kernels"))
    result.kernels.push_back({text(one, "function"), text(one, "name"),
                              text(one, "class"), text(one, "schedule")});
  return result;
}

Expected<Manifest> tc::runtime::parseManifest(std::string_view text) {
  Expected<JsonValue> json = parseJson(text);
  if (!json.ok())
    return json.takeStatus();
  ManifestReader reader;
  Manifest manifest = reader.manifest(*json);
  if (!reader.problem.empty())
    return Status(ErrorCode::CorruptData, "the manifest's " + reader.problem);
  return manifest;
}
