//===- Profiler.h - Which kernel ran when -----------------------*- C++ -*-===//
//
// Compiled code says when each kernel begins and ends. While the profiler is
// on, that is kept and can be written as Chrome trace JSON, which
// chrome://tracing and Perfetto display. While it is off, a kernel costs one
// load and one branch more.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_PROFILER_H
#define TC_RUNTIME_PROFILER_H

#include "TC/Runtime/Status.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tc::runtime {

/// One run of a kernel. Times are those of CLOCK_MONOTONIC, in nanoseconds.
struct ProfileEvent {
  std::string kernel;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t thread = 0; ///< the system's thread id
};

/// The kernels of one name, added up.
struct KernelSummary {
  std::string kernel;
  uint64_t runs = 0;
  uint64_t totalNanoseconds = 0;
  uint64_t shortestNanoseconds = 0;
};

class Profiler {
public:
  /// The profiler of the process. It lives until the process ends.
  static Profiler &global();

  void start() { on.store(true, std::memory_order_relaxed); }
  void stop() { on.store(false, std::memory_order_relaxed); }
  bool enabled() const { return on.load(std::memory_order_relaxed); }

  /// The time now, or 0 when the profiler is off.
  uint64_t begin() const { return enabled() ? now() : 0; }
  /// Records that `kernel` ran from `beginTime` until now on this thread; does
  /// nothing when `beginTime` is 0. Thread-safe.
  void end(std::string_view kernel, uint64_t beginTime);

  std::vector<ProfileEvent> events() const;
  /// One row per kernel, the largest total first.
  std::vector<KernelSummary> summary() const;
  void clear();

  /// The events as Chrome trace JSON.
  std::string chromeTrace() const;
  Status writeChromeTrace(const std::string &path) const;

  static uint64_t now();

private:
  struct Record {
    uint32_t name;
    uint64_t begin, end, thread;
  };
  std::atomic<bool> on{false};
  mutable std::mutex mutex;
  std::vector<Record> records;
  std::vector<std::string> names;
  std::unordered_map<std::string, uint32_t> nameNumbers;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_PROFILER_H
