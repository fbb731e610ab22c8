//===- Call.cpp - Calling compiled functions ------------------------------===//

#include "TC/Runtime/Call.h"
#include "CUDALaunch.h"
#include "CUDAMemory.h"
#include "CUDAStatus.h"
#include "MismatchText.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/Profiler.h"
#include "TC/Runtime/Routines.h"

#include <cstring>

using namespace tc::runtime;

namespace tc::runtime {

/// The functions of the table in tc_call for emitted code. Each entry finds its
/// frame in tc_call::runtime_state.
struct RuntimeEntryPoints {
  static CallFrame &frameOf(tc_call *call) {
    return *static_cast<CallFrame *>(call->runtime_state);
  }

  static void parallelFor(tc_call *call, tc_range_body body, void *context,
                          int64_t count, int64_t grain) {
    frameOf(call).threads.parallelFor(body, context, count, grain);
  }

  static int32_t reportError(tc_call *call, int32_t status, const char *message,
                             const char *location) {
    CallFrame &frame = frameOf(call);
    std::lock_guard lock(frame.errorMutex);
    if (frame.error.ok())
      frame.error = Status(ErrorCode(status), message ? message : "",
                           location ? location : "");
    return status;
  }

  static int32_t fail(tc_call *call, ErrorCode code, const std::string &text) {
    return reportError(call, int32_t(code), text.c_str(), nullptr);
  }

  static int32_t allocateOutput(tc_call *call, int32_t index, int32_t dtype,
                                int32_t rank, const int64_t *sizes) {
    CallFrame &frame = frameOf(call);
    const std::optional<DType> type = dtypeFromABI(dtype);
    if (index < 0 || index >= frame.outputCount() || !type || rank < 0 ||
        rank > TC_MAX_RANK)
      return fail(call, ErrorCode::InvalidArgument,
                  "output " + std::to_string(index) + " of " +
                      std::to_string(frame.outputCount()) + " has dtype " +
                      std::to_string(dtype) + " and rank " +
                      std::to_string(rank) + ", which are not valid");
    const Extents extents(sizes, size_t(rank));
    const std::optional<int64_t> count = countElements(extents);
    int64_t bytes = 0;
    if (!count ||
        __builtin_mul_overflow(*count, int64_t(dtypeSize(*type)), &bytes))
      return fail(call, ErrorCode::InvalidArgument,
                  "the sizes of output " + std::to_string(index) + ", " +
                      typeString(*type, extents) +
                      ", are negative or too large");
    tc_tensor &output = frame.outputs[size_t(index)];
    CallFrame::OutputSlot &slot = frame.slots[size_t(index)];
    if (!slot.storage || availableBytes(output, slot) < uint64_t(bytes)) {
      slot.storage = frame.allocate(size_t(bytes));
      if (!slot.storage)
        return fail(call, ErrorCode::OutOfMemory,
                    "no memory for output " + std::to_string(index) + ", " +
                        typeString(*type, extents) + ", " +
                        std::to_string(bytes) + " bytes" + frame.place());
      output.data = slot.storage->data;
    }
    output.dtype = dtype;
    output.rank = rank;
    output.device_kind = frame.deviceKind;
    output.device_index = frame.deviceIndex;
    std::copy(extents.begin(), extents.end(), slot.sizes.begin());
    fillContiguousStrides(extents, slot.strides);
    return TC_STATUS_OK;
  }

  /// Bytes from the output's first element to the end of its storage.
  static uint64_t availableBytes(const tc_tensor &output,
                                 const CallFrame::OutputSlot &slot) {
    return slot.storage->bytes -
           uint64_t(static_cast<char *>(output.data) -
                    static_cast<char *>(slot.storage->data));
  }

