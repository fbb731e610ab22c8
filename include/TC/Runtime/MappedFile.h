//===- MappedFile.h - Files in memory ---------------------------*- C++ -*-===//

#ifndef TC_RUNTIME_MAPPEDFILE_H
#define TC_RUNTIME_MAPPEDFILE_H

#include "TC/Runtime/Status.h"
#include "TC/Runtime/Storage.h"

#include <span>
#include <string>

namespace tc::runtime {

/// Maps a whole file, read-only. The storage's holders keep it mapped; `data`
/// is null for an empty file.
Expected<StorageRef> mapFile(const std::string &path);

/// The bytes of a mapped file.
inline std::span<const char> bytesOf(const StorageRef &storage) {
  return {static_cast<const char *>(storage->data), storage->bytes};
}

/// Lets the system take back the memory of whole pages among `bytes` bytes at
/// `data`, which it reads from the file again when they are next touched. Does
/// nothing unless `storage` is a mapped file.
void dropMappedPages(const StorageRef &storage, const void *data, size_t bytes);

/// Writes the parts one after the other to a new file, or to the end of one
/// that exists when `append` is set.
Status writeFile(const std::string &path,
                 std::span<const std::span<const char>> parts,
                 bool append = false);

} // namespace tc::runtime

#endif // TC_RUNTIME_MAPPEDFILE_H
