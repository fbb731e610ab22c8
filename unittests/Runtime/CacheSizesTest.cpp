//===- CacheSizesTest.cpp - Tests of reading the caches' sizes ------------===//

#include "TC/Runtime/CacheSizes.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

using namespace tc::runtime;

namespace {

void writeCache(TemporaryFolder &folder, const std::string &index,
                const std::string &level, const std::string &type,
                const std::string &size, const std::string &cpus) {
  std::string cache = "sys/devices/system/cpu/cpu4/cache/index" + index + "/";
  folder.write(cache + "level", level + "\n");
  folder.write(cache + "type", type + "\n");
  folder.write(cache + "size", size + "\n");
  folder.write(cache + "shared_cpu_list", cpus + "\n");
}

// Two threads of a core share its second level; eight cores each of two third
// levels.
TEST(CacheSizes, CountsCoresNotThreads) {
  TemporaryFolder folder;
  folder.write("sys/devices/system/cpu/cpu4/topology/thread_siblings_list",
               "4,20\n");
  writeCache(folder, "0", "1", "Data", "48K", "4,20");
  writeCache(folder, "1", "1", "Instruction", "32K", "4,20");
  writeCache(folder, "2", "2", "Unified", "1024K", "4,20");
  writeCache(folder, "3", "3", "Unified", "32M", "0-7,16-23");
  CacheSizes sizes = readCacheSizes(4, 16, folder.path(""));
  EXPECT_EQ(sizes.coreBytes, uint64_t(1) << 20);
  EXPECT_EQ(sizes.sharedBytes, uint64_t(64) << 20);
}

// Four cores with one second level have a quarter each.
TEST(CacheSizes, DividesWhatCoresShare) {
  TemporaryFolder folder;
  writeCache(folder, "0", "2", "Unified", "4M", "4-7");
  CacheSizes sizes = readCacheSizes(4, 4, folder.path(""));
  EXPECT_EQ(sizes.coreBytes, uint64_t(1) << 20);
  EXPECT_FALSE(sizes.sharedBytes);
}

// A virtual machine with two of its host's cores sees all of the host's cache.
TEST(CacheSizes, DoesNotTakeTheHostsCacheForItsOwn) {
  TemporaryFolder folder;
  writeCache(folder, "0", "3", "Unified", "491520K", "0-1");
  EXPECT_EQ(readCacheSizes(4, 2, folder.path("")).sharedBytes, uint64_t(32)
                                                                   << 20);
}

TEST(CacheSizes, TakesNothingFromMissingOrOddFiles) {
  TemporaryFolder folder;
  EXPECT_FALSE(readCacheSizes(4, 2, folder.path("")).coreBytes);
  writeCache(folder, "0", "2", "Unified", "much", "-");
  EXPECT_FALSE(readCacheSizes(4, 2, folder.path("")).coreBytes);
  EXPECT_FALSE(readCacheSizes(4, 2, folder.path("")).sharedBytes);
}

} // namespace
