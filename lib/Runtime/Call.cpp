//===- Call.cpp - Calling compiled functions ------------------------------===//

#include "TC/Runtime/Call.h"
#include "CUDAFailures.h"
#include "CUDAMemory.h"
#include "CUDAStatus.h"
#include "RepeatedCall.h"
#include "TC/Runtime/CUDAGraphs.h"
#include "TC/Runtime/DType.h"
#include <algorithm>

using namespace tc::runtime;

CallFrame::CallFrame(ThreadPool &threads, MemoryPool &memory)
    : threads(threads), memory(memory) {
  call.size = sizeof(tc_call);
  call.version = TC_ABI_VERSION;
  call.api = &runtimeAPI();
  call.runtime_state = this;
}

void CallFrame::clear() {
  inputs.clear();
  inputStorages.clear();
  setOutputCount(0);
  parameters = {};
  stream = nullptr;
  setDevice(TC_DEVICE_CPU, 0);
  setAllocator(nullptr, nullptr);
  setGraphs(nullptr);
  setLaunchBlocking(false);
  error = Status::success();
}

StorageRef CallFrame::allocate(size_t bytes) {
  return callerAllocator ? callerAllocator(allocatorContext, bytes)
                         : allocateOfPool(bytes);
}

StorageRef CallFrame::allocateOfPool(size_t bytes) {
  if (deviceKind == TC_DEVICE_CPU)
    return memory.allocate(bytes);
  Expected<StorageRef> storage =
      CUDAMemory::of(*cudaDevice).allocate(bytes, stream);
  if (storage.ok())
    return *std::move(storage);
  // The caller says what there is no memory for.
  std::lock_guard lock(errorMutex);
  if (error.ok() && storage.error().code() != ErrorCode::OutOfMemory)
    error = storage.takeStatus();
  return StorageRef();
}

void CallFrame::addInput(const Tensor &tensor) {
  inputs.push_back(tensor.descriptor());
  inputStorages.push_back(tensor.storage().get());
}

void CallFrame::addInput(const tc_tensor &descriptor) {
  inputs.push_back(descriptor);
  inputStorages.push_back(nullptr);
}

void CallFrame::setOutputCount(int32_t count) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    slots[i].storage.reset();
    slots[i].target = -1;
  }
  outputs.assign(size_t(count), tc_tensor{});
  // Slots are kept: making one clears 256 bytes.
  if (slots.size() < size_t(count))
    slots.resize(size_t(count));
}

void CallFrame::setOutputStorage(int32_t index, const Tensor &tensor) {
  outputs[size_t(index)].data = tensor.data();
  slots[size_t(index)].storage = tensor.storage();
  slots[size_t(index)].bytes = tensor.byteCount();
}

void CallFrame::setOutputTarget(int32_t index, int32_t input) {
  slots[size_t(index)].target = input;
}

/// Where memory is allocated, for messages.
std::string CallFrame::place() const {
  if (deviceKind == TC_DEVICE_CPU)
    return "";
  return " on CUDA device " + std::to_string(deviceIndex);
}

/// Fails where an input is on another device than the call.
Status CallFrame::checkInputDevices() const {
  for (const tc_tensor &input : inputs)
    if (input.device_kind == TC_DEVICE_CUDA &&
        input.device_index != deviceIndex) [[unlikely]]
      return Status(ErrorCode::InvalidArgument,
                    "input " + std::to_string(&input - inputs.data()) +
                        " is on CUDA device " +
                        std::to_string(input.device_index) +
                        ", expected device " + std::to_string(deviceIndex) +
                        ", where the call runs");
  return Status::success();
}

/// Has an input on the device be an aligned copy until the call ends.
Status CallFrame::alignInput(size_t index) {
  tc_tensor &input = inputs[index];
  const std::optional<DType> dtype = dtypeFromABI(input.dtype);
  if (input.device_kind != TC_DEVICE_CUDA || isAlignedForVectors(input.data) ||
      !dtype)
    return Status::success();
  size_t elements = 1; // from the first to the last
  for (int32_t dim = 0; dim < input.rank; ++dim) {
    if (input.sizes[dim] == 0)
      return Status::success();
    elements += size_t((input.sizes[dim] - 1) * input.strides[dim]);
  }
  const size_t bytes = elements * dtypeSize(*dtype);
  StorageRef copy = allocateOfPool(bytes);
  if (!copy)
    return Status(ErrorCode::OutOfMemory,
                  "no memory for an aligned copy of input " +
                      std::to_string(index) + ", " + std::to_string(bytes) +
                      " bytes" + place());
  if (CUresult failure = cudaDevice->driver->cuMemcpyDtoDAsync(
          addressOf(copy->data), addressOf(input.data), bytes, stream))
    return cudaDevice->failure("input " + std::to_string(index) +
                                   " cannot be copied on the device",
                               failure);
  void *const own = std::exchange(input.data, copy->data);
  misalignedInputs.push_back({index, own, std::move(copy)});
  return Status::success();
}

