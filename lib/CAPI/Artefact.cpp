//===- Artefact.cpp - The C API of artefacts ------------------------------===//

#include "tc-c/Artefact.h"
#include "Description.h"
#include "Handles.h"
#include "TC/Runtime/Artefact.h"
#include "TC/Runtime/CUDA.h"

#include <cstring>

using namespace tc;
using namespace tc::capi;
using namespace tc::runtime;

struct tc_artefact {
  explicit tc_artefact(std::unique_ptr<Artefact> made)
      : artefact(std::move(made)), description(artefact->manifest()) {}

  std::unique_ptr<Artefact> artefact;
  Description description;
};

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static tc_error *readOptions(const tc_artefact_options *given,
                             Artefact::Options &options) {
  if (!given)
    return nullptr;
  // A caller of an older version has fewer fields.
  tc_artefact_options all = {};
  if (given->size < sizeof(given->size) || given->size > sizeof(all))
    return tc_error_create(
        TC_ERROR_UNSUPPORTED,
        ("tc_artefact_options has " + std::to_string(given->size) +
         " bytes, this library knows " + std::to_string(sizeof(all)))
            .c_str(),
        nullptr);
  std::memcpy(&all, given, given->size);
  Expected<ArtefactDevice> device =
      ArtefactDevice::parse(all.device ? all.device : "");
  if (!device.ok())
    return toError(device.error());
  options.device = *device;
  if (all.directory)
    options.directory = all.directory;
  if (tc_error *error =
          checkList(all.parameters, all.parameter_count, "parameters"))
    return error;
  for (int64_t i = 0; i < all.parameter_count; ++i) {
    if (tc_error *error = checkGiven(all.parameters[i], "parameters"))
      return error;
    options.parameters.push_back(parseParameterFile(all.parameters[i]));
  }
  return nullptr;
}

static tc_error *loadFile(Expected<ArtefactFile> file,
                          const tc_artefact_options *given,
                          tc_artefact **result) {
  if (!file.ok())
    return toError(file.error());
  Artefact::Options options;
  if (tc_error *error = readOptions(given, options))
    return error;
  Expected<std::unique_ptr<Artefact>> loaded = Artefact::load(*file, options);
  if (!loaded.ok())
    return toError(loaded.error());
  *result = new tc_artefact(std::move(*loaded));
  return nullptr;
}

tc_error *tc_artefact_load(const char *path, const tc_artefact_options *options,
                           tc_artefact **result) {
  if (tc_error *error = checkGiven(path, "path"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  return loadFile(ArtefactFile::open(path), options, result);
}

tc_error *tc_artefact_load_buffer(const void *data, size_t bytes,
                                  const char *name,
                                  const tc_artefact_options *options,
                                  tc_artefact **result) {
  if (tc_error *error = checkGiven(data, "data"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  StorageRef storage =
      wrapForeignMemory(const_cast<void *>(data), bytes, nullptr, nullptr);
  return loadFile(
      ArtefactFile::read(std::move(storage), name ? name : "<buffer>"), options,
      result);
}

void tc_artefact_free(tc_artefact *artefact) { delete artefact; }

//===----------------------------------------------------------------------===//
// What an artefact holds
//===----------------------------------------------------------------------===//

const char *tc_artefact_target(const tc_artefact *artefact) {
  return artefact ? artefact->artefact->target().c_str() : "";
}

int64_t tc_artefact_function_count(const tc_artefact *artefact) {
  return artefact ? int64_t(artefact->description.functions.size()) : 0;
}

const tc_function_info *tc_artefact_function(const tc_artefact *artefact,
                                             int64_t index) {
  return artefact ? at(artefact->description.functions, index) : nullptr;
}

tc_error *tc_artefact_find_function(const tc_artefact *artefact,
                                    const char *name, int64_t *index) {
  if (tc_error *error = checkGiven(artefact, "artefact"))
    return error;
  if (tc_error *error = checkGiven(index, "index"))
    return error;
  return findFunction(artefact->artefact->manifest(), "artefact", name, index);
}

int64_t tc_artefact_parameter_count(const tc_artefact *artefact) {
  return artefact ? int64_t(artefact->description.parameters.size()) : 0;
}

const tc_tensor_info *tc_artefact_parameter(const tc_artefact *artefact,
                                            int64_t index) {
  return artefact ? at(artefact->description.parameters, index) : nullptr;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

tc_error *tc_artefact_call_on_stream(const tc_artefact *artefact,
                                     int64_t function, void *stream,
                                     const tc_array *const *inputs,
                                     int64_t input_count, tc_array **outputs,
                                     int64_t output_count) {
  if (tc_error *error = checkGiven(artefact, "artefact"))
    return error;
  const tc_function_info *info = tc_artefact_function(artefact, function);
  if (!info)
    return invalidArgument(
        "the artefact has " +
        std::to_string(tc_artefact_function_count(artefact)) +
        " functions, there is no number " + std::to_string(function));
  if (info->output_count != output_count)
    return invalidArgument(std::string("'") + info->name + "' has " +
                           std::to_string(info->output_count) +
                           " outputs, the call has " +
                           std::to_string(output_count));
  if (tc_error *error = checkList(inputs, input_count, "inputs"))
    return error;
  if (tc_error *error = checkList(outputs, output_count, "outputs"))
    return error;
  std::vector<Tensor> tensors;
  for (int64_t i = 0; i < input_count; ++i) {
    if (!inputs[i])
      return invalidArgument("input " + std::to_string(i) +
                             " is null, expected an array");
    tensors.push_back(inputs[i]->tensor);
  }
  Expected<std::vector<Tensor>> results =
      artefact->artefact->call(size_t(function), tensors, stream);
  if (!results.ok())
    return toError(results.error());
  for (int64_t i = 0; i < output_count; ++i)
    outputs[i] = new tc_array{std::move((*results)[size_t(i)])};
  return nullptr;
}

tc_error *tc_artefact_call(const tc_artefact *artefact, int64_t function,
                           const tc_array *const *inputs, int64_t input_count,
                           tc_array **outputs, int64_t output_count) {
  return tc_artefact_call_on_stream(artefact, function, /*stream=*/nullptr,
                                    inputs, input_count, outputs, output_count);
}

tc_error *tc_artefact_set_parameter(tc_artefact *artefact, const char *name,
                                    const tc_array *value) {
  if (tc_error *error = checkGiven(artefact, "artefact"))
    return error;
  if (tc_error *error = checkGiven(name, "name"))
    return error;
  if (tc_error *error = checkGiven(value, "value"))
    return error;
  return toError(artefact->artefact->setParameter(name, value->tensor));
}
