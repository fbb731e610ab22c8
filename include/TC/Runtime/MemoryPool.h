//===- MemoryPool.h - Memory for results and arenas -------------*- C++ -*-===//
//
// On a CPU, the page faults of fresh memory cost more than the arithmetic that
// fills a large result. The pool keeps blocks that were let go and hands them
// out again, without page faults. Sizes are rounded up to one of four classes
// per doubling (at most a quarter is lost). Blocks are 64-byte aligned; from
// 2 MiB on they are aligned to 2 MiB and ask for huge pages.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_MEMORYPOOL_H
#define TC_RUNTIME_MEMORYPOOL_H

#include "TC/Runtime/Storage.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tc::runtime {

/// Sizes are those of whole blocks, after rounding.
struct MemoryPoolStatistics {
  uint64_t bytesLive = 0;   ///< handed out now
  uint64_t bytesPeak = 0;   ///< the most that was handed out at once
  uint64_t bytesCached = 0; ///< kept for reuse
  uint64_t allocations = 0; ///< calls of allocate
  uint64_t reuses = 0;      ///< of these, served from the cache
};

class MemoryPool {
public:
  MemoryPool();
  /// The last holder of its blocks may let go after the pool is gone.
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// The pool of the process. It lives until the process ends.
  static MemoryPool &global();

  /// A block of at least `bytes`, content undefined; its Storage::bytes is the
  /// size of the whole block. Empty when the system has no memory left even
  /// after the cache was given back. Thread-safe.
  StorageRef allocate(size_t bytes);

  /// Gives cached blocks back to the system until at most `keepBytes` are
  /// cached. Blocks below 64 KiB stay. Returns the bytes given back.
  uint64_t trim(uint64_t keepBytes = 0);

  /// The most that may be cached; blocks let go beyond it return to the system
  /// at once. A quarter of availableMemoryBytes() to begin with.
  void setCacheLimit(uint64_t bytes);

  MemoryPoolStatistics statistics() const;
  /// Sets the peak to what is live now.
  void resetPeak();

  /// The size that a request of `bytes` is rounded up to.
  static size_t roundUpToClass(size_t bytes);

private:
  struct State;
  State *state; ///< shared with the blocks, see the .cpp file
};

} // namespace tc::runtime

#endif // TC_RUNTIME_MEMORYPOOL_H
