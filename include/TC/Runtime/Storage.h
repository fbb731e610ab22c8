//===- Storage.h - Shared memory of tensors ---------------------*- C++ -*-===//

#ifndef TC_RUNTIME_STORAGE_H
#define TC_RUNTIME_STORAGE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tc::runtime {

/// A block of memory with a count of its holders. Whoever made it says in
/// `release` what happens when the last holder lets go.
struct Storage {
  void *data = nullptr;
  size_t bytes = 0;
  std::atomic<int64_t> holders{0};
  void (*release)(Storage *) = nullptr;
  bool readOnly = false;
};

/// Holds a Storage; copies share it. Thread-safe as std::shared_ptr is.
class StorageRef {
public:
  StorageRef() = default;
  explicit StorageRef(Storage *storage) : storage(storage) { retain(); }
  StorageRef(const StorageRef &other) : storage(other.storage) { retain(); }
  StorageRef(StorageRef &&other) noexcept
      : storage(std::exchange(other.storage, nullptr)) {}
  StorageRef &operator=(StorageRef other) noexcept {
    std::swap(storage, other.storage);
    return *this;
  }
  ~StorageRef() { reset(); }

  void reset() {
    Storage *old = std::exchange(storage, nullptr);
    if (old && old->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
      old->release(old);
  }

  Storage *get() const { return storage; }
  Storage *operator->() const { return storage; }
  explicit operator bool() const { return storage != nullptr; }

private:
  void retain() {
    if (storage)
      storage->holders.fetch_add(1, std::memory_order_relaxed);
  }
  Storage *storage = nullptr;
};

/// Wraps memory that someone else owns. `deleter(context)` runs when the last
/// holder lets go; it may be null for memory that outlives the process.
StorageRef wrapForeignMemory(void *data, size_t bytes, void (*deleter)(void *),
                             void *context);

} // namespace tc::runtime

#endif // TC_RUNTIME_STORAGE_H
