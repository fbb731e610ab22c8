//===- Compiler.cpp - The C API of libTCCompiler --------------------------===//

#include "tc-c/Compiler.h"
#include "Handles.h"
#include "Program.h"
#include "TC/Conversion/AtenToTC/AtenToTC.h"
#include "TC/Pipelines/Phases.h"
#include <cstring>
#include <deque>

using namespace tc;
using namespace tc::capi;
using runtime::ErrorCode;
using runtime::Tensor;

struct tc_session {
  Session session;
};

namespace {
/// tc_tensor_info and what it points to.
struct TensorInfo {
  std::string type;
  std::vector<int64_t> sizes;
  std::vector<const char *> texts, strides;
};

/// The description of a program in C structs. Points into the manifest.
class Description {
public:
  explicit Description(const Program &program);

  std::vector<tc_function_info> functions;
  std::vector<tc_tensor_info> parameters;
  std::vector<tc_kernel_info> kernels;
  std::vector<tc_timing_info> timings;

private:
  tc_tensor_info describe(const ManifestTensor &tensor,
                          const std::string &mutates);
  tc_tensor_info describeInput(const ManifestInput &input);

  const std::string none;
  std::deque<TensorInfo> details;
  std::deque<std::string> signatures;
  std::deque<std::vector<tc_tensor_info>> tensors;
  std::deque<std::vector<tc_symbol_info>> symbols;
};
} // namespace

struct tc_program {
  explicit tc_program(std::unique_ptr<Program> made)
      : program(std::move(made)), description(*program) {}
  std::unique_ptr<Program> program;
  Description description;
};

tc_tensor_info Description::describe(const ManifestTensor &tensor,
                                     const std::string &mutates) {
  TensorInfo &detail = details.emplace_back();
  detail.type = tensor.typeString();
  for (const ManifestSize &size : tensor.sizes) {
    detail.sizes.push_back(size.constant.value_or(-1));
    detail.texts.push_back(size.text.c_str());
  }
  return {tensor.name.c_str(),   detail.type.c_str(),
          int32_t(tensor.dtype), int32_t(tensor.sizes.size()),
          detail.sizes.data(),   detail.texts.data(),
          mutates.c_str(),       nullptr};
}

tc_tensor_info Description::describeInput(const ManifestInput &input) {
  tc_tensor_info info = describe(input, none);
  if (input.strides.empty())
    return info;
  TensorInfo &detail = details.back();
  for (const ManifestStride &stride : input.strides)
    detail.strides.push_back(stride.text.c_str());
  info.stride_texts = detail.strides.data();
  return info;
}

Description::Description(const Program &program) {
  for (const ManifestFunction &function : program.manifest().functions) {
    std::vector<tc_tensor_info> &inputs = tensors.emplace_back();
    for (const ManifestInput &input : function.inputs)
      inputs.push_back(describeInput(input));
    std::vector<tc_tensor_info> &outputs = tensors.emplace_back();
    for (const ManifestOutput &output : function.outputs)
      outputs.push_back(describe(output, output.mutates));
    std::vector<tc_symbol_info> &ranges = symbols.emplace_back();
    for (const ManifestSymbol &symbol : function.symbols)
      ranges.push_back({symbol.name.c_str(), symbol.minimum, symbol.maximum,
                        symbol.divisor});
    signatures.push_back(function.signature());
    functions.push_back({function.name.c_str(), signatures.back().c_str(),
                         int64_t(inputs.size()), int64_t(outputs.size()),
                         int64_t(function.userOutputCount()),
                         int64_t(ranges.size()), inputs.data(), outputs.data(),
                         ranges.data()});
  }
  for (const ManifestParameter &parameter : program.manifest().parameters)
    parameters.push_back(describe(parameter, none));
  for (const KernelDescription &kernel : program.kernels())
    kernels.push_back({kernel.function.c_str(), kernel.name.c_str(),
                       kernel.kernelClass.c_str(), kernel.schedule.c_str()});
  for (const PhaseTiming &timing : program.timings())
    timings.push_back({timing.name.c_str(), timing.seconds});
}

