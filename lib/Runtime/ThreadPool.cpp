//===- ThreadPool.cpp - Fork-join threads ---------------------------------===//
//
// How a region starts and ends. The caller writes the region's fields, then a
// new generation number into the `go` word of each worker that has a task. A
// worker spins on its own `go`, runs its task and writes the number into its
// `done`. Each word has a cache line of its own, written by one side only, so a
// hot fork-join costs two cache line transfers. A worker that takes part reads
// the region while the caller waits for it, so no worker sees a half-written
// one.
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/ThreadPool.h"
#include "SignalsBlocked.h"
#include "TC/Runtime/CPULimit.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tc::runtime;

struct alignas(128) ThreadPool::Worker {
  /// Written by the caller: the number of the region to run.
  std::atomic<uint32_t> go{0};
  /// Set while the worker sleeps, or is about to.
  std::atomic<uint32_t> asleep{0};
  std::atomic<uint32_t> stop{0};
  /// The system's name of the thread; 0 before it runs.
  std::atomic<pid_t> identifier{0};
  ThreadPool *pool = nullptr;
  int64_t index = 0; ///< number of this worker's task; the caller has task 0
  pthread_t thread{};
  /// Written by the worker: the number of the region it has finished.
  alignas(128) std::atomic<uint32_t> done{0};
};

namespace {

thread_local bool insideRegionFlag __attribute__((tls_model("initial-exec"))) =
    false;

void relaxCPU() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

uint64_t nowNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

void futexWait(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word),
          FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

void futexWake(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&word),
          FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, nullptr, nullptr, 0);
}

/// The rounding and flush-to-zero settings of this thread. Workers take over
/// the caller's, or results would depend on which thread computes them.
uint32_t floatingPointMode() {
#if defined(__x86_64__)
  return _mm_getcsr() & ~0x3fu; // without the exception flags
#elif defined(__aarch64__)
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return uint32_t(mode);
#else
  return 0;
#endif
}

void setFloatingPointMode(uint32_t mode) {
  if (mode == floatingPointMode())
    return;
#if defined(__x86_64__)
  _mm_setcsr(mode);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" ::"r"(uint64_t(mode)));
#endif
}

/// Calls `act` while `thread` (0: this one) may not run on `cpu`, where the
/// caller of its region computes. Where the thread wakes or moves meanwhile, it
/// gets another CPU; left to itself, the system may put it there though another
/// one is idle, and let the two alternate.
template <typename Action> void keepOffCPU(pid_t thread, int cpu, Action act) {
  cpu_set_t allowed;
  if (sched_getaffinity(thread, sizeof(allowed), &allowed) != 0 ||
      CPU_COUNT(&allowed) < 2 || !CPU_ISSET(cpu, &allowed))
    return act();
  cpu_set_t others = allowed;
  CPU_CLR(cpu, &others);
  const bool isKeptOff =
      sched_setaffinity(thread, sizeof(others), &others) == 0;
  act();
  if (isKeptOff)
    sched_setaffinity(thread, sizeof(allowed), &allowed);
}

/// Where task `index` begins. Long tasks begin at multiples of 64 iterations,
/// so that neighbours do not write the same cache line.
int64_t taskBegin(int64_t index, int64_t tasks, int64_t count) {
  if (index >= tasks)
    return count;
  const int64_t quotient = count / tasks, rest = count % tasks;
  int64_t begin = quotient * index + std::min(index, rest);
  if (quotient >= 4096)
    begin &= ~int64_t(63);
  return begin;
}

std::mutex poolListMutex;
ThreadPool *poolList = nullptr;

} // namespace

namespace tc::runtime {
/// fork() copies the calling thread only: in the child every pool forgets its
/// workers and starts new ones when next needed.
struct ForkHandler {
  static void prepare() { poolListMutex.lock(); }
  static void parent() { poolListMutex.unlock(); }
  static void child() {
    for (ThreadPool *pool = poolList; pool; pool = pool->nextPool)
      pool->forgetWorkersAfterFork();
    poolListMutex.unlock();
  }
  static void install() {
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(prepare, parent, child); });
  }
  static void add(ThreadPool *pool) {
    install();
    std::lock_guard lock(poolListMutex);
    pool->nextPool = poolList;
    poolList = pool;
  }
  static void remove(ThreadPool *pool) {
    std::lock_guard lock(poolListMutex);
    ThreadPool **link = &poolList;
    while (*link != pool)
      link = &(*link)->nextPool;
    *link = pool->nextPool;
  }
};
} // namespace tc::runtime

