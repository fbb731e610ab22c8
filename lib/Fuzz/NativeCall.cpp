//===- NativeCall.cpp - Calls of compiled functions -----------------------===//

#include "NativeCall.h"
#include "GuardedMemory.h"
#include "TC/Compiler/InputStrides.h"
#include "TC/Compiler/Parameters.h"
#include "TC/Runtime/Call.h"
#include <cstring>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

/// Strides in elements: row-major, or of the dimensions in another order, with
/// gaps.
static SmallVector<int64_t> drawStrides(ArrayRef<int64_t> sizes, Random &random,
                                        bool mayDiffer) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  mayDiffer = mayDiffer && random.chance(60);
  if (mayDiffer)
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(i)]);
  SmallVector<int64_t> strides(sizes.size(), 0);
  int64_t stride = mayDiffer && random.chance(40) ? random.between(1, 3) : 1;
  for (int64_t dim : llvm::reverse(order)) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(sizes[dim], 1);
    if (mayDiffer && random.chance(30))
      stride += random.between(1, 5);
  }
  return strides;
}

/// Whether all elements are equal, so that all strides may be 0.
static bool isUniform(ArrayRef<char> bytes, int64_t elementBytes) {
  for (size_t i = elementBytes; i < bytes.size(); ++i)
    if (bytes[i] != bytes[i - elementBytes])
      return false;
  return true;
}

/// The tensor in guarded memory that ends with its last element.
static runtime::Expected<runtime::Tensor>
place(const Tensor &tensor, ArrayRef<int64_t> strides, Random &random) {
  std::string element;
  llvm::raw_string_ostream(element) << tensor.getElementType();
  auto dtype = *runtime::dtypeFromName(element);
  std::vector<char> bytes = tensor.toBytes();
  ArrayRef<int64_t> sizes = tensor.getSizes();
  int64_t elementBytes = int64_t(runtime::dtypeSize(dtype));
  int64_t extent = tensor.getElementCount() > 0;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    if (extent > 0)
      extent += (size - 1) * stride;
  runtime::StorageRef storage =
      allocateGuarded(size_t(extent * elementBytes), size_t(elementBytes),
                      random.chance(70) ? GuardedEnd::End : GuardedEnd::Begin);
  if (!storage)
    return runtime::Status(runtime::ErrorCode::OutOfMemory,
                           "no memory for an input");
  auto made = runtime::Tensor::viewUnchecked(
      storage, storage->data, dtype,
      runtime::Extents(sizes.data(), sizes.size()),
      runtime::Extents(strides.data(), strides.size()));
  for (int64_t i = 0; i < tensor.getElementCount(); ++i)
    std::memcpy(made.elementAddress(i), bytes.data() + i * elementBytes,
                size_t(elementBytes));
  return made;
}

static runtime::Expected<runtime::Tensor>
placeInput(const Tensor &tensor, Random &random, bool mayHaveStrides) {
  SmallVector<int64_t> strides =
      drawStrides(tensor.getSizes(), random, mayHaveStrides);
  std::vector<char> bytes = tensor.toBytes();
  if (mayHaveStrides &&
      isUniform(bytes, getElementBytes(tensor.getElementType())) &&
      random.chance(50))
    std::fill(strides.begin(), strides.end(), 0);
  return place(tensor, strides, random);
}

/// The inputs in guarded memory: with the strides that the function expects, as
/// it reads them where they are, or with others, which are copied.
static runtime::Expected<std::vector<runtime::Tensor>>
placeInputs(const ManifestFunction &function, const SampledInputs &inputs,
            Random &random, bool mayHaveStrides) {
  std::vector<runtime::Tensor> placed;
  SmallVector<tc_tensor> descriptors;
  placed.reserve(inputs.arguments.size()); // which descriptors point to
  for (const Tensor &argument : inputs.arguments) {
    auto input = placeInput(argument, random, mayHaveStrides);
    if (!input.ok())
      return input.takeStatus();
    descriptors.push_back(placed.emplace_back(*input).descriptor());
  }
  InputStrides strides(function);
  std::vector<runtime::Tensor> expected;
  for (auto [index, argument] : llvm::enumerate(inputs.arguments)) {
    auto wanted = strides.getExpected(descriptors, index);
    runtime::Expected<runtime::Tensor> input =
        wanted ? place(argument, *wanted, random) : placed[index];
    if (!input.ok())
      return input.takeStatus();
    expected.push_back(*input);
  }
  if (random.chance(70))
    return expected;
  if (runtime::Status status = strides.makeExpected(placed); !status.ok())
    return status;
  return placed;
}

