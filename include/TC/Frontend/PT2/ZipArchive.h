//===- ZipArchive.h - stored zip entries in place ---------------*- C++ -*-===//
//
// Reads the directory of a zip file whose entries are stored without
// compression, which is how torch.export.save writes a .pt2 archive. The file
// is mapped; an entry is a range of bytes of that mapping, so weights are used
// in place and never copied. The runtime's reader knows the format.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_PT2_ZIPARCHIVE_H
#define TC_FRONTEND_PT2_ZIPARCHIVE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tc::runtime {
class ZipReader;
struct ZipEntry;
template <typename T> class Expected;
} // namespace tc::runtime

namespace tc::pt2 {

/// One entry of an archive. `bytes` points into the mapped file and lives as
/// long as its ZipArchive; `offset` is where it begins in the file, in bytes.
struct ZipEntry {
  std::string name;
  llvm::StringRef bytes;
  uint64_t offset = 0;
};

/// The directory of a zip file, read once. Zip64 archives are understood;
/// compressed and encrypted entries are refused by name, and every offset and
/// length of the file is checked before it is used.
class ZipArchive {
public:
  /// Maps the file at `path` and reads its directory.
  static llvm::Expected<std::unique_ptr<ZipArchive>> open(llvm::StringRef path);

  /// Reads the directory of an archive already in memory; messages call it by
  /// the buffer's identifier.
  static llvm::Expected<std::unique_ptr<ZipArchive>>
  fromBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer);

  /// The path the archive was opened from.
  llvm::StringRef getPath() const { return path; }

  /// All entries, in the order of the archive's directory.
  const std::vector<ZipEntry> &getEntries() const { return entries; }

  /// The entry called `name`, or null.
  const ZipEntry *find(llvm::StringRef name) const;

  ~ZipArchive();

private:
  ZipArchive(llvm::StringRef path, std::unique_ptr<runtime::ZipReader> reader);
  static llvm::Expected<std::unique_ptr<ZipArchive>>
  make(llvm::StringRef path, runtime::Expected<runtime::ZipReader> reader);
  llvm::Error add(const runtime::ZipEntry &entry);

  std::string path;
  std::unique_ptr<runtime::ZipReader> reader;
  std::vector<ZipEntry> entries;
  llvm::StringMap<size_t> indexByName;
};

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_ZIPARCHIVE_H
