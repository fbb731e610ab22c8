//===- RuntimeAPI.cpp - The runtime's functions for emitted code ----------===//

#include "CUDAFailures.h"
#include "CUDALaunch.h"
#include "CUDAMemory.h"
#include "CUDAStatus.h"
#include "Convolutions.h"
#include "MatrixProducts.h"
#include "MismatchText.h"
#include "RepeatedCall.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/Call.h"
#include "TC/Runtime/Profiler.h"
#include "TC/Runtime/Routines.h"

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
    const bool isUsable =
        slot.storage && slot.bytes >= size_t(bytes) &&
        (!frame.cudaDevice || isAlignedForVectors(output.data));
    if (!isUsable) {
      slot.storage = frame.allocate(size_t(bytes));
      if (!slot.storage)
        return fail(call, ErrorCode::OutOfMemory,
                    "no memory for output " + std::to_string(index) + ", " +
                        typeString(*type, extents) + ", " +
                        std::to_string(bytes) + " bytes" + frame.place());
      output.data = slot.storage->data;
      slot.bytes = size_t(bytes);
    }
    output.dtype = dtype;
    output.rank = rank;
    output.device_kind = frame.deviceKind;
    output.device_index = frame.deviceIndex;
    std::copy(extents.begin(), extents.end(), slot.sizes.begin());
    fillContiguousStrides(extents, slot.strides);
    return TC_STATUS_OK;
  }

  static void *allocateArena(tc_call *call, uint64_t bytes) {
    CallFrame &frame = frameOf(call);
    RepeatedCall *repeated = frame.repeated;
    call->arena_bytes = bytes;
    if (Storage *kept = repeated ? repeated->takeArena(bytes) : nullptr)
      return call->arena = kept->data;
    // The caller's memory is the call's alone.
    StorageRef storage =
        repeated ? frame.allocateOfPool(bytes) : frame.allocate(bytes);
    if (!storage) {
      fail(call, ErrorCode::OutOfMemory,
           "no memory for the intermediates of the call, " +
               std::to_string(bytes) + " bytes" + frame.place());
      return nullptr;
    }
    if (repeated)
      repeated->keepArena(storage);
    call->arena = storage->data;
    frame.arenas.push_back(std::move(storage));
    return call->arena;
  }

  static void *allocateCounters(tc_call *call) {
    CallFrame &frame = frameOf(call);
    if (!frame.cudaDevice) {
      refuseHost(call);
      return nullptr;
    }
    StorageRef kept =
        frame.repeated ? frame.repeated->getCounters() : StorageRef();
    if (!kept) {
      auto made = CUDAMemory::of(*frame.cudaDevice)
                      .allocate(TC_COUNTERS * sizeof(uint32_t), frame.stream,
                                BlockContent::Zeros);
      if (!made.ok()) {
        reportStatus(call, made.error());
        return nullptr;
      }
      kept = *made;
      if (frame.repeated)
        frame.repeated->keepCounters(kept);
    }
    void *address = kept->data;
    frame.arenas.push_back(std::move(kept));
    return address;
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
    Status status = frame.repeated
                        ? frame.repeated->launch(*kernel, blocks, arguments)
                        : launchCUDAKernel(*frame.cudaDevice, call->stream,
                                           *kernel, blocks, arguments);
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
    Status status = frame.flush();
    if (status.ok())
      status = frame.cudaDevice->synchronize(call->stream);
    if (!status.ok()) {
      reportStatus(call, status);
      return -1;
    }
    frame.kernelStatusRead = true;
    for (int64_t word = 0; word < CUDAStatusCells::words; ++word)
      if (const int64_t value = frame.kernelStatus[word])
        return word * 256 + value;
    return 0;
  }

  static void *kernelFailures(tc_call *call,
                              const tc_kernel_failures *failures) {
    CallFrame &frame = frameOf(call);
    if (!frame.cudaDevice) {
      refuseHost(call);
      return nullptr;
    }
    auto words = CUDAFailures::of(*frame.cudaDevice).wordsOf(*failures);
    if (!words.ok()) {
      reportStatus(call, words.error());
      return nullptr;
    }
    frame.failures = failures;
    return *words;
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
    CallFrame &frame = frameOf(call);
    Status status = frame.flush();
    if (status.ok())
      status = cuda::copyBytesToHost(frame.deviceIndex, call->stream, to, from,
                                     bytes);
    return reportStatus(call, status);
  }

  static int32_t copyToDevice(tc_call *call, void *to, const void *from,
                              uint64_t bytes) {
    CallFrame &frame = frameOf(call);
    Status status = frame.flush();
    if (status.ok())
      status = cuda::copyBytesToDevice(frame.deviceIndex, call->stream, to,
                                       from, bytes);
    return reportStatus(call, status);
  }

  /// Has a library compute on the call's stream what `compute(device)` says; a
  /// CUDA graph of the launches before ends there.
  template <typename Compute>
  static int32_t callLibrary(tc_call *call, Compute compute) {
    CallFrame &frame = frameOf(call);
    if (!frame.cudaDevice) [[unlikely]]
      return refuseHost(call);
    Status status = frame.flush();
    if (status.ok())
      status = compute(*frame.cudaDevice);
    return reportStatus(call, status);
  }

  static int32_t multiplyMatrices(tc_call *call,
                                  const tc_matrix_product *product,
                                  const tc_matrices *matrices) {
    return callLibrary(call, [&](CUDADevice &device) {
      return tc::runtime::multiplyMatrices(device, call->stream, *product,
                                           *matrices);
    });
  }

  static int32_t convolve(tc_call *call, const tc_convolution *convolution,
                          const tc_convolution_operands *operands) {
    return callLibrary(call, [&](CUDADevice &device) {
      return tc::runtime::convolve(device, call->stream, *convolution,
                                   *operands);
    });
  }

  static int32_t alignInputs(tc_call *call, const uint64_t *wanted) {
    CallFrame &frame = frameOf(call);
    if (!frame.cudaDevice) [[unlikely]]
      return refuseHost(call);
    for (size_t i = 0; i < frame.inputs.size(); ++i)
      if (wanted[i / 64] >> (i % 64) & 1)
        if (Status status = frame.alignInput(i); !status.ok()) [[unlikely]]
          return reportStatus(call, status);
    return TC_STATUS_OK;
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
      RuntimeEntryPoints::allocateCounters,
      RuntimeEntryPoints::multiplyMatrices,
      RuntimeEntryPoints::kernelFailures,
      RuntimeEntryPoints::convolve,
      RuntimeEntryPoints::alignInputs,
  };
  return api;
}
