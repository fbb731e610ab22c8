//===- CacheSizes.h - Caches of the machine at hand -------------*- C++ -*-===//

#ifndef TC_RUNTIME_CACHESIZES_H
#define TC_RUNTIME_CACHESIZES_H

#include <cstdint>
#include <optional>
#include <string>

namespace tc::runtime {

/// The caches that the system reports; nothing for those that it does not.
struct CacheSizes {
  /// Bytes of second-level cache for one core: its share where several use one.
  std::optional<uint64_t> coreBytes;
  /// The last level's caches of all cores that this process may use, where that
  /// is a level above the second's.
  std::optional<uint64_t> sharedBytes;
};

/// Reads what Linux says of the caches of the CPU with number `cpu`
/// (Documentation/ABI/testing/sysfs-devices-system-cpu), for a process that may
/// use `cores` cores. `root` is put before every path read, for tests.
CacheSizes readCacheSizes(unsigned cpu, unsigned cores,
                          const std::string &root = "");

/// The caches that this process may use.
CacheSizes availableCaches();

} // namespace tc::runtime

#endif // TC_RUNTIME_CACHESIZES_H
