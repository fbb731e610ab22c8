//===- CPULimit.cpp - What this process may use of the machine ------------===//

#include "TC/Runtime/CPULimit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <set>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace tc::runtime;

namespace {

struct Mount {
  std::string root;  ///< the group that is mounted
  std::string point; ///< where
};

template <typename T> void keepSmaller(std::optional<T> &limit, T value) {
  limit = limit ? std::min(*limit, value) : value;
}

std::optional<std::string> readLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line))
    return std::nullopt;
  return line;
}

/// Whether `name` is one of the comma-separated `names`.
bool listContains(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    size_t comma = names.find(',');
    if (names.substr(0, comma) == name)
      return true;
    if (comma == std::string_view::npos)
      break;
    names.remove_prefix(comma + 1);
  }
  return false;
}

/// The mount of a version-1 controller, or of version 2 when `controller` is
/// empty. A line of mountinfo is, see proc(5):
///   36 35 98:0 /root /mount/point options [tags...] - type source
///   super-options
std::optional<Mount> findMount(const std::string &root,
                               std::string_view controller) {
  std::ifstream file(root + "/proc/self/mountinfo");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string word, type, source, superOptions;
    Mount mount;
    words >> word >> word >> word >> mount.root >> mount.point;
    while (words >> word && word != "-")
      ;
    words >> type >> source >> superOptions;
    if (controller.empty()
            ? type == "cgroup2"
            : type == "cgroup" && listContains(superOptions, controller))
      return mount;
  }
  return std::nullopt;
}

/// The directories of the process's group and of all groups above it.
std::vector<std::string> groupDirectories(const std::string &root,
                                          const Mount &mount,
                                          std::string group) {
  // Inside a container, the mount shows a part of the hierarchy only.
  if (mount.root != "/" && group.compare(0, mount.root.size(), mount.root) == 0)
    group.erase(0, mount.root.size());
  std::vector<std::string> directories;
  while (true) {
    while (!group.empty() && group.back() == '/')
      group.pop_back();
    directories.push_back(root + mount.point + group);
    size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos)
      break;
    group.erase(slash);
  }
  return directories;
}

void readVersion2(const std::string &directory, CgroupLimits &limits) {
  if (auto line = readLine(directory + "/cpu.max")) {
    std::istringstream words(*line);
    double quota = 0, period = 0;
    // The quota is "max" where there is no limit, which is no number.
    if (words >> quota >> period && quota > 0 && period > 0)
      keepSmaller(limits.cpus, quota / period);
  }
  if (auto line = readLine(directory + "/memory.max")) {
    uint64_t bytes = std::strtoull(line->c_str(), nullptr, 10);
    if (bytes > 0)
      keepSmaller(limits.memoryBytes, bytes);
  }
}

void readVersion1(const std::string &directory, CgroupLimits &limits) {
  auto quotaLine = readLine(directory + "/cpu.cfs_quota_us");
  auto periodLine = readLine(directory + "/cpu.cfs_period_us");
  if (quotaLine && periodLine) {
    double quota = std::strtod(quotaLine->c_str(), nullptr);
    double period = std::strtod(periodLine->c_str(), nullptr);
    if (quota > 0 && period > 0) // -1: no limit
      keepSmaller(limits.cpus, quota / period);
  }
  if (auto line = readLine(directory + "/memory.limit_in_bytes")) {
    uint64_t bytes = std::strtoull(line->c_str(), nullptr, 10);
    // "No limit" is the largest multiple of the page size.
    if (bytes > 0 && bytes < uint64_t(1) << 60)
      keepSmaller(limits.memoryBytes, bytes);
  }
}

/// The number of cores that the affinity mask reaches.
unsigned coresInAffinityMask() {
  // Larger machines need a larger mask than cpu_set_t.
  for (int cpus = 1024; cpus <= 65536; cpus *= 4) {
    cpu_set_t *mask = CPU_ALLOC(cpus);
    if (!mask)
      break;
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (sched_getaffinity(0, bytes, mask) != 0) {
      CPU_FREE(mask);
      continue;
    }
    std::set<std::string> cores;
    for (int cpu = 0; cpu < cpus; ++cpu) {
      if (!CPU_ISSET_S(cpu, bytes, mask))
        continue;
      const std::string name = std::to_string(cpu);
      auto siblings = readLine("/sys/devices/system/cpu/cpu" + name +
                               "/topology/thread_siblings_list");
      cores.insert(siblings ? *siblings : name);
    }
    CPU_FREE(mask);
    return unsigned(cores.size());
  }
  return unsigned(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

} // namespace

CgroupLimits tc::runtime::readCgroupLimits(const std::string &root) {
  CgroupLimits limits;
  std::ifstream file(root + "/proc/self/cgroup");
  std::string line;
  // Lines are "hierarchy-id:controllers:group"; version 2 has no controllers.
  while (std::getline(file, line)) {
    size_t first = line.find(':');
    size_t second =
        first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      if (auto mount = findMount(root, ""))
        for (const auto &directory : groupDirectories(root, *mount, group))
          readVersion2(directory, limits);
      continue;
    }
    for (const char *controller : {"cpu", "memory"})
      if (listContains(controllers, controller))
        if (auto mount = findMount(root, controller))
          for (const auto &directory : groupDirectories(root, *mount, group))
            readVersion1(directory, limits);
  }
  return limits;
}

unsigned tc::runtime::availableCPUCount() {
  unsigned count = std::max(1u, coresInAffinityMask());
  // A part of a CPU would be throttled: count whole ones.
  if (auto cpus = readCgroupLimits().cpus)
    count = std::min(count, unsigned(std::max(1.0, std::floor(*cpus))));
  return count;
}

uint64_t tc::runtime::availableMemoryBytes() {
  uint64_t bytes = uint64_t(std::max(1L, sysconf(_SC_PHYS_PAGES))) *
                   uint64_t(std::max(1L, sysconf(_SC_PAGESIZE)));
  if (auto limit = readCgroupLimits().memoryBytes)
    bytes = std::min(bytes, *limit);
  return bytes;
}