namespace {
/// Where outputs and arenas of a call come from.
struct GuardedAllocator {
  Random random;

  static runtime::StorageRef allocate(void *context, size_t bytes) {
    auto *self = static_cast<GuardedAllocator *>(context);
    return allocateGuarded(bytes, 64,
                           self->random.chance(70) ? GuardedEnd::End
                                                   : GuardedEnd::Begin);
  }
};
} // namespace

static std::vector<runtime::Tensor> getParameterTensors(
    const CompiledModule &compiled,
    const std::vector<std::pair<std::string, runtime::Tensor>> &placed) {
  std::vector<runtime::Tensor> tensors;
  for (const ManifestParameter &parameter : compiled.manifest().parameters)
    for (const auto &[name, tensor] : placed)
      if (name == parameter.name)
        tensors.push_back(tensor);
  return tensors;
}

runtime::Expected<std::vector<runtime::Tensor>>
tc::fuzz::callGuarded(const CompiledModule &compiled, const std::string &name,
                      const SampledInputs &inputs, uint64_t seed,
                      const CheckOptions &options) {
  Random random(seed);
  const ManifestFunction *function = compiled.manifest().find(name);
  auto arguments = placeInputs(*function, inputs, random, options.strides);
  if (!arguments.ok())
    return arguments.takeStatus();
  std::vector<std::pair<std::string, runtime::Tensor>> weights;
  for (const auto &[parameter, tensor] : inputs.parameters) {
    auto placed = placeInput(tensor, random, options.strides);
    if (!placed.ok())
      return placed.takeStatus();
    weights.emplace_back(parameter, *placed);
  }
  auto bound = bindParameters(compiled, getParameterTensors(compiled, weights));
  auto values = bound->current();
  if (!values.ok())
    return values.takeStatus();

  GuardedAllocator allocator{Random(random.next())};
  runtime::CallFrame frame;
  frame.setAllocator(GuardedAllocator::allocate, &allocator);
  for (const runtime::Tensor &argument : *arguments)
    frame.addInput(argument);
  frame.setOutputCount(int32_t(function->outputs.size()));
  frame.setParameters((*values)->addresses);
  if (runtime::Status status = frame.invoke(compiled.function(name));
      !status.ok())
    return status;
  std::vector<runtime::Tensor> results;
  for (int32_t i = 0; i < frame.outputCount(); ++i) {
    auto output = frame.takeOutput(i);
    if (!output.ok())
      return output.takeStatus();
    results.push_back(*output);
  }
  for (auto [argument, given] : llvm::zip_equal(*arguments, inputs.arguments)) {
    auto packed = argument.contiguous();
    if (!packed.ok())
      return packed.takeStatus();
    if (std::vector<char> bytes = given.toBytes();
        ArrayRef(packed->dataAs<char>(), bytes.size()) != ArrayRef(bytes))
      return runtime::Status(runtime::ErrorCode::Internal,
                             "the call wrote to an input");
  }
  return results;
}

Tensor tc::fuzz::toReference(const runtime::Tensor &tensor, Type element,
                             MLIRContext *context) {
  auto packed = tensor.contiguous();
  ArrayRef<char> bytes(packed->dataAs<char>(), packed->byteCount());
  auto sizes = tensor.sizes();
  return *Tensor::fromBytes(UnknownLoc::get(context), element,
                            ArrayRef(sizes.data(), sizes.size()), bytes);
}
