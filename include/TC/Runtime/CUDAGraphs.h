//===- CUDAGraphs.h - Calls that repeat as CUDA graphs ----------*- C++ -*-===//
//
// A call on a GPU launches its kernels one by one. With CUDAGraphs a call whose
// inputs have the sizes of an earlier one launches them at once, as a CUDA
// graph: the first call with these sizes runs as ever, the second one does and
// is recorded, later ones replay. Nothing is copied into memory of the graph:
// where a kernel's arguments are others than the last time, such as the address
// of an input or of a fresh output, its node is updated.
//
// The compiled function runs in every call and decides what is launched, so its
// guards, versions, branches and loops are those of a call without graphs.
// Where the host waits for the device, such as to read a condition, a graph
// ends and the next one begins.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_CUDAGRAPHS_H
#define TC_RUNTIME_CUDAGRAPHS_H

#include "TC/Runtime/ABI.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tc::runtime {

class CUDADevice;
class RepeatedCall;

/// The CUDA graphs of one compiled function. Give it to the calls of this
/// function and of no other; see CallFrame::setGraphs. It must outlive them.
///
/// A graph belongs to the sizes of the inputs and to the stream: what a call
/// keeps between its kernels stays allocated with it. Graphs for `capacity`
/// such pairs are kept, the least recently used goes first. While one thread's
/// call uses a pair's graphs, another one's with the same pair launches kernel
/// by kernel, as do calls while a LaunchObserver is set, those on a stream that
/// is being captured, and all where CUDA_LAUNCH_BLOCKING=1 or where the driver
/// cannot make a graph, which is said once on standard error.
class CUDAGraphs {
public:
  explicit CUDAGraphs(size_t capacity = 16);
  ~CUDAGraphs();
  CUDAGraphs(const CUDAGraphs &) = delete;
  CUDAGraphs &operator=(const CUDAGraphs &) = delete;

  /// Which graphs there are, a line for each pair of sizes and stream, and why
  /// there are none or several; empty before the second call.
  std::string describe() const;

  /// Destroys all graphs of a device that no call uses, with their memory;
  /// later calls make them again. The device's context must be the thread's.
  static void releaseUnused(int32_t device);

private:
  friend class CallFrame;
  /// The state for a call, which is the caller's until it ends; null for a call
  /// that launches kernel by kernel. The device's context must be the thread's.
  RepeatedCall *enter(CUDADevice &device, void *stream,
                      std::span<const tc_tensor> inputs);
  RepeatedCall *findOrMake(CUDADevice &device, uint64_t streamId,
                           std::span<const tc_tensor> inputs);
  /// Makes room for one more.
  void evict();
  void leave(RepeatedCall *call, bool succeeded);

  const size_t capacity;
  const bool launchesBlock; ///< CUDA_LAUNCH_BLOCKING
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<RepeatedCall>> calls; ///< guarded by `mutex`
  uint64_t entered = 0;                             ///< guarded by `mutex`
  std::atomic<bool> warned = false;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_CUDAGRAPHS_H
