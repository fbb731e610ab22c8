//===- ThreadPoolTest.cpp - Tests of the fork-join threads ----------------===//

#include "TC/Runtime/ThreadPool.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cfenv>
#include <cstring>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tc::runtime;

namespace {

/// Runs a region and returns how often each iteration ran.
std::vector<int> visits(ThreadPool &pool, int64_t count, int64_t grain) {
  std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
  pool.parallelFor(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++hits[size_t(i)];
  });
  return std::vector<int>(hits.begin(), hits.end());
}

TEST(ThreadPool, EveryIterationRunsOnce) {
  for (unsigned threads = 1; threads <= 5; ++threads) {
    ThreadPool pool(threads);
    for (int64_t count : {0, 1, 2, 3, 7, 64, 1000, 100003})
      for (int64_t grain : {-1, 0, 1, 5, 1 << 20})
        EXPECT_EQ(visits(pool, count, grain),
                  std::vector<int>(size_t(count), 1));
  }
}

TEST(ThreadPool, TasksRespectTheGrain) {
  ThreadPool pool(4);
  for (int64_t count : {100, 10000, 1000003}) {
    for (int64_t grain : {1, 30, 3000, 400000}) {
      std::mutex mutex;
      std::vector<int64_t> lengths;
      pool.parallelFor(count, grain, [&](int64_t begin, int64_t end) {
        std::lock_guard lock(mutex);
        lengths.push_back(end - begin);
      });
      EXPECT_LE(lengths.size(), 4u);
      for (int64_t length : lengths)
        EXPECT_GE(length, std::min(count, grain) - 63);
    }
  }
}

TEST(ThreadPool, HugeCountsDoNotOverflow) {
  ThreadPool pool(3);
  std::mutex mutex;
  int64_t total = 0;
  pool.parallelFor(INT64_MAX, 1, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    total += end - begin;
  });
  EXPECT_EQ(total, INT64_MAX);
}

TEST(ThreadPool, NestedRegionsRunInline) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum{0};
  pool.parallelFor(8, 1, [&](int64_t begin, int64_t end) {
    EXPECT_TRUE(ThreadPool::insideRegion());
    const auto outer = std::this_thread::get_id();
    pool.parallelFor(100, 1, [&](int64_t innerBegin, int64_t innerEnd) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      sum += (innerEnd - innerBegin) * (end - begin);
    });
  });
  EXPECT_EQ(sum, 800);
  EXPECT_FALSE(ThreadPool::insideRegion());
}

TEST(ThreadPool, ConcurrentCallersAreSafe) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 2000; ++repeat)
        pool.parallelFor(
            10, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(sum, 4 * 2000 * 10);
}

TEST(ThreadPool, ThreadCountCanChange) {
  ThreadPool pool(2);
  for (unsigned threads : {1, 4, 2, 3, 1}) {
    EXPECT_TRUE(pool.setThreadCount(threads));
    EXPECT_EQ(pool.threadCount(), threads);
    EXPECT_EQ(visits(pool, 50, 1), std::vector<int>(50, 1));
  }
  EXPECT_TRUE(pool.setThreadCount(4000000000u));
  EXPECT_EQ(pool.threadCount(), ThreadPool::maxThreads);
  EXPECT_TRUE(pool.setThreadCount(0));
  EXPECT_GE(pool.threadCount(), 1u);
}

TEST(ThreadPool, ThreadCountIsFixedInsideARegion) {
  ThreadPool pool(2);
  pool.parallelFor(
      2, 1, [&](int64_t, int64_t) { EXPECT_FALSE(pool.setThreadCount(3)); });
  EXPECT_EQ(pool.threadCount(), 2u);
}

TEST(ThreadPool, SleepingWorkersWakeUp) {
  ThreadPool pool(3);
  pool.setSpinNanoseconds(0);
  for (int repeat = 0; repeat < 50; ++repeat) {
    usleep(repeat < 10 ? 2000 : 50);
    EXPECT_EQ(visits(pool, 9, 1), std::vector<int>(9, 1));
  }
}

TEST(ThreadPool, WorkersTakeOverTheRoundingMode) {
  ThreadPool pool(3);
  volatile double one = 1, three = 3;
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST}) {
    fesetround(mode);
    const double here = one / three;
    std::atomic<int> others{0};
    pool.parallelFor(3, 1, [&](int64_t, int64_t) {
      if (one / three != here)
        ++others;
    });
    EXPECT_EQ(others, 0);
  }
}

