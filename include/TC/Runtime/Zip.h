//===- Zip.h - Zip archives -------------------------------------*- C++ -*-===//
//
// Enough of the zip format for .npz and similar archives: entries stored or
// deflated, zip64, no encryption, one disk.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ZIP_H
#define TC_RUNTIME_ZIP_H

#include "TC/Runtime/Status.h"
#include "TC/Runtime/Storage.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tc::runtime {

struct ZipEntry {
  std::string name;
  uint64_t bytes = 0;        ///< once unpacked
  uint64_t packedBytes = 0;  ///< in the archive
  uint64_t headerOffset = 0; ///< of the entry's local header
  uint32_t checksum = 0;     ///< CRC-32 of the unpacked bytes
  uint16_t method = 0;       ///< 0: stored, 8: deflated
  uint16_t flags = 0;
};

/// Reads an archive through a mapping of its file.
class ZipReader {
public:
  static Expected<ZipReader> open(const std::string &path);
  /// Reads an archive that is in memory; messages call it `path`.
  static Expected<ZipReader> fromStorage(StorageRef file, std::string path);

  /// The entries in the order of the archive's directory.
  std::span<const ZipEntry> entries() const { return directory; }
  /// The entry of that name, or null.
  const ZipEntry *find(std::string_view name) const;

  /// The entry's bytes as they are in the archive, not checked. They live as
  /// long as the mapping.
  Expected<std::span<const char>> packedBytes(const ZipEntry &entry) const;
  /// The entry's bytes, unpacked into memory from the pool if deflated, else in
  /// the mapping, which `keepAlive` then holds. Checks the checksum.
  Expected<std::span<const char>> read(const ZipEntry &entry,
                                       StorageRef &keepAlive) const;

  const StorageRef &mapping() const { return file; }

private:
  Status readDirectory();
  Status corrupt(const std::string &reason) const;

  std::string path;
  StorageRef file;
  std::vector<ZipEntry> directory;
};

/// One entry to write: its bytes are the parts, one after the other.
struct ZipContent {
  std::string name;
  std::vector<std::span<const char>> parts;
};

/// Writes an archive of stored entries; replaces the file.
Status writeZip(const std::string &path, std::span<const ZipContent> entries);

/// CRC-32 as in zip, of the bytes with checksum `previous` followed by `bytes`.
uint32_t checksumCRC32(std::span<const char> bytes, uint32_t previous = 0);

} // namespace tc::runtime

#endif // TC_RUNTIME_ZIP_H