/// Ends the use of aligned copies. An output that is such an input keeps the
/// copy.
void CallFrame::restoreInputs() {
  for (MisalignedInput &misaligned : misalignedInputs) {
    tc_tensor &input = inputs[misaligned.index];
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].sizes == input.sizes && outputs[i].data == input.data)
        slots[i].storage = misaligned.copy;
    input.data = misaligned.data;
  }
  misalignedInputs.clear();
}

/// Starts the kernels of the call that wait for it.
Status CallFrame::flush() {
  return repeated ? repeated->flush() : Status::success();
}

/// Runs the function, its kernels as CUDA graphs where the frame has some.
int32_t CallFrame::runAndLaunch(tc_function function) {
  if (!graphs)
    return function(&call);
  repeated = graphs->enter(*cudaDevice, stream, inputs);
  int32_t status = function(&call);
  if (status == TC_STATUS_OK)
    if (Status flushed = flush(); !flushed.ok()) [[unlikely]] {
      status = int32_t(flushed.code());
      error = std::move(flushed);
    }
  if (repeated)
    graphs->leave(repeated, status == TC_STATUS_OK);
  repeated = nullptr;
  return status;
}

/// Waits for the kernels of the call and keeps what they report as its error.
int32_t CallFrame::waitForFailures() {
  error = cudaDevice->synchronize(stream);
  if (error.ok())
    error = CUDAFailures::of(*cudaDevice).takeOf(*failures);
  return int32_t(error.code());
}

/// Gives the call's status cell back.
void CallFrame::endKernelStatus() {
  // After a failure on the way kernels may still write to it.
  if (kernelStatusRead || cudaDevice->synchronize(stream).ok())
    CUDAStatusCells::of(*cudaDevice).putBack(kernelStatus);
  kernelStatus = nullptr;
}

/// Runs the function with the device's context as the thread's.
int32_t CallFrame::runOnCUDA(tc_function function) {
  CUDADevice &device = CUDADevice::get(deviceIndex);
  error = device.status();
  if (error.ok())
    error = checkInputDevices();
  if (error.ok())
    error = CUDAFailures::of(device).take("an earlier call failed: ");
  if (!error.ok()) [[unlikely]]
    return int32_t(error.code());
  const CUDAContext context(device);
  cudaDevice = &device;
  failures = nullptr;
  int32_t status = runAndLaunch(function);
  for (Storage *storage : inputStorages)
    if (CUDABlock *block = storage ? CUDAMemory::blockOf(*storage) : nullptr)
      CUDAMemory::of(device).recordUse(*block, stream);
  if (failures && status == TC_STATUS_OK &&
      (launchBlocking || device.launchesBlock))
    status = waitForFailures();
  if (kernelStatus)
    endKernelStatus();
  restoreInputs();
  cudaDevice = nullptr;
  return status;
}

Status CallFrame::invoke(tc_function function) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].sizes = slots[i].sizes.data();
    outputs[i].strides = slots[i].strides.data();
  }
  call.input_count = int32_t(inputs.size());
  call.output_count = int32_t(outputs.size());
  call.parameter_count = int32_t(parameters.size());
  call.inputs = inputs.data();
  call.outputs = outputs.data();
  call.parameters = parameters.data();
  call.arena = nullptr;
  call.arena_bytes = 0;
  call.stream = stream;
  const int32_t status =
      deviceKind == TC_DEVICE_CUDA ? runOnCUDA(function) : function(&call);
  arenas.clear();
  if (!error.ok()) [[unlikely]]
    return std::exchange(error, Status::success());
  if (status != TC_STATUS_OK) [[unlikely]]
    return Status(ErrorCode(status),
                  "the compiled function failed with status " +
                      std::to_string(status) + " and no message");
  return Status::success();
}

static bool isInside(const void *data, const Storage *storage) {
  return storage && data >= storage->data &&
         data <= static_cast<const char *>(storage->data) + storage->bytes;
}

/// Whether an output is an input itself, with a copy of its descriptor.
static bool isSame(const tc_tensor &output, const tc_tensor &input) {
  return input.sizes == output.sizes && input.data == output.data;
}