TEST(ThreadPool, WorksInAForkedChild) {
  ThreadPool pool(3);
  EXPECT_EQ(visits(pool, 10, 1), std::vector<int>(10, 1));
  pid_t child = fork();
  if (child == 0) {
    bool good = visits(pool, 10, 1) == std::vector<int>(10, 1) &&
                visits(ThreadPool::global(), 10, 1) == std::vector<int>(10, 1);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(visits(pool, 10, 1), std::vector<int>(10, 1));
}

TEST(ThreadPool, ForkWhileAnotherThreadHasARegionInFlight) {
  ThreadPool pool(2);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop)
      pool.parallelFor(2, 1, [&](int64_t, int64_t) { usleep(100); });
  });
  for (int repeat = 0; repeat < 20; ++repeat) {
    pid_t child = fork();
    if (child == 0)
      _exit(visits(pool, 10, 1) == std::vector<int>(10, 1) ? 0 : 1);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

/// A team of threads like OpenMP's, of as many as `teamSize` says; counts its
/// regions.
int teamSize = 3, teamRegions = 0;
thread_local int teamNumber = 0;

void runTeam(void (*body)(void *), void *context, unsigned threads,
             unsigned flags) {
  EXPECT_EQ(threads, 0u);
  EXPECT_EQ(flags, 0u);
  ++teamRegions;
  std::vector<std::thread> others;
  for (int number = 1; number < teamSize; ++number)
    others.emplace_back([=] {
      teamNumber = number;
      body(context);
    });
  body(context);
  for (std::thread &other : others)
    other.join();
}

HostTeam getTeam(int size) {
  teamSize = size;
  teamRegions = 0;
  return {runTeam, [] { return teamNumber; }, [] { return teamSize; }};
}

// The team may have fewer threads than there are tasks, or more.
TEST(ThreadPool, RegionsRunOnATeamOfTheHost) {
  for (int size : {1, 2, 3, 6}) {
    ThreadPool pool(4);
    ASSERT_TRUE(pool.setHostTeam(getTeam(size)));
    for (int64_t count : {2, 3, 64, 100003})
      EXPECT_EQ(visits(pool, count, 1), std::vector<int>(size_t(count), 1));
    EXPECT_EQ(teamRegions, 4);
    EXPECT_EQ(visits(pool, 5, 10), std::vector<int>(5, 1)); // one task
    EXPECT_EQ(teamRegions, 4);
    ASSERT_TRUE(pool.setHostTeam({}));
    EXPECT_EQ(visits(pool, 100, 1), std::vector<int>(100, 1));
    EXPECT_EQ(teamRegions, 4);
  }
}

TEST(ThreadPool, TasksOnATeamAreInsideARegionAndRoundAsTheCaller) {
  ThreadPool pool(4);
  ASSERT_TRUE(pool.setHostTeam(getTeam(2)));
  volatile double one = 1, three = 3;
  fesetround(FE_UPWARD);
  const double here = one / three;
  std::atomic<int> wrong{0}, inner{0};
  pool.parallelFor(4, 1, [&](int64_t, int64_t) {
    if (one / three != here || !ThreadPool::insideRegion() ||
        pool.setHostTeam({}) || pool.setThreadCount(2))
      ++wrong;
    pool.parallelFor(
        10, 1, [&](int64_t begin, int64_t end) { inner += int(end - begin); });
  });
  fesetround(FE_TONEAREST);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(inner, 40);
  EXPECT_EQ(teamRegions, 1);
  EXPECT_FALSE(ThreadPool::insideRegion());
}

TEST(ThreadPool, AForkedChildHasNoTeam) {
  ThreadPool pool(3);
  ASSERT_TRUE(pool.setHostTeam(getTeam(3)));
  EXPECT_EQ(visits(pool, 10, 1), std::vector<int>(10, 1));
  pid_t child = fork();
  if (child == 0)
    _exit(visits(pool, 10, 1) == std::vector<int>(10, 1) && teamRegions == 1
              ? 0
              : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(visits(pool, 10, 1), std::vector<int>(10, 1));
  EXPECT_EQ(teamRegions, 2);
}

TEST(ThreadPool, PoolsComeAndGo) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    ThreadPool pool(3);
    EXPECT_EQ(visits(pool, 3, 1), std::vector<int>(3, 1));
  }
}

} // namespace