  static void *allocateArena(tc_call *call, uint64_t bytes) {
    CallFrame &frame = frameOf(call);
    StorageRef storage = frame.allocate(bytes);
    if (!storage) {
      fail(call, ErrorCode::OutOfMemory,
           "no memory for the intermediates of the call, " +
               std::to_string(bytes) + " bytes" + frame.place());
      return nullptr;
    }
    call->arena = storage->data;
    call->arena_bytes = bytes;
    frame.arenas.push_back(std::move(storage));
    return call->arena;
  }

  static uint64_t profileBegin(tc_call *call, const char *kernel) {
    return Profiler::global().begin();
  }

  static int32_t reportMismatch(tc_call *call, int32_t status,
                                const char *format, int64_t first,
                                int64_t second, const char *location) {
    const std::string text =
        fillPlaceholders(*call, format ? format : "", first, second);
    return reportError(call, status, text.c_str(), location);
  }

  static int32_t reportStatus(tc_call *call, const Status &status) {
    return status.ok() ? int32_t(TC_STATUS_OK)
                       : fail(call, status.code(), status.message());
  }

  /// The failure of code for a GPU in a call that is not on one.
  static int32_t refuseHost(tc_call *call) {
    return fail(call, ErrorCode::InvalidArgument,
                "the function runs on a CUDA device, the call is on the host");
  }

  static int32_t launchKernel(tc_call *call, const tc_kernel *kernel,
                              int64_t blocks, void *arguments) {
    CallFrame &frame = frameOf(call);
    if (!frame.cudaDevice) [[unlikely]]
      return refuseHost(call);
    frame.kernelStatusRead = false;
    Status status = launchCUDAKernel(*frame.cudaDevice, call->stream, *kernel,
                                     blocks, arguments);
    return status.ok() ? int32_t(TC_STATUS_OK) : reportStatus(call, status);
  }

  static void *kernelStatus(tc_call *call) {
    CallFrame &frame = frameOf(call);
    if (frame.kernelStatus)
      return frame.kernelStatus;
    if (!frame.cudaDevice) {
      refuseHost(call);
      return nullptr;
    }
    auto cell = CUDAStatusCells::of(*frame.cudaDevice).take();
    if (!cell.ok()) {
      reportStatus(call, cell.error());
      return nullptr;
    }
    return frame.kernelStatus = *cell;
  }

  static int64_t readKernelStatus(tc_call *call) {
    CallFrame &frame = frameOf(call);
    if (Status status = frame.cudaDevice->synchronize(call->stream);
        !status.ok()) {
      reportStatus(call, status);
      return -1;
    }
    frame.kernelStatusRead = true;
    for (int64_t word = 0; word < CUDAStatusCells::words; ++word)
      if (const int64_t value = frame.kernelStatus[word])
        return word * 256 + value;
    return 0;
  }

  static void *deviceConstant(tc_call *call, const void *data, uint64_t bytes,
                              void **handles) {
    auto address =
        cuda::constant(frameOf(call).deviceIndex, data, bytes, handles);
    if (address.ok())
      return *address;
    reportStatus(call, address.error());
    return nullptr;
  }

  static void *allocateHost(tc_call *call, uint64_t bytes) {
    CallFrame &frame = frameOf(call);
    StorageRef storage = frame.memory.allocate(bytes ? bytes : 1);
    if (!storage) {
      fail(call, ErrorCode::OutOfMemory,
           "no memory of the host for " + std::to_string(bytes) + " bytes");
      return nullptr;
    }
    void *data = storage->data;
    frame.arenas.push_back(std::move(storage));
    return data;
  }

  static int32_t copyToHost(tc_call *call, void *to, const void *from,
                            uint64_t bytes) {
    return reportStatus(call,
                        cuda::copyBytesToHost(frameOf(call).deviceIndex,
                                              call->stream, to, from, bytes));
  }

  static int32_t copyToDevice(tc_call *call, void *to, const void *from,
                              uint64_t bytes) {
    return reportStatus(call,
                        cuda::copyBytesToDevice(frameOf(call).deviceIndex,
                                                call->stream, to, from, bytes));
  }

