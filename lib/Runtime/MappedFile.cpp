//===- MappedFile.cpp - Files in memory -----------------------------------===//

#include "TC/Runtime/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace tc::runtime;

static Status systemError(const std::string &action, const std::string &path) {
  return Status(ErrorCode::IOError, "cannot " + action + " '" + path +
                                        "': " + std::strerror(errno));
}

static void unmap(Storage *storage) {
  if (storage->data)
    munmap(storage->data, storage->bytes);
  delete storage;
}

Expected<StorageRef> tc::runtime::mapFile(const std::string &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("open", path);
  struct stat information;
  if (fstat(file, &information) != 0 || !S_ISREG(information.st_mode)) {
    close(file);
    return Status(ErrorCode::IOError,
                  "cannot read '" + path + "': not a regular file");
  }
  const size_t bytes = size_t(information.st_size);
  void *data = nullptr;
  if (bytes > 0) {
    data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
      Status status = systemError("map", path);
      close(file);
      return status;
    }
  }
  close(file);
  auto *storage = new Storage();
  storage->data = data;
  storage->bytes = bytes;
  storage->readOnly = true;
  storage->release = unmap;
  return StorageRef(storage);
}

void tc::runtime::dropMappedPages(const StorageRef &storage, const void *data,
                                  size_t bytes) {
  // Only a file has the content a second time.
  if (!storage || storage->release != unmap)
    return;
  const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (uintptr_t(data) + page - 1) / page * page;
  const uintptr_t end = (uintptr_t(data) + bytes) / page * page;
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

namespace {
/// Writes to a file through a buffer, in whole blocks of 2 MiB up to the end:
/// the system then keeps a large file in its cache in huge pages, each of which
/// a process that maps the file gets by one fault.
class BlockWriter {
public:
  BlockWriter(int file, size_t bytes)
      : file(file), capacity(std::min(bytes, kBlock)) {
    block.reserve(capacity);
  }

  /// Whether it was written; `errno` says why not.
  bool add(std::span<const char> part) {
    while (!part.empty()) {
      const size_t count = std::min(part.size(), capacity - block.size());
      block.insert(block.end(), part.begin(), part.begin() + count);
      part = part.subspan(count);
      if (block.size() == capacity && !flush())
        return false;
    }
    return true;
  }
  bool flush() {
    std::span<const char> rest(block);
    while (!rest.empty()) {
      const ssize_t written = write(file, rest.data(), rest.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return false;
      rest = rest.subspan(size_t(written));
    }
    block.clear();
    return true;
  }

private:
  static constexpr size_t kBlock = size_t(2) << 20;
  int file;
  size_t capacity;
  std::vector<char> block;
};
} // namespace

Status tc::runtime::writeFile(const std::string &path,
                              std::span<const std::span<const char>> parts,
                              bool append) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
  const int file =
      open(path.c_str(), flags | (append ? O_APPEND : O_TRUNC), 0666);
  if (file < 0)
    return systemError("open", path);
  size_t bytes = 0;
  for (std::span<const char> part : parts)
    bytes += part.size();
  BlockWriter writer(file, bytes);
  bool isWritten = true;
  for (std::span<const char> part : parts)
    isWritten = isWritten && writer.add(part);
  if (!isWritten || !writer.flush()) {
    Status status = systemError("write", path);
    close(file);
    return status;
  }
  if (close(file) != 0)
    return systemError("write", path);
  return Status::success();
}
