//===- InputStrides.cpp - The strides that a call's inputs have -----------===//

#include "TC/Compiler/InputStrides.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tc;
using runtime::Extents;
using runtime::Tensor;
using Strides = llvm::SmallVector<int64_t, TC_MAX_RANK>;

static Extents sizesOf(const tc_tensor &input) {
  return Extents(input.sizes, size_t(input.rank));
}

static Extents stridesOf(const tc_tensor &input) {
  return Extents(input.strides, size_t(input.rank));
}

/// What a step makes of the two values on top; nothing where 64 bits do not
/// hold it.
static std::optional<int64_t> apply(ManifestStep::Kind kind, int64_t a,
                                    int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case ManifestStep::Constant:
  case ManifestStep::Symbol:
    break; // push
  case ManifestStep::Add:
    return llvm::AddOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case ManifestStep::Multiply:
    return llvm::MulOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  case ManifestStep::FloorDivide:
    return b > 0 ? std::optional(llvm::divideFloorSigned(a, b)) : std::nullopt;
  case ManifestStep::Modulo:
    return b > 0 ? std::optional(llvm::mod(a, b)) : std::nullopt;
  case ManifestStep::Minimum:
    return std::min(a, b);
  case ManifestStep::Maximum:
    return std::max(a, b);
  }
  return std::nullopt;
}

std::optional<int64_t> InputStrides::evaluate(const ManifestStride &stride,
                                              const Values &values) const {
  if (stride.constant)
    return stride.constant;
  llvm::SmallVector<int64_t, 16> stack;
  for (const ManifestStep &step : stride.steps) {
    if (step.kind == ManifestStep::Constant) {
      stack.push_back(step.value);
    } else if (step.kind == ManifestStep::Symbol) {
      stack.push_back(values[size_t(step.value)]);
      if (stack.back() == kUnknown)
        return std::nullopt;
    } else {
      int64_t top = stack.pop_back_val();
      std::optional<int64_t> both = apply(step.kind, stack.back(), top);
      if (!both)
        return std::nullopt;
      stack.back() = *both;
    }
  }
  return stack.back();
}

bool InputStrides::haveRanks(llvm::ArrayRef<tc_tensor> inputs) const {
  return inputs.size() == function.inputs.size() &&
         llvm::all_of(llvm::zip_equal(inputs, function.inputs), [](auto pair) {
           auto &[given, expected] = pair;
           return given.rank == int32_t(expected.sizes.size());
         });
}

/// Binds a symbol to its least value for which the dimension does not overlap
/// those whose strides are known.
void InputStrides::bindToLeastStride(const ManifestBinding &binding,
                                     const tc_tensor &input,
                                     Values &values) const {
  int64_t extent = 1;
  for (auto [dim, stride] :
       llvm::enumerate(function.inputs[binding.input].strides)) {
    int64_t elements = 0;
    std::optional<int64_t> value = evaluate(stride, values);
    if (value && !llvm::MulOverflow(*value, input.sizes[dim], elements))
      extent = std::max(extent, elements);
  }
  values[binding.symbol] = std::max<int64_t>(
      std::max<int64_t>(0, function.symbols[binding.symbol].minimum),
      llvm::divideCeilSigned(extent - binding.offset, binding.factor));
}

/// Whether dimensions certainly do not overlap: each stride is beyond the last
/// element of the dimensions whose strides are not larger.
static bool areApart(const tc_tensor &input) {
  for (int32_t outer = 0; outer < input.rank; ++outer) {
    if (input.sizes[outer] <= 1)
      continue;
    int64_t last = 0;
    for (int32_t inner = 0; inner < input.rank; ++inner) {
      int64_t reach = 0;
      if (inner == outer || input.sizes[inner] <= 1 ||
          input.strides[inner] > input.strides[outer])
        continue;
      if (llvm::MulOverflow(input.strides[inner], input.sizes[inner] - 1,
                            reach) ||
          llvm::AddOverflow(last, reach, last))
        return false;
    }
    if (last >= input.strides[outer])
      return false;
  }
  return true;
}

