//===- ArtefactCache.h - Artefacts that processes share ---------*- C++ -*-===//

#ifndef TC_RUNTIME_ARTEFACTCACHE_H
#define TC_RUNTIME_ARTEFACTCACHE_H

#include "TC/Runtime/Artefact.h"

#include <string_view>

namespace tc::runtime {

/// Artefacts in files of a folder that only its owner can read, one file for
/// each entry. Any number of threads and processes may use one folder, and be
/// killed at any time: files appear whole, by renaming, and each is checked by
/// its hash before it is used.
class ArtefactCache {
public:
  static constexpr uint64_t kDefaultLimit = uint64_t(1) << 30;

  /// A file of the cache.
  struct Entry {
    std::string path;
    uint64_t bytes = 0;
    int64_t lastUse = 0; ///< nanoseconds since 1970
  };

  /// The cache in the folder "artefacts" of `directory`, which is made when
  /// something is stored. `limitBytes` is the size that stores keep it below.
  explicit ArtefactCache(const std::string &directory,
                         uint64_t limitBytes = kDefaultLimit);

  const std::string &folder() const { return path; }

  /// The artefact that was stored for `key`, which counts as a use of it;
  /// nothing when there is none. One that is damaged is removed.
  std::optional<ArtefactFile> find(std::string_view key) const;
  /// Stores an artefact, then removes those whose last use is the longest ago
  /// while the cache is larger than its limit. Fails when the folder cannot be
  /// written, or could be by others than its owner.
  Status store(std::string_view key,
               const std::vector<ArtefactProgram> &programs) const;

  /// All entries, the last used first. Fails when the folder is not its
  /// owner's alone; none where there is no folder.
  Expected<std::vector<Entry>> list() const;
  /// Removes all entries, and what killed processes have left.
  Status clear() const;

private:
  std::string pathOf(std::string_view key) const;
  Status checkFolder() const;
  void evict() const;

  std::string path;
  uint64_t limit;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_ARTEFACTCACHE_H