static tc_error *toError(llvm::Error error, int32_t code) {
  std::string text = llvm::toString(std::move(error));
  return tc_error_create(code, llvm::StringRef(text).rtrim().str().c_str(),
                         nullptr);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

tc_error *tc_session_create(uint32_t version, tc_session **result) {
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  if (tc_error *error = tc_check_api_version(version))
    return error;
  *result = new tc_session();
  return nullptr;
}

void tc_session_free(tc_session *session) { delete session; }

int32_t tc_session_supports_operator(const tc_session *, const char *overload) {
  return overload && convertsAtenOverload(overload);
}

static tc_error *readOptions(const tc_compile_options *given,
                             ProgramOptions &options) {
  if (!given)
    return nullptr;
  // A caller of an older version has fewer fields.
  tc_compile_options all = {};
  if (given->size < sizeof(given->size) || given->size > sizeof(all))
    return tc_error_create(
        TC_ERROR_UNSUPPORTED,
        ("tc_compile_options has " + std::to_string(given->size) +
         " bytes, this library knows " + std::to_string(sizeof(all)))
            .c_str(),
        nullptr);
  std::memcpy(&all, given, given->size);
  auto copy = [](const char *from, std::string &to) {
    if (from && *from)
      to = from;
  };
  copy(all.target, options.compile.target);
  copy(all.libraries, options.compile.libraries);
  copy(all.schedules, options.compile.schedules);
  copy(all.device, options.device);
  copy(all.compile_to, options.compileTo);
  copy(all.directory, options.directory);
  llvm::Expected<Mode> mode = parseMode(all.mode ? all.mode : "");
  if (!mode)
    return toError(mode.takeError(), TC_STATUS_INVALID_ARGUMENT);
  options.compile.mode = *mode;
  options.launchBlocking = all.launch_blocking != 0;
  auto list = [](const char *const *texts, int64_t count, const char *name,
                 auto take) -> tc_error * {
    if (tc_error *error = checkList(texts, count, name))
      return error;
    for (int64_t i = 0; i < count; ++i) {
      if (tc_error *error = checkGiven(texts[i], name))
        return error;
      take(texts[i]);
    }
    return nullptr;
  };
  if (tc_error *error =
          list(all.parameters, all.parameter_count, "parameters",
               [&](const char *text) {
                 options.parameters.push_back(parseParameterFile(text));
               }))
    return error;
  if (tc_error *error = list(all.specialize, all.specialize_count, "specialize",
                             [&](const char *text) {
                               options.compile.specialize.push_back(text);
                             }))
    return error;
  return all.threads ? tc_set_thread_count(all.threads) : nullptr;
}

static tc_error *compileSource(tc_session *session, const Source &source,
                               const tc_compile_options *given,
                               tc_program **result) {
  if (tc_error *error = checkGiven(session, "session"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  ProgramOptions options;
  if (tc_error *error = readOptions(given, options))
    return error;
  auto program = Program::create(session->session, source, options);
  if (!program)
    return toError(program.takeError(), TC_STATUS_INVALID_ARGUMENT);
  *result = new tc_program(std::move(*program));
  return nullptr;
}

tc_error *tc_compile_file(tc_session *session, const char *path,
                          const tc_compile_options *options,
                          tc_program **result) {
  if (tc_error *error = checkGiven(path, "path"))
    return error;
  return compileSource(session, {path, {}, {}}, options, result);
}

tc_error *tc_compile_buffer(tc_session *session, const char *data, size_t bytes,
                            const char *name, const tc_compile_options *options,
                            tc_program **result) {
  if (tc_error *error = checkGiven(data, "data"))
    return error;
  return compileSource(
      session, {"", llvm::StringRef(data, bytes), name ? name : "<buffer>"},
      options, result);
}

void tc_program_free(tc_program *program) { delete program; }

//===----------------------------------------------------------------------===//
// What a program holds
//===----------------------------------------------------------------------===//

/// Element `index` of a list; null when there is none.
template <typename T>
static const T *at(const std::vector<T> &list, int64_t index) {
  return index >= 0 && index < int64_t(list.size()) ? &list[size_t(index)]
                                                    : nullptr;
}

int64_t tc_program_function_count(const tc_program *program) {
  return program ? int64_t(program->description.functions.size()) : 0;
}

const tc_function_info *tc_program_function(const tc_program *program,
                                            int64_t index) {
  return program ? at(program->description.functions, index) : nullptr;
}

tc_error *tc_program_find_function(const tc_program *program, const char *name,
                                   int64_t *index) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(index, "index"))
    return error;
  const Manifest &manifest = program->program->manifest();
  std::string wanted = name ? name : "";
  if (wanted.empty() && manifest.functions.size() != 1)
    wanted = "main";
  for (auto [number, function] : llvm::enumerate(manifest.functions))
    if (wanted.empty() || function.name == wanted) {
      *index = int64_t(number);
      return nullptr;
    }
  return invalidArgument("the program has no function '" + wanted +
                         "'; it has " + manifest.functionNames());
}

int64_t tc_program_parameter_count(const tc_program *program) {
  return program ? int64_t(program->description.parameters.size()) : 0;
}

const tc_tensor_info *tc_program_parameter(const tc_program *program,
                                           int64_t index) {
  return program ? at(program->description.parameters, index) : nullptr;
}

int64_t tc_program_kernel_count(const tc_program *program) {
  return program ? int64_t(program->description.kernels.size()) : 0;
}

const tc_kernel_info *tc_program_kernel(const tc_program *program,
                                        int64_t index) {
  return program ? at(program->description.kernels, index) : nullptr;
}

int64_t tc_program_timing_count(const tc_program *program) {
  return program ? int64_t(program->description.timings.size()) : 0;
}

const tc_timing_info *tc_program_timing(const tc_program *program,
                                        int64_t index) {
  return program ? at(program->description.timings, index) : nullptr;
}

tc_error *tc_program_ir(const tc_program *program, const char *phase,
                        char **text) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(text, "text"))
    return error;
  auto printed = program->program->ir(phase ? phase : "");
  if (!printed)
    return toError(printed.takeError(), TC_STATUS_INVALID_ARGUMENT);
  *text = strdup(printed->c_str());
  return nullptr;
}

