//===- CPULimitTest.cpp - Tests of reading control groups -----------------===//

#include "TC/Runtime/CPULimit.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <sched.h>

using namespace tc::runtime;

namespace {

constexpr const char *version2Mounts =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

TEST(CPULimit, ReadsVersion2) {
  TemporaryFolder folder;
  folder.write("proc/self/cgroup", "0::/a/b\n");
  folder.write("proc/self/mountinfo", version2Mounts);
  folder.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  folder.write("sys/fs/cgroup/a/b/memory.max", "1000000\n");
  folder.write("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  folder.write("sys/fs/cgroup/a/memory.max", "max\n");
  CgroupLimits limits = readCgroupLimits(folder.path(""));
  ASSERT_TRUE(limits.cpus);
  EXPECT_DOUBLE_EQ(*limits.cpus, 2.5);
  EXPECT_EQ(limits.memoryBytes, 1000000u);
}

TEST(CPULimit, ReadsVersion2InsideAContainer) {
  TemporaryFolder folder;
  folder.write("proc/self/cgroup", "0::/\n");
  folder.write("proc/self/mountinfo", version2Mounts);
  folder.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(readCgroupLimits(folder.path("")).cpus.value_or(0), 0.5);
}

TEST(CPULimit, ReadsVersion1) {
  TemporaryFolder folder;
  folder.write("proc/self/cgroup",
               "4:memory:/docker/x\n2:cpu,cpuacct:/docker/x\n");
  // The container sees its own group as the root of the mount.
  folder.write("proc/self/mountinfo",
               "33 30 0:30 /docker/x /sys/fs/cgroup/cpu rw - cgroup cgroup "
               "rw,cpu,cpuacct\n"
               "34 30 0:31 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup "
               "rw,memory\n");
  folder.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  folder.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  folder.write("sys/fs/cgroup/memory/memory.limit_in_bytes",
               "9223372036854771712\n");
  CgroupLimits limits = readCgroupLimits(folder.path(""));
  EXPECT_DOUBLE_EQ(limits.cpus.value_or(0), 4);
  EXPECT_FALSE(limits.memoryBytes);
}

TEST(CPULimit, TakesNoLimitFromMissingOrOddFiles) {
  TemporaryFolder folder;
  EXPECT_FALSE(readCgroupLimits(folder.path("")).cpus);
  folder.write("proc/self/cgroup", "garbage\n0::/a\n:\n");
  folder.write("proc/self/mountinfo", version2Mounts);
  folder.write("sys/fs/cgroup/a/cpu.max", "-1 x\n");
  EXPECT_FALSE(readCgroupLimits(folder.path("")).cpus);
}

TEST(CPULimit, RespectsTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_GE(availableCPUCount(), 1u);
  EXPECT_LE(availableCPUCount(), unsigned(CPU_COUNT(&before)));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(availableCPUCount(), 1u);
  sched_setaffinity(0, sizeof(before), &before);
}

TEST(CPULimit, KnowsTheMemory) { EXPECT_GT(availableMemoryBytes(), 1u << 20); }

} // namespace
