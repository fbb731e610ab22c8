//===- RepeatedCall.h - A call that is recorded and replayed ----*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_REPEATEDCALL_H
#define TC_LIB_RUNTIME_REPEATEDCALL_H

#include "LaunchSequence.h"
#include "TC/Runtime/Storage.h"

#include <memory>
#include <span>

namespace tc::runtime {

/// The launches of the calls of one function with inputs of the same sizes on
/// one stream. A call is cut into sequences of launches where the host waits
/// for the device. In a repeated call a launch is first only compared with that
/// of the sequence that fits; the sequence is started when it is complete.
/// Where the kernels are those of no sequence, they start one by one and become
/// a new one: a data-dependent branch has one for each way through.
class RepeatedCall {
public:
  RepeatedCall(CUDADevice &device, uint64_t streamId,
               std::span<const tc_tensor> inputs);

  /// Whether this is for such calls.
  bool matches(const CUDADevice &other, uint64_t otherStream,
               std::span<const tc_tensor> inputs) const;
  /// "8x256, 256"
  std::string describeSizes() const;
  /// Which graphs there are.
  std::string describe() const;
  /// Why the driver made no graph or could not use it; empty where it could.
  const std::string &refusal() const { return reason; }
  int32_t deviceIndex() const { return device.index; }

  /// Reserves it for one thread; false where another one has it.
  bool tryEnter() { return !isTaken.test_and_set(std::memory_order_acquire); }
  void leave() { isTaken.clear(std::memory_order_release); }

  // The rest is for the thread that has it, with the device's context.

  void begin(CUstream stream);
  /// See tc_runtime_api::launch_kernel.
  Status launch(const tc_kernel &kernel, int64_t blocks, void *arguments);
  /// Starts what has not been started yet: before the host waits or copies, and
  /// at the end of a call.
  Status flush();
  /// Ends the call. After a failure, launches that were not started are left.
  void end(bool succeeded);

  /// Memory for the call's next arena that earlier calls have used; null where
  /// there is none of that size, and then the call gives what it allocates.
  Storage *takeArena(size_t bytes);
  void keepArena(const StorageRef &arena);
  /// See tc_runtime_api::allocate_counters; empty until the first call has
  /// given them.
  const StorageRef &getCounters() const { return counters; }
  void keepCounters(const StorageRef &made) { counters = made; }

  uint64_t lastEntered = 0; ///< guarded by the owner

private:
  enum class State {
    Between,   ///< of two sequences
    Launching, ///< one by one, until the next flush
    Recording, ///< the same, into `current`
    Replaying, ///< `current`, of which `position` launches have come
  };
  Status launchRealigned(const tc_kernel &kernel, int64_t blocks,
                         void *arguments);
  Status launchNow(const tc_kernel &kernel, int64_t blocks, void *arguments);
  Status record(const tc_kernel &kernel, int64_t blocks, void *arguments);
  Status replay(const tc_kernel &kernel, int64_t blocks, void *arguments);
  Status startReplayed();
  LaunchSequence *findFirst(const tc_kernel &kernel) const;
  LaunchSequence *findOther(const tc_kernel *next) const;
  Status leaveSequence();
  void keepRecorded();

  CUDADevice &device;
  const uint64_t streamId;
  std::vector<int64_t> sizes; ///< of each input its rank and sizes
  std::atomic_flag isTaken = ATOMIC_FLAG_INIT;

  std::vector<std::unique_ptr<LaunchSequence>> sequences;
  std::vector<StorageRef> arenas;
  StorageRef counters;
  std::string reason;
  uint64_t calls = 0; ///< that have ended well

  CUstream stream = nullptr;
  State state = State::Between;
  LaunchSequence *current = nullptr;
  std::unique_ptr<LaunchSequence> recorded;
  size_t position = 0;
  size_t next = 0; ///< index of the sequence after the last one
  size_t nextArena = 0;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_REPEATEDCALL_H