void tc_string_free(char *text) { free(text); }

int64_t tc_phase_count(void) { return int64_t(getPhases().size()); }

const char *tc_phase_name(int64_t index) {
  return index >= 0 && index < tc_phase_count()
             ? getPhases()[size_t(index)].name().data()
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// Checks what the compiled function cannot: that it exists, and the number
/// of inputs.
static tc_error *checkFunction(const tc_program *program, int64_t function,
                               const void *inputs, int64_t inputCount) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  const tc_function_info *info = tc_program_function(program, function);
  if (!info)
    return invalidArgument("the program has " +
                           std::to_string(tc_program_function_count(program)) +
                           " functions, there is no number " +
                           std::to_string(function));
  if (info->input_count != inputCount)
    return invalidArgument(std::string("'") + info->name + "' has " +
                           std::to_string(info->input_count) +
                           " inputs, the call has " +
                           std::to_string(inputCount));
  return checkList(inputs, inputCount, "inputs");
}

static tc_error *checkCall(const tc_program *program, int64_t function,
                           const void *inputs, int64_t inputCount,
                           tc_array **outputs, int64_t outputCount) {
  if (tc_error *error = checkFunction(program, function, inputs, inputCount))
    return error;
  const tc_function_info *info = tc_program_function(program, function);
  if (info->output_count != outputCount)
    return invalidArgument(std::string("'") + info->name + "' has " +
                           std::to_string(info->output_count) +
                           " outputs, the call has " +
                           std::to_string(outputCount));
  return checkList(outputs, outputCount, "outputs");
}

/// The tensors of arrays; fails for one that is null.
static tc_error *readArrays(const tc_array *const *arrays, int64_t count,
                            std::vector<Tensor> &tensors) {
  for (int64_t i = 0; i < count; ++i) {
    if (!arrays[i])
      return invalidArgument("input " + std::to_string(i) +
                             " is null, expected an array");
    tensors.push_back(arrays[i]->tensor);
  }
  return nullptr;
}

static tc_error *giveOutputs(runtime::Expected<std::vector<Tensor>> results,
                             tc_array **outputs) {
  if (!results.ok())
    return capi::toError(results.error());
  for (auto [index, tensor] : llvm::enumerate(*results))
    outputs[index] = new tc_array{std::move(tensor)};
  return nullptr;
}