InputStrides::Values
InputStrides::bindSymbols(llvm::ArrayRef<tc_tensor> inputs) const {
  Values values(function.symbols.size(), kUnknown);
  for (const ManifestBinding &binding : function.bindings) {
    const tc_tensor &input = inputs[binding.input];
    int64_t size = input.sizes[binding.dim];
    if (binding.isStride && size <= 1) {
      bindToLeastStride(binding, input, values);
      continue;
    }
    int64_t value = binding.isStride ? input.strides[binding.dim] : size;
    value = (value - binding.offset) / binding.factor;
    const ManifestSymbol &symbol = function.symbols[binding.symbol];
    bool isPossible =
        !binding.isStride || (value >= std::max<int64_t>(symbol.minimum, 0) &&
                              value <= symbol.maximum && areApart(input));
    values[binding.symbol] = isPossible ? value : kUnknown;
  }
  return values;
}

bool InputStrides::hasStrides(const tc_tensor &input, size_t index,
                              const Values &values) const {
  if (!isStrided(index))
    return runtime::isContiguous(sizesOf(input), stridesOf(input));
  bool matches = true;
  for (auto [dim, stride] : llvm::enumerate(function.inputs[index].strides)) {
    if (input.sizes[dim] == 0)
      return true;
    matches &=
        input.sizes[dim] == 1 || evaluate(stride, values) == input.strides[dim];
  }
  return matches;
}

bool InputStrides::areExpected(llvm::ArrayRef<tc_tensor> inputs) const {
  if (!haveRanks(inputs))
    return true; // the function says what is wrong
  Values values = bindSymbols(inputs);
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (!hasStrides(input, index, values))
      return false;
    // Strides of sizes up to 1 matter where a symbol has its value from them.
    for (const ManifestBinding &binding : function.bindings)
      if (binding.isStride && binding.input == index &&
          evaluate(function.inputs[index].strides[binding.dim], values) !=
              input.strides[binding.dim])
        return false;
  }
  return true;
}

std::optional<Strides>
InputStrides::getExpected(llvm::ArrayRef<tc_tensor> inputs,
                          size_t index) const {
  if (!haveRanks(inputs))
    return std::nullopt;
  const tc_tensor &input = inputs[index];
  Strides strides(size_t(input.rank));
  if (!isStrided(index)) {
    runtime::fillContiguousStrides(sizesOf(input), strides);
    return strides;
  }
  Values values = bindSymbols(inputs);
  if (!hasStrides(input, index, values))
    for (const ManifestBinding &binding : function.bindings)
      if (binding.isStride && binding.input == index)
        values[binding.symbol] = kUnknown;
  for (const ManifestBinding &binding : function.bindings)
    if (values[binding.symbol] == kUnknown)
      bindToLeastStride(binding, input, values);
  for (auto [stride, expected] :
       llvm::zip_equal(strides, function.inputs[index].strides)) {
    std::optional<int64_t> value = evaluate(expected, values);
    if (!value || *value < 0)
      return std::nullopt;
    stride = *value;
  }
  return strides;
}

/// `input` with exactly these strides, a copy unless its elements are there.
static runtime::Expected<Tensor> makeExact(const Tensor &input,
                                           const Strides &strides) {
  bool isThere = runtime::hasStrides(input.sizes(), input.strides(), strides);
  if (!isThere && input.deviceKind() != TC_DEVICE_CPU)
    return input; // the function says what it expects
  runtime::Expected<Tensor> result = runtime::withStrides(input, strides);
  if (!result.ok())
    return result;
  Tensor exact =
      Tensor::viewUnchecked(result->storage(), result->data(), result->dtype(),
                            result->sizes(), strides);
  exact.setDevice(result->deviceKind(), result->deviceIndex());
  return exact;
}

runtime::Status InputStrides::makeExpected(std::vector<Tensor> &inputs) const {
  llvm::SmallVector<tc_tensor, 8> given;
  for (const Tensor &input : inputs)
    given.push_back(input.descriptor());
  if (areExpected(given))
    return runtime::Status::success();
  std::vector<Tensor> made;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    std::optional<Strides> strides = getExpected(given, index);
    runtime::Expected<Tensor> one =
        strides ? makeExact(input, *strides) : runtime::Expected<Tensor>(input);
    if (!one.ok())
      return one.takeStatus();
    made.push_back(*std::move(one));
  }
  inputs = std::move(made);
  return runtime::Status::success();
}
