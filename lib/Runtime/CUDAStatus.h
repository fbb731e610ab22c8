//===- CUDAStatus.h - Where kernels report failures -------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDASTATUS_H
#define TC_LIB_RUNTIME_CUDASTATUS_H

#include "CUDADevice.h"

namespace tc::runtime {

/// The statuses of calls that read them on the way: cells of 8 int64_t in
/// memory of the host that the device writes to, so that a call clears and
/// reads its own by plain accesses, once its stream has come to the end.
/// Allocated once for a device; taking and giving back take no lock.
class CUDAStatusCells {
public:
  static constexpr int64_t words = 8;

  static CUDAStatusCells &of(CUDADevice &device);

  /// A cell whose words are 0. Fails when there is no memory or too many calls
  /// are in flight. The device's context must be the thread's.
  Expected<int64_t *> take();
  /// Gives a cell back; nothing may write to it any more.
  void putBack(int64_t *cell);

private:
  static constexpr uint32_t count = 1024;
  Status allocate();

  CUDADevice *device = nullptr;
  std::mutex mutex; ///< of the allocation
  std::atomic<int64_t *> cells{nullptr};
  std::atomic<uint32_t> next[count];
  /// The first free cell, plus 1, in the low half; in the high half a count of
  /// changes, so that a cell that went and came back is noticed.
  std::atomic<uint64_t> first{0};
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDASTATUS_H
