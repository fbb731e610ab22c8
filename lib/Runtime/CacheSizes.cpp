//===- CacheSizes.cpp - Caches of the machine at hand ---------------------===//

#include "TC/Runtime/CacheSizes.h"
#include "TC/Runtime/CPULimit.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <sstream>

using namespace tc::runtime;

/// The first word of a file, empty if there is none.
static std::string readWord(const std::string &path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// "48K", "2048K" or "32M" in bytes.
static std::optional<uint64_t> parseSize(const std::string &text) {
  std::istringstream words(text);
  uint64_t count = 0;
  char unit = 0;
  if (!(words >> count) || count == 0 || count > uint64_t(1) << 40)
    return std::nullopt;
  words >> unit;
  switch (unit) {
  case 'K':
    return count << 10;
  case 'M':
    return count << 20;
  case 'G':
    return count << 30;
  default:
    return count;
  }
}

/// How many CPUs a list such as "0-3,8,10-11" names; 1 for what is no list.
static uint64_t countListed(const std::string &text) {
  std::istringstream ranges(text);
  std::string range;
  uint64_t count = 0;
  while (std::getline(ranges, range, ',')) {
    std::istringstream numbers(range);
    uint64_t first = 0, last = 0;
    char dash = 0;
    if (!(numbers >> first))
      continue;
    if (!(numbers >> dash >> last) || last < first)
      last = first;
    count += last - first + 1;
  }
  return std::max<uint64_t>(1, count);
}

CacheSizes tc::runtime::readCacheSizes(unsigned cpu, unsigned cores,
                                       const std::string &root) {
  const std::string directory =
      root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
  const uint64_t threads =
      countListed(readWord(directory + "/topology/thread_siblings_list"));
  CacheSizes sizes;
  uint64_t lastLevel = 2;
  for (unsigned index = 0;; ++index) {
    const std::string cache =
        directory + "/cache/index" + std::to_string(index) + "/";
    const std::string level = readWord(cache + "level");
    if (level.empty())
      return sizes;
    auto bytes = parseSize(readWord(cache + "size"));
    if (!bytes || readWord(cache + "type") == "Instruction")
      continue;
    const uint64_t number = std::strtoull(level.c_str(), nullptr, 10);
    const uint64_t sharing = std::max<uint64_t>(
        1, countListed(readWord(cache + "shared_cpu_list")) / threads);
    if (number == 2)
      sizes.coreBytes = *bytes / sharing;
    if (number <= lastLevel)
      continue;
    lastLevel = number;
    // A virtual machine is told of the whole cache of a host that has many
    // more cores than its own: no chip has more than this for each.
    constexpr uint64_t kMostPerCore = uint64_t(16) << 20;
    sizes.sharedBytes =
        std::min(*bytes * std::max<uint64_t>(1, cores / sharing),
                 kMostPerCore * std::max(1u, cores));
  }
}

CacheSizes tc::runtime::availableCaches() {
  cpu_set_t mask;
  unsigned cpu = 0;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
    for (unsigned other = 0; other < CPU_SETSIZE; ++other)
      if (CPU_ISSET(other, &mask)) {
        cpu = other;
        break;
      }
  return readCacheSizes(cpu, availableCPUCount());
}