tc_error *tc_program_call(const tc_program *program, int64_t function,
                          const tc_array *const *inputs, int64_t input_count,
                          tc_array **outputs, int64_t output_count) {
  return tc_program_call_on_stream(program, function, /*stream=*/nullptr,
                                   inputs, input_count, outputs, output_count);
}

tc_error *tc_program_call_on_stream(const tc_program *program, int64_t function,
                                    void *stream, const tc_array *const *inputs,
                                    int64_t input_count, tc_array **outputs,
                                    int64_t output_count) {
  if (tc_error *error = checkCall(program, function, inputs, input_count,
                                  outputs, output_count))
    return error;
  std::vector<Tensor> tensors;
  if (tc_error *error = readArrays(inputs, input_count, tensors))
    return error;
  if (program->program->isCompiled())
    if (runtime::Status status =
            program->program->inputStrides(size_t(function))
                .makeExpected(tensors);
        !status.ok())
      return capi::toError(status);
  return giveOutputs(program->program->call(size_t(function), tensors, stream),
                     outputs);
}

tc_error *tc_program_call_raw(const tc_program *program, int64_t function,
                              const tc_tensor *inputs, int64_t input_count,
                              tc_array **outputs, int64_t output_count) {
  if (tc_error *error = checkCall(program, function, inputs, input_count,
                                  outputs, output_count))
    return error;
  llvm::ArrayRef<tc_tensor> given(inputs, size_t(input_count));
  for (const tc_tensor &input : given)
    if (tc_error *error = checkDescriptor(&input))
      return error;
  if (program->program->isCompiled() &&
      program->program->inputStrides(size_t(function)).areExpected(given))
    return giveOutputs(
        program->program->call(size_t(function), inputs, given.size()),
        outputs);
  std::vector<tc_array *> arrays;
  tc_error *error = nullptr;
  for (const tc_tensor &input : given) {
    tc_array *array = nullptr;
    if ((error = tc_array_wrap(&input, nullptr, nullptr, &array)))
      break;
    arrays.push_back(array);
  }
  if (!error)
    error = tc_program_call(program, function, arrays.data(), input_count,
                            outputs, output_count);
  for (tc_array *array : arrays)
    tc_array_free(array);
  return error;
}

tc_error *tc_program_expected_strides(const tc_program *program,
                                      int64_t function,
                                      const tc_array *const *inputs,
                                      int64_t input_count, int64_t input,
                                      int64_t *strides) {
  if (tc_error *error = checkFunction(program, function, inputs, input_count))
    return error;
  if (input < 0 || input >= input_count)
    return invalidArgument("the input is " + std::to_string(input) +
                           ", expected one of " + std::to_string(input_count));
  std::vector<Tensor> tensors;
  if (tc_error *error = readArrays(inputs, input_count, tensors))
    return error;
  if (tc_error *error =
          checkList(strides, tensors[size_t(input)].rank(), "strides"))
    return error;
  llvm::SmallVector<tc_tensor, 8> given;
  for (const Tensor &tensor : tensors)
    given.push_back(tensor.descriptor());
  auto expected = program->program->inputStrides(size_t(function))
                      .getExpected(given, size_t(input));
  if (!expected)
    return invalidArgument(
        "the inputs have other ranks than those of " +
        program->program->manifest().functions[size_t(function)].signature());
  llvm::copy(*expected, strides);
  return nullptr;
}

tc_error *tc_program_explain(const tc_program *program, int64_t function,
                             const tc_array *const *inputs, int64_t input_count,
                             char **text) {
  if (tc_error *error = checkFunction(program, function, inputs, input_count))
    return error;
  if (tc_error *error = checkGiven(text, "text"))
    return error;
  std::vector<Tensor> tensors;
  if (tc_error *error = readArrays(inputs, input_count, tensors))
    return error;
  auto explained = program->program->explain(size_t(function), tensors);
  if (!explained)
    return toError(explained.takeError(), TC_STATUS_INVALID_ARGUMENT);
  *text = strdup(explained->c_str());
  return nullptr;
}

tc_error *tc_program_set_parameter(tc_program *program, const char *name,
                                   const tc_array *value) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(name, "name"))
    return error;
  if (tc_error *error = checkGiven(value, "value"))
    return error;
  return capi::toError(program->program->setParameter(name, value->tensor));
}