/// The number of threads that is meant by `count`.
static unsigned chooseThreadCount(unsigned count) {
  return std::min(count ? count : availableCPUCount(), ThreadPool::maxThreads);
}

ThreadPool::ThreadPool(unsigned threadCount)
    : threads(chooseThreadCount(threadCount)) {
  ForkHandler::add(this);
}

ThreadPool::~ThreadPool() {
  ForkHandler::remove(this);
  stopWorkers();
}

ThreadPool &ThreadPool::global() {
  // Never destroyed: workers may outlive static destructors.
  static ThreadPool *pool = new ThreadPool();
  return *pool;
}

bool ThreadPool::insideRegion() { return insideRegionFlag; }

/// Stops the workers, and makes a change while no region is in flight.
template <typename Change> bool ThreadPool::changeWorkers(Change &&change) {
  if (insideRegionFlag)
    return false;
  while (busy.exchange(1, std::memory_order_acquire))
    sched_yield();
  stopWorkers();
  change();
  busy.store(0, std::memory_order_release);
  return true;
}

bool ThreadPool::setThreadCount(unsigned count) {
  return changeWorkers([&] {
    threads.store(chooseThreadCount(count), std::memory_order_relaxed);
  });
}

bool ThreadPool::setHostTeam(const HostTeam &team) {
  return changeWorkers([&] { hostTeam = team; });
}

// Called with `busy` held.
void ThreadPool::startWorkers() {
  const unsigned wanted = threads.load(std::memory_order_relaxed) - 1;
  workersWanted = wanted;
  workers = std::make_unique<Worker[]>(wanted);
  const SignalsBlocked blocked;
  for (unsigned i = 0; i < wanted; ++i) {
    Worker &worker = workers[i];
    worker.pool = this;
    worker.index = i + 1;
    if (pthread_create(&worker.thread, nullptr, workerMain, &worker) != 0)
      break; // fewer threads, the same results
    pthread_setname_np(worker.thread, "tc-worker");
    ++workerCount;
  }
}

// Called with `busy` held, or from the destructor.
void ThreadPool::stopWorkers() {
  for (unsigned i = 0; i < workerCount; ++i) {
    Worker &worker = workers[i];
    worker.stop.store(1, std::memory_order_relaxed);
    worker.go.fetch_add(1, std::memory_order_seq_cst);
    futexWake(worker.go);
  }
  for (unsigned i = 0; i < workerCount; ++i)
    pthread_join(workers[i].thread, nullptr);
  workerCount = 0;
  workersWanted = 0;
  workers.reset();
}

void ThreadPool::forgetWorkersAfterFork() {
  // The threads do not exist here. A region of another thread of the parent may
  // have been in flight; its tasks run in the parent alone.
  ++forkEpoch;
  (void)workers.release(); // the forking thread may still look at it
  workerCount = 0;
  workersWanted = 0;
  hostTeam = {};
  busy.store(0, std::memory_order_relaxed);
}

void ThreadPool::Region::runTask(int64_t index) const {
  body(context, taskBegin(index, tasks, count),
       taskBegin(index + 1, tasks, count));
}

