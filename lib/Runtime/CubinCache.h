//===- CubinCache.h - Assembled kernels on disk -----------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUBINCACHE_H
#define TC_LIB_RUNTIME_CUBINCACHE_H

#include <optional>
#include <string>
#include <string_view>

namespace tc::runtime {

/// What an assembler made of PTX, in files of the folder `TC_CACHE_DIR`; none
/// without it. The driver hands out only code that is to be linked, of which
/// rows in registers take a third to twice as long; what it makes of PTX that
/// is loaded directly it keeps in a cache of its own. A file
/// is found by a hash of the PTX, the driver's version and the chip, and used
/// only where it holds exactly these and its content has its hash; any other
/// one is written again. Safe for several processes and threads.
class CubinCache {
public:
  /// The folder, from the environment at the first call; empty for none.
  static const std::string &folder();

  /// The cubin of a PTX image; nothing when there is none.
  static std::optional<std::string>
  read(std::string_view image, int driverVersion, const std::string &chip);
  /// Keeps a cubin. A folder that cannot be written keeps none.
  static void write(std::string_view image, int driverVersion,
                    const std::string &chip, std::string_view cubin);
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUBINCACHE_H
