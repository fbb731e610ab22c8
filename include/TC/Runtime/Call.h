//===- Call.h - Calling compiled functions ----------------------*- C++ -*-===//
//
// A CallFrame holds what one call of a compiled function needs: the tc_call,
// descriptors, output storage, arena and the first error. Frames are reusable;
// a call in flight needs a frame of its own. A Call is the short form for
// callers that do not keep frames: it borrows one from a cache of the thread.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_CALL_H
#define TC_RUNTIME_CALL_H

#include "TC/Runtime/ABI.h"
#include "TC/Runtime/MemoryPool.h"
#include "TC/Runtime/Status.h"
#include "TC/Runtime/Tensor.h"
#include "TC/Runtime/ThreadPool.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tc::runtime {

class CUDADevice;
class CUDAGraphs;
class RepeatedCall;

/// The functions that a frame gives to emitted code.
const tc_runtime_api &runtimeAPI();

/// Gives memory for outputs and arenas: at least `bytes`, 64-byte aligned, or
/// an empty reference when there is none. `context` is the caller's own.
using AllocateFunction = StorageRef (*)(void *context, size_t bytes);

class CallFrame {
public:
  explicit CallFrame(ThreadPool &threads = ThreadPool::global(),
                     MemoryPool &memory = MemoryPool::global());
  CallFrame(const CallFrame &) = delete;
  CallFrame &operator=(const CallFrame &) = delete;

  /// Forgets inputs, outputs and parameters; keeps its own memory.
  void clear();

  /// Adds an input. The tensor must live until invoke() has returned.
  void addInput(const Tensor &tensor);
  /// Adds an input that is only a descriptor. An output that is a view of it is
  /// copied, as nobody can keep its memory alive; one that is the input itself,
  /// with a copy of its descriptor, is not.
  void addInput(const tc_tensor &descriptor);
  /// Says how many outputs the function has.
  void setOutputCount(int32_t count);
  /// Gives output `index` memory that the function may use for it: that of the
  /// elements of `tensor`, which is row-major.
  void setOutputStorage(int32_t index, const Tensor &tensor);
  /// Says that output `index` is expected over an input: where it begins where
  /// that does, it is taken as no tensor.
  void setOutputTarget(int32_t index, int32_t input);
  /// Storage of the parameters, in the manifest's order; must outlive invoke().
  void setParameters(std::span<void *const> storage) { parameters = storage; }
  void setStream(void *cudaStream) { stream = cudaStream; }
  /// Where the function was compiled to run: outputs and arenas are there.
  void setDevice(tc_device_kind kind, int32_t index) {
    deviceKind = kind;
    deviceIndex = index;
  }
  /// Launches the kernels of calls that repeat as CUDA graphs, which are kept
  /// there; null for none. Must outlive invoke(), and be of this function
  /// alone.
  void setGraphs(CUDAGraphs *cudaGraphs) { graphs = cudaGraphs; }
  /// Whether a call on a CUDA device whose kernels may report a failure waits
  /// for them and returns it, until the next clear(). Otherwise it returns when
  /// they are launched, and the failure is reported by cuda::synchronize,
  /// cuda::copyToHost or a later call. CUDA_LAUNCH_BLOCKING=1 does the same.
  void setLaunchBlocking(bool waits) { launchBlocking = waits; }
  /// Takes outputs and arenas from the caller's allocator instead of the pool,
  /// until the next clear(). Null returns to the pool. Arenas that a CUDA graph
  /// keeps are the pool's.
  void setAllocator(AllocateFunction allocator, void *context) {
    callerAllocator = allocator;
    allocatorContext = context;
  }

  /// Calls the function. On failure the outputs are undefined.
  Status invoke(tc_function function);

  int32_t outputCount() const { return int32_t(outputs.size()); }
  /// The tensor of output `index`, after a successful invoke(). Fails only when
  /// the function left it unset or a copy finds no memory.
  Expected<Tensor> takeOutput(int32_t index);

private:
  struct OutputSlot {
    std::array<int64_t, TC_MAX_RANK> sizes;
    std::array<int64_t, TC_MAX_RANK> strides;
    StorageRef storage;
    size_t bytes = 0;    ///< of the storage, from the output's first element on
    size_t input = 0;    ///< that the output was in the last call that had it
    int32_t target = -1; ///< the input that it is expected over, if any
  };
  friend struct RuntimeEntryPoints;

  StorageRef allocate(size_t bytes);
  StorageRef allocateOfPool(size_t bytes);
  int32_t runOnCUDA(tc_function function);
  int32_t runAndLaunch(tc_function function);
  int32_t waitForFailures();
  void endKernelStatus();
  Status flush();
  Status checkInputDevices() const;
  Status alignInput(size_t index);
  void restoreInputs();
  size_t findInput(size_t output);
  std::string place() const;

  ThreadPool &threads;
  MemoryPool &memory;
  tc_call call{};
  std::vector<tc_tensor> inputs;
  std::vector<Storage *> inputStorages; ///< null for bare descriptors
  /// An input that an aligned copy replaces while a call runs.
  struct MisalignedInput {
    size_t index;
    void *data; ///< its own
    StorageRef copy;
  };
  std::vector<MisalignedInput> misalignedInputs;
  std::vector<tc_tensor> outputs;
  std::vector<OutputSlot> slots;
  std::vector<StorageRef> arenas;
  std::span<void *const> parameters;
  void *stream = nullptr;
  tc_device_kind deviceKind = TC_DEVICE_CPU;
  int32_t deviceIndex = 0;
  CUDADevice *cudaDevice = nullptr; ///< while a call runs there
  CUDAGraphs *graphs = nullptr;
  RepeatedCall *repeated = nullptr; ///< of `graphs`, while a call runs
  int64_t *kernelStatus = nullptr;  ///< of CUDAStatusCells, while a call runs
  bool kernelStatusRead = false;    ///< no kernel can write to it any more
  /// What kernels may report late, while a call runs.
  const tc_kernel_failures *failures = nullptr;
  bool launchBlocking = false;
  AllocateFunction callerAllocator = nullptr;
  void *allocatorContext = nullptr;
  std::mutex errorMutex;
  Status error;
};

/// One call of a compiled function:
///
///   auto results = Call(function).input(x).input(y).outputs(1).run();
class Call {
public:
  explicit Call(tc_function function);
  ~Call();
  Call(Call &&) = default;

  /// The tensor must live until run() has returned.
  Call &input(const Tensor &tensor);
  /// An input that is only a descriptor, as for CallFrame.
  Call &input(const tc_tensor &descriptor);
  Call &inputs(std::span<const Tensor> tensors);
  Call &parameters(std::span<void *const> storage);
  Call &outputs(int32_t count);
  /// See CallFrame::setOutputStorage; after outputs().
  Call &outputStorage(int32_t index, const Tensor &tensor);
  /// See CallFrame::setOutputTarget; after outputs().
  Call &outputTarget(int32_t index, int32_t input);
  Call &stream(void *cudaStream);
  Call &device(tc_device_kind kind, int32_t index);
  /// See CallFrame::setGraphs.
  Call &graphs(CUDAGraphs *cudaGraphs);
  /// See CallFrame::setAllocator.
  Call &allocator(AllocateFunction allocate, void *context);
  /// See CallFrame::setLaunchBlocking.
  Call &launchBlocking(bool waits);

  /// Calls the function and gives its outputs.
  Expected<std::vector<Tensor>> run();

private:
  tc_function function;
  std::unique_ptr<CallFrame> frame;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_CALL_H