void *ThreadPool::workerMain(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  ThreadPool &pool = *worker.pool;
  insideRegionFlag = true;
  worker.identifier.store(gettid(), std::memory_order_relaxed);
  uint32_t seen = 0;
  while (true) {
    uint64_t deadline = 0;
    while (worker.go.load(std::memory_order_acquire) == seen) {
      for (int i = 0;
           i < 32 && worker.go.load(std::memory_order_relaxed) == seen; ++i)
        relaxCPU();
      const uint64_t now = nowNanoseconds();
      if (deadline == 0) {
        deadline = now + pool.spinNanoseconds.load(std::memory_order_relaxed);
        continue;
      }
      if (now < deadline)
        continue;
      // Either the caller sees `asleep` after it has written `go`, or this
      // thread sees the new `go`: no wake-up is lost.
      worker.asleep.store(1, std::memory_order_seq_cst);
      if (worker.go.load(std::memory_order_seq_cst) == seen)
        futexWait(worker.go, seen);
      worker.asleep.store(0, std::memory_order_relaxed);
    }
    seen = worker.go.load(std::memory_order_acquire);
    if (worker.stop.load(std::memory_order_relaxed))
      return nullptr;
    const Region &region = pool.region;
    setFloatingPointMode(region.floatingPointMode);
    if (sched_getcpu() == region.callerCPU)
      keepOffCPU(0, region.callerCPU, [] {});
    region.runTask(worker.index);
    worker.done.store(seen, std::memory_order_release);
  }
}

void ThreadPool::parallelFor(tc_range_body body, void *context, int64_t count,
                             int64_t grain) {
  if (count <= 0)
    return;
  const int64_t limit = threads.load(std::memory_order_relaxed);
  int64_t tasks = std::min(limit, count / std::max<int64_t>(grain, 1));
  if (tasks <= 1 || insideRegionFlag ||
      busy.exchange(1, std::memory_order_acquire))
    return body(context, 0, count);
  region.body = body;
  region.context = context;
  region.count = count;
  if (hostTeam.run)
    runOnHostTeam(tasks);
  else
    runRegion(tasks);
}

// Called with `busy` held; lets it go.
void ThreadPool::runOnHostTeam(int64_t tasks) {
  region.tasks = tasks;
  region.floatingPointMode = floatingPointMode();
  const uint32_t epoch = forkEpoch;
  auto body = [](void *argument) {
    const ThreadPool &pool = *static_cast<const ThreadPool *>(argument);
    const Region &region = pool.region;
    const int64_t size = pool.hostTeam.size();
    const uint32_t mode = floatingPointMode();
    insideRegionFlag = true;
    setFloatingPointMode(region.floatingPointMode);
    // Thread i has the tasks i, i + size, ...: the same of each region.
    for (int64_t task = pool.hostTeam.number(); task < region.tasks;
         task += size)
      region.runTask(task);
    setFloatingPointMode(mode);
    insideRegionFlag = false;
  };
  hostTeam.run(body, this, 0, 0);
  if (forkEpoch == epoch)
    busy.store(0, std::memory_order_release);
}

// Called with `busy` held; lets it go.
void ThreadPool::runRegion(int64_t tasks) {
  const unsigned wanted = threads.load(std::memory_order_relaxed) - 1;
  if (workersWanted != wanted)
    startWorkers();
  tasks = std::min<int64_t>(tasks, int64_t(workerCount) + 1);
  region.tasks = tasks;
  region.floatingPointMode = floatingPointMode();
  region.callerCPU = sched_getcpu();
  const uint32_t epoch = forkEpoch;

  Worker *team = workers.get();
  const int64_t helpers = tasks - 1;
  for (int64_t i = 0; i < helpers; ++i)
    team[i].go.store(team[i].go.load(std::memory_order_relaxed) + 1,
                     std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (int64_t i = 0; i < helpers; ++i)
    if (team[i].asleep.load(std::memory_order_relaxed))
      keepOffCPU(team[i].identifier.load(std::memory_order_relaxed),
                 region.callerCPU, [&] { futexWake(team[i].go); });

  insideRegionFlag = true;
  region.runTask(0);
  insideRegionFlag = false;

  for (int64_t i = 0; i < helpers; ++i) {
    const uint32_t number = team[i].go.load(std::memory_order_relaxed);
    for (int spins = 0; team[i].done.load(std::memory_order_acquire) != number;
         ++spins) {
      if (spins < 4096) {
        relaxCPU();
        continue;
      }
      // The worker may wait for this very CPU.
      sched_yield();
      if (forkEpoch != epoch)
        return; // the body forked: in the child nobody will finish
    }
  }
  busy.store(0, std::memory_order_release);
}