  static void profileEnd(tc_call *call, const char *kernel, uint64_t begin) {
    if (begin != 0)
      Profiler::global().end(kernel ? kernel : "", begin);
  }
};

} // namespace tc::runtime

const tc_runtime_api &tc::runtime::runtimeAPI() {
  static constexpr tc_runtime_api api = {
      sizeof(tc_runtime_api),
      RuntimeEntryPoints::parallelFor,
      RuntimeEntryPoints::allocateOutput,
      RuntimeEntryPoints::allocateArena,
      RuntimeEntryPoints::reportError,
      RuntimeEntryPoints::profileBegin,
      RuntimeEntryPoints::profileEnd,
      RuntimeEntryPoints::reportMismatch,
      RuntimeEntryPoints::launchKernel,
      RuntimeEntryPoints::kernelStatus,
      RuntimeEntryPoints::readKernelStatus,
      RuntimeEntryPoints::deviceConstant,
      runRoutine,
      RuntimeEntryPoints::allocateHost,
      RuntimeEntryPoints::copyToHost,
      RuntimeEntryPoints::copyToDevice,
  };
  return api;
}

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
  error = Status::success();
}

StorageRef CallFrame::allocate(size_t bytes) {
  if (callerAllocator)
    return callerAllocator(allocatorContext, bytes);
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
  for (size_t i = 0; i < outputs.size(); ++i)
    slots[i].storage.reset();
  outputs.assign(size_t(count), tc_tensor{});
  // Slots are kept: making one clears 256 bytes.
  if (slots.size() < size_t(count))
    slots.resize(size_t(count));
}

void CallFrame::setOutputStorage(int32_t index, const Tensor &tensor) {
  outputs[size_t(index)].data = tensor.data();
  slots[size_t(index)].storage = tensor.storage();
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

/// Runs the function with the device's context as the thread's.
int32_t CallFrame::runOnCUDA(tc_function function) {
  CUDADevice &device = CUDADevice::get(deviceIndex);
  error = device.status();
  if (error.ok())
    error = checkInputDevices();
  if (!error.ok())
    return int32_t(error.code());
  const CUDAContext context(device);
  cudaDevice = &device;
  const int32_t status = function(&call);
  for (Storage *storage : inputStorages)
    if (CUDABlock *block = storage ? CUDAMemory::blockOf(*storage) : nullptr)
      CUDAMemory::of(device).recordUse(*block, stream);
  if (kernelStatus) {
    // After a failure on the way kernels may still write to it.
    if (kernelStatusRead || device.synchronize(stream).ok())
      CUDAStatusCells::of(device).putBack(kernelStatus);
    kernelStatus = nullptr;
  }
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

Expected<Tensor> CallFrame::takeOutput(int32_t index) {
  const tc_tensor &output = outputs[size_t(index)];
  OutputSlot &slot = slots[size_t(index)];
  const std::optional<DType> dtype = dtypeFromABI(output.dtype);
  if (!output.data || !dtype || output.rank < 0 || output.rank > TC_MAX_RANK)
    return Status(ErrorCode::Internal,
                  "the compiled function did not set output " +
                      std::to_string(index));
  const Extents sizes(output.sizes, size_t(output.rank));
  const Extents strides(output.strides, size_t(output.rank));
  StorageRef storage;
  if (isInside(output.data, slot.storage.get()))
    storage = std::move(slot.storage);
  for (size_t i = 0; !storage && i < inputStorages.size(); ++i)
    if (isInside(output.data, inputStorages[i]))
      storage = StorageRef(inputStorages[i]);
  const bool owned = bool(storage);
  if (!owned)
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

Call &Call::stream(void *cudaStream) {
  frame->setStream(cudaStream);
  return *this;
}

Call &Call::device(tc_device_kind kind, int32_t index) {
  frame->setDevice(kind, index);
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
