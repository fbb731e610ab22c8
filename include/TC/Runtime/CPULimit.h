//===- CPULimit.h - What this process may use of the machine ----*- C++ -*-===//

#ifndef TC_RUNTIME_CPULIMIT_H
#define TC_RUNTIME_CPULIMIT_H

#include <cstdint>
#include <optional>
#include <string>

namespace tc::runtime {

/// What control groups allow this process: nothing where there is no limit.
struct CgroupLimits {
  std::optional<double> cpus; ///< quota / period of cpu.max or cpu.cfs_quota_us
  std::optional<uint64_t> memoryBytes;
};

/// Reads the limits of the process's control groups (version 2 and 1), from its
/// own group up to the root, the smallest of each. `root` is put before every
/// path read, for tests.
CgroupLimits readCgroupLimits(const std::string &root = "");

/// Threads that can run at once without sharing a core: the cores in the
/// process's affinity mask, at most the whole CPUs of its control group, at
/// least 1. Two hardware threads of one core count once.
unsigned availableCPUCount();

/// Memory the process may use: the machine's, or its control group's limit.
uint64_t availableMemoryBytes();

} // namespace tc::runtime

#endif // TC_RUNTIME_CPULIMIT_H