/// The number of the input that an output is itself; that of the inputs where
/// it is none. There may be hundreds of both, and a frame mostly serves calls
/// of one function, so that the input of the last call is looked at first.
size_t CallFrame::findInput(size_t index) {
  const tc_tensor &output = outputs[index];
  const auto isOutput = [&](const tc_tensor &input) {
    return isSame(output, input);
  };
  size_t &number = slots[index].input;
  if (number < inputs.size() && isOutput(inputs[number]))
    return number;
  const size_t found =
      size_t(std::ranges::find_if(inputs, isOutput) - inputs.begin());
  if (found < inputs.size())
    number = found;
  return found;
}

Expected<Tensor> CallFrame::takeOutput(int32_t index) {
  const tc_tensor &output = outputs[size_t(index)];
  OutputSlot &slot = slots[size_t(index)];
  const std::optional<DType> dtype = dtypeFromABI(output.dtype);
  const bool isAllocated =
      output.data && isInside(output.data, slot.storage.get());
  if (slot.target >= 0 && !isAllocated &&
      isSame(output, inputs[size_t(slot.target)]))
    return Tensor();
  const size_t number = isAllocated ? inputs.size() : findInput(size_t(index));
  const bool isInput = number < inputs.size();
  if ((!output.data && !isInput) || !dtype || output.rank < 0 ||
      output.rank > TC_MAX_RANK)
    return Status(ErrorCode::Internal,
                  "the compiled function did not set output " +
                      std::to_string(index));
  const Extents sizes(output.sizes, size_t(output.rank));
  const Extents strides(output.strides, size_t(output.rank));
  StorageRef storage;
  if (isAllocated)
    storage = std::move(slot.storage);
  else if (isInput && inputStorages[number])
    storage = StorageRef(inputStorages[number]);
  for (size_t i = 0; !storage && !isInput && i < inputStorages.size(); ++i)
    if (isInside(output.data, inputStorages[i]))
      storage = StorageRef(inputStorages[i]);
  // The caller keeps the memory of an input that the output itself is.
  const bool owned = storage || isInput;
  if (!storage)
    storage = wrapForeignMemory(output.data, 0, nullptr, nullptr);
  Tensor result = Tensor::viewUnchecked(std::move(storage), output.data, *dtype,
                                        sizes, strides);
  result.setDevice(tc_device_kind(output.device_kind), output.device_index);
  // Memory without a count of holders, such as a parameter's, may go away:
  // copy.
  if (!owned)
    return result.clone();
  return result;
}

/// Frames that this thread's finished Calls left behind.
static std::vector<std::unique_ptr<CallFrame>> &spareFrames() {
  static thread_local std::vector<std::unique_ptr<CallFrame>> frames;
  return frames;
}

Call::Call(tc_function function) : function(function) {
  auto &spare = spareFrames();
  if (spare.empty()) {
    frame = std::make_unique<CallFrame>();
    return;
  }
  frame = std::move(spare.back());
  spare.pop_back();
}

Call::~Call() {
  if (!frame)
    return;
  frame->clear();
  spareFrames().push_back(std::move(frame));
}

Call &Call::input(const Tensor &tensor) {
  frame->addInput(tensor);
  return *this;
}

Call &Call::input(const tc_tensor &descriptor) {
  frame->addInput(descriptor);
  return *this;
}

Call &Call::inputs(std::span<const Tensor> tensors) {
  for (const Tensor &tensor : tensors)
    frame->addInput(tensor);
  return *this;
}

Call &Call::parameters(std::span<void *const> storage) {
  frame->setParameters(storage);
  return *this;
}

Call &Call::outputs(int32_t count) {
  frame->setOutputCount(count);
  return *this;
}

Call &Call::outputStorage(int32_t index, const Tensor &tensor) {
  frame->setOutputStorage(index, tensor);
  return *this;
}

Call &Call::outputTarget(int32_t index, int32_t input) {
  frame->setOutputTarget(index, input);
  return *this;
}

Call &Call::stream(void *cudaStream) {
  frame->setStream(cudaStream);
  return *this;
}

Call &Call::device(tc_device_kind kind, int32_t index) {
  frame->setDevice(kind, index);
  return *this;
}

Call &Call::graphs(CUDAGraphs *cudaGraphs) {
  frame->setGraphs(cudaGraphs);
  return *this;
}

Call &Call::allocator(AllocateFunction allocate, void *context) {
  frame->setAllocator(allocate, context);
  return *this;
}

Call &Call::launchBlocking(bool waits) {
  frame->setLaunchBlocking(waits);
  return *this;
}

Expected<std::vector<Tensor>> Call::run() {
  if (Status status = frame->invoke(function); !status.ok())
    return status;
  std::vector<Tensor> results;
  results.reserve(size_t(frame->outputCount()));
  for (int32_t i = 0; i < frame->outputCount(); ++i) {
    Expected<Tensor> output = frame->takeOutput(i);
    if (!output.ok())
      return output.takeStatus();
    results.push_back(*std::move(output));
  }
  return results;
}
