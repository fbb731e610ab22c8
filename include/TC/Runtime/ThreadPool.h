//===- ThreadPool.h - Fork-join threads -------------------------*- C++ -*-===//
//
// One region runs at a time: its range is cut into contiguous tasks of nearly
// equal length, one per thread, the caller takes the first. Workers spin for a
// while after a region, then sleep, so that a region that follows soon starts
// in a fraction of a microsecond and an idle process uses no CPU.
//
// A region started inside a body, or while another thread has a region in
// flight, runs on the calling thread alone: no more threads than CPUs compute,
// and nothing waits for a lock. Kernels fix the order of their arithmetic, so
// results do not depend on any of this.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_THREADPOOL_H
#define TC_RUNTIME_THREADPOOL_H

#include "TC/Runtime/ABI.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace tc::runtime {

/// Threads of the program that TC is part of, as OpenMP's: with threads of its
/// own next to those, which spin for a while after each of their regions, more
/// threads than CPUs would compute.
struct HostTeam {
  /// Calls `body(context)` on each thread of the team, of which the caller is
  /// one: OpenMP's `GOMP_parallel`, whose numbers of threads and flags are 0.
  void (*run)(void (*body)(void *), void *context, unsigned threads,
              unsigned flags) = nullptr;
  /// Inside of it: which thread calls, and how many there are, at least 1.
  int (*number)() = nullptr;
  int (*size)() = nullptr;
};

class ThreadPool {
public:
  /// More threads than that are asked for by mistake; a pool has fewer.
  static constexpr unsigned maxThreads = 4096;

  /// A pool of `threads` threads with the caller; 0 means availableCPUCount().
  /// Threads are started when first needed.
  explicit ThreadPool(unsigned threads = 0);
  /// No region may be in flight.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The pool of the process. It lives until the process ends.
  static ThreadPool &global();

  /// Threads that a region may use, the caller included.
  unsigned threadCount() const {
    return threads.load(std::memory_order_relaxed);
  }

  /// Sets the number of threads, 0 for availableCPUCount(). Waits for a region
  /// in flight; returns false, and changes nothing, inside a body.
  bool setThreadCount(unsigned count);

  /// Makes regions run on a team of the host's, or of this pool's workers where
  /// `team.run` is null. Waits for a region in flight; returns false, and
  /// changes nothing, inside a body. After fork(), whose child has none of the
  /// host's threads, a pool has workers.
  bool setHostTeam(const HostTeam &team);

  /// How long an idle worker spins before it sleeps, in nanoseconds.
  void setSpinNanoseconds(uint64_t nanoseconds) {
    spinNanoseconds.store(nanoseconds, std::memory_order_relaxed);
  }

  /// Runs body(context, begin, end) over disjoint contiguous tasks of
  /// [0, count) and returns when all are done. Tasks have at least `grain`
  /// iterations (unless `count` is smaller), but for up to 63 that a long task
  /// gives up so that the next one begins at a multiple of 64. The body must
  /// not throw.
  void parallelFor(tc_range_body body, void *context, int64_t count,
                   int64_t grain);

  /// The same for a callable `body(int64_t begin, int64_t end)`.
  template <typename Body>
  void parallelFor(int64_t count, int64_t grain, Body &&body) {
    using Callable = std::remove_reference_t<Body>;
    parallelFor(
        [](void *context, int64_t begin, int64_t end) {
          (*static_cast<Callable *>(context))(begin, end);
        },
        const_cast<std::remove_const_t<Callable> *>(&body), count, grain);
  }

  /// True on a thread that is running a task of a region.
  static bool insideRegion();

private:
  struct Worker;
  struct Region {
    tc_range_body body = nullptr;
    void *context = nullptr;
    int64_t count = 0;
    int64_t tasks = 0;
    uint32_t floatingPointMode = 0;
    int callerCPU = -1;

    void runTask(int64_t index) const;
  };

  friend struct ForkHandler;
  void startWorkers();
  void stopWorkers();
  void forgetWorkersAfterFork();
  void runRegion(int64_t tasks);
  void runOnHostTeam(int64_t tasks);
  template <typename Change> bool changeWorkers(Change &&change);
  static void *workerMain(void *worker);

  std::atomic<unsigned> threads;
  std::atomic<uint64_t> spinNanoseconds{50000};
  /// Held by the thread whose region is in flight, and while workers change.
  std::atomic<uint32_t> busy{0};
  uint32_t forkEpoch = 0;
  Region region;
  HostTeam hostTeam;        ///< changes as workers do
  unsigned workerCount = 0; ///< started workers; 0 until first needed
  unsigned workersWanted = 0;
  std::unique_ptr<Worker[]> workers;
  ThreadPool *nextPool = nullptr; ///< list of pools, for fork()
};

} // namespace tc::runtime

#endif // TC_RUNTIME_THREADPOOL_H
