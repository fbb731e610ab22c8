//===- MemoryPoolTest.cpp - Tests of the memory pool ----------------------===//

#include "TC/Runtime/MemoryPool.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tc::runtime;

namespace {

TEST(MemoryPool, ClassesHoldTheRequestAndWasteAtMostAQuarter) {
  size_t previous = 0;
  for (size_t bytes = 1; bytes < (size_t(1) << 40); bytes += 1 + bytes / 37) {
    const size_t block = MemoryPool::roundUpToClass(bytes);
    EXPECT_GE(block, bytes);
    EXPECT_EQ(block % 64, 0u);
    EXPECT_GE(block, previous);
    EXPECT_EQ(MemoryPool::roundUpToClass(block), block);
    if (bytes > 256)
      EXPECT_LE(block - bytes, bytes / 4);
    previous = block;
  }
}

TEST(MemoryPool, AlignsBlocks) {
  MemoryPool pool;
  for (size_t bytes : {0u, 1u, 64u, 100u, 5000u, 65536u, 1000000u}) {
    StorageRef block = pool.allocate(bytes);
    ASSERT_TRUE(block);
    EXPECT_GE(block->bytes, bytes);
    EXPECT_EQ(uintptr_t(block->data) % 64, 0u);
    std::memset(block->data, 1, block->bytes);
  }
  StorageRef large = pool.allocate(size_t(5) << 20);
  EXPECT_EQ(uintptr_t(large->data) % (size_t(2) << 20), 0u);
  std::memset(large->data, 1, large->bytes);
}

TEST(MemoryPool, ReusesBlocksThatWereLetGo) {
  MemoryPool pool;
  for (size_t bytes : {100u, 100000u, 30000000u}) {
    void *first = pool.allocate(bytes)->data;
    StorageRef again = pool.allocate(bytes);
    EXPECT_EQ(again->data, first);
    EXPECT_NE(pool.allocate(bytes)->data, first);
  }
}

TEST(MemoryPool, ReuseHasNoPageFaults) {
  MemoryPool pool;
  const size_t bytes = size_t(32) << 20;
  auto touch = [&] { std::memset(pool.allocate(bytes)->data, 1, bytes); };
  touch();
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (int repeat = 0; repeat < 5; ++repeat)
    touch();
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_minflt - before.ru_minflt, 100);
}

TEST(MemoryPool, CountsHolders) {
  MemoryPool pool;
  StorageRef first = pool.allocate(1000);
  StorageRef second = first;
  first.reset();
  EXPECT_GT(pool.statistics().bytesLive, 0u);
  second = StorageRef();
  EXPECT_EQ(pool.statistics().bytesLive, 0u);
}

TEST(MemoryPool, KeepsStatistics) {
  MemoryPool pool;
  const size_t block = MemoryPool::roundUpToClass(1000000);
  {
    StorageRef first = pool.allocate(1000000);
    StorageRef second = pool.allocate(1000000);
    EXPECT_EQ(pool.statistics().bytesLive, 2 * block);
  }
  MemoryPoolStatistics statistics = pool.statistics();
  EXPECT_EQ(statistics.bytesLive, 0u);
  EXPECT_EQ(statistics.bytesPeak, 2 * block);
  EXPECT_EQ(statistics.bytesCached, 2 * block);
  EXPECT_EQ(statistics.allocations, 2u);
  EXPECT_EQ(statistics.reuses, 0u);
  pool.allocate(1000000);
  EXPECT_EQ(pool.statistics().reuses, 1u);
  pool.resetPeak();
  EXPECT_EQ(pool.statistics().bytesPeak, 0u);
  EXPECT_EQ(pool.trim(block), block);
  EXPECT_EQ(pool.trim(), block);
  EXPECT_EQ(pool.statistics().bytesCached, 0u);
}

TEST(MemoryPool, RespectsTheCacheLimit) {
  MemoryPool pool;
  pool.setCacheLimit(3000000);
  {
    StorageRef first = pool.allocate(2000000);
    StorageRef second = pool.allocate(2000000);
  }
  EXPECT_LE(pool.statistics().bytesCached, 3000000u);
  EXPECT_GT(pool.statistics().bytesCached, 0u);
}

TEST(MemoryPool, RefusesWhatCannotBe) {
  MemoryPool pool;
  EXPECT_FALSE(pool.allocate(SIZE_MAX));
  EXPECT_FALSE(pool.allocate(size_t(1) << 62));
  EXPECT_EQ(pool.statistics().bytesLive, 0u);
}

TEST(MemoryPool, BlocksMayOutliveThePool) {
  StorageRef small, large;
  {
    MemoryPool pool;
    small = pool.allocate(100);
    large = pool.allocate(10000000);
  }
  std::memset(small->data, 1, 100);
  std::memset(large->data, 1, 10000000);
}

TEST(MemoryPool, IsThreadSafe) {
  MemoryPool pool;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back([&pool, seed] {
      std::mt19937 random(seed);
      std::vector<StorageRef> held(16);
      for (int repeat = 0; repeat < 5000; ++repeat) {
        StorageRef &slot = held[random() % held.size()];
        if (slot)
          EXPECT_EQ(*static_cast<unsigned *>(slot->data), seed);
        const size_t bytes = size_t(4) << (random() % 18);
        slot = pool.allocate(bytes);
        *static_cast<unsigned *>(slot->data) = seed;
        if (repeat % 500 == 0)
          pool.trim();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(pool.statistics().bytesLive, 0u);
}

TEST(MemoryPool, WorksInAForkedChild) {
  MemoryPool pool;
  StorageRef before = pool.allocate(1000000);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop)
      pool.allocate(5000);
  });
  for (int repeat = 0; repeat < 20; ++repeat) {
    pid_t child = fork();
    if (child == 0) {
      before.reset();
      std::memset(pool.allocate(1000000)->data, 1, 1000000);
      std::memset(pool.allocate(5000)->data, 1, 5000);
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

TEST(Storage, ForeignMemoryIsLetGoOnce) {
  int value = 0, releases = 0;
  static int *counter;
  counter = &releases;
  {
    StorageRef storage = wrapForeignMemory(
        &value, sizeof(value), [](void *) { ++*counter; }, nullptr);
    StorageRef copy = storage;
    storage.reset();
    EXPECT_EQ(releases, 0);
  }
  EXPECT_EQ(releases, 1);
}

} // namespace
