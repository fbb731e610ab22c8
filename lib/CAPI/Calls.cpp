//===- Calls.cpp - Calls of compiled programs -----------------------------===//

#include "Handles.h"
#include "ProgramHandle.h"
#include <algorithm>
#include <cstring>

using namespace tc;
using namespace tc::capi;
using runtime::Tensor;

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
    outputs[index] =
        tensor.storage() ? new tc_array{std::move(tensor)} : nullptr;
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

/// checkCall for inputs that are only descriptors.
static tc_error *checkRawCall(const tc_program *program, int64_t function,
                              llvm::ArrayRef<tc_tensor> inputs,
                              tc_array **outputs, int64_t outputCount) {
  if (tc_error *error = checkCall(program, function, inputs.data(),
                                  int64_t(inputs.size()), outputs, outputCount))
    return error;
  for (const tc_tensor &input : inputs)
    if (tc_error *error = checkDescriptor(&input))
      return error;
  return nullptr;
}

/// Whether a call reads all inputs, of the function's number, where they are.
static bool readsInPlace(const tc_program *program, int64_t function,
                         llvm::ArrayRef<tc_tensor> inputs) {
  return program->program->isCompiled() &&
         program->program->inputStrides(size_t(function)).areExpected(inputs);
}

tc_error *tc_program_call_raw(const tc_program *program, int64_t function,
                              const tc_tensor *inputs, int64_t input_count,
                              tc_array **outputs, int64_t output_count) {
  llvm::ArrayRef<tc_tensor> given(inputs, size_t(input_count));
  if (tc_error *error =
          checkRawCall(program, function, given, outputs, output_count))
    return error;
  if (readsInPlace(program, function, given))
    return giveOutputs(program->program->call(size_t(function), given),
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

/// Reads the memory that is given for outputs, and over which inputs, of the
/// number of `inputCount`, others are expected.
static tc_error *
readMemory(const tc_output_memory *memory, int64_t count, int64_t inputCount,
           int64_t outputCount,
           llvm::SmallVectorImpl<std::pair<int32_t, Tensor>> &tensors,
           llvm::SmallVectorImpl<std::pair<int32_t, int32_t>> &targets) {
  if (tc_error *error = checkList(memory, count, "memory"))
    return error;
  for (const tc_output_memory &one : llvm::ArrayRef(memory, size_t(count))) {
    if (one.output < 0 || one.output >= outputCount)
      return invalidArgument("memory is given for output " +
                             std::to_string(one.output) + ", expected one of " +
                             std::to_string(outputCount));
    if (!one.array) {
      if (one.input < 0 || one.input >= inputCount)
        return invalidArgument(
            "output " + std::to_string(one.output) +
            " is expected over input " + std::to_string(one.input) +
            ", expected one of " + std::to_string(inputCount));
      targets.emplace_back(int32_t(one.output), int32_t(one.input));
      continue;
    }
    if (!one.array->tensor.isContiguous())
      return invalidArgument("the memory of output " +
                             std::to_string(one.output) +
                             " is no row-major array");
    tensors.emplace_back(int32_t(one.output), one.array->tensor);
  }
  return nullptr;
}

/// Memory from the caller's allocator.
static runtime::StorageRef allocateOfCaller(void *context, size_t bytes) {
  const auto &allocator = *static_cast<const tc_allocator *>(context);
  void *owner = nullptr;
  const size_t least = std::max<size_t>(bytes, 1);
  void *data = allocator.allocate(allocator.context, least, &owner);
  return data
             ? runtime::wrapForeignMemory(data, least, allocator.release, owner)
             : runtime::StorageRef();
}

int32_t tc_program_reads_in_place(const tc_program *program, int64_t function,
                                  const tc_tensor *inputs,
                                  int64_t input_count) {
  const tc_function_info *info =
      program ? tc_program_function(program, function) : nullptr;
  return info && (inputs || input_count == 0) &&
         info->input_count == input_count &&
         readsInPlace(program, function,
                      llvm::ArrayRef(inputs, size_t(input_count)));
}

tc_error *tc_program_call_raw_on_stream(
    const tc_program *program, int64_t function, void *stream,
    const tc_allocator *allocator, const tc_output_memory *memory,
    int64_t memory_count, const tc_tensor *inputs, int64_t input_count,
    tc_array **outputs, int64_t output_count) {
  llvm::ArrayRef<tc_tensor> given(inputs, size_t(input_count));
  if (tc_error *error =
          checkRawCall(program, function, given, outputs, output_count))
    return error;
  llvm::SmallVector<std::pair<int32_t, Tensor>, 0> tensors;
  llvm::SmallVector<std::pair<int32_t, int32_t>, 0> targets;
  if (tc_error *error = readMemory(memory, memory_count, input_count,
                                   output_count, tensors, targets))
    return error;
  if (!readsInPlace(program, function, given))
    return tc_error_create(
        TC_ERROR_NOT_IN_PLACE,
        ("an input has other strides than " +
         program->program->manifest().functions[size_t(function)].signature() +
         " says; give a copy of it")
            .c_str(),
        nullptr);
  runtime::AllocateFunction allocate = allocator ? allocateOfCaller : nullptr;
  return giveOutputs(
      program->program->call(size_t(function), given, stream, allocate,
                             const_cast<tc_allocator *>(allocator), tensors,
                             targets),
      outputs);
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
