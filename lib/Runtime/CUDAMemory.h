//===- CUDAMemory.h - Memory of a device in stream order --------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDAMEMORY_H
#define TC_LIB_RUNTIME_CUDAMEMORY_H

#include "CUDADevice.h"
#include "TC/Runtime/Storage.h"

#include <map>
#include <vector>

namespace tc::runtime {

class CUDAMemory;

/// What a block has when it is allocated; what it had when it was given back.
enum class BlockContent { Anything, Zeros };

/// A block of device memory. It belongs to the order of the stream for which it
/// was allocated, and goes back to that stream's free blocks without a call of
/// the driver: the stream's next work comes after what uses the block now.
struct CUDABlock : Storage {
  CUDAMemory *owner = nullptr;
  CUstream stream = nullptr; ///< may be destroyed
  uint64_t streamId = 0;
  BlockContent content = BlockContent::Anything;
  CUDABlock *next = nullptr; ///< in a list of free or waiting blocks
  /// Work of other streams that uses it ends at these. Guarded by the owner.
  std::vector<CUevent> events;
  /// Whether another library's streams, which are not known, may use it.
  std::atomic<bool> isShared = false;
};

/// The blocks of one device. Streams are told apart by the driver's number for
/// them, so that a stream may be destroyed while its blocks live.
class CUDAMemory {
public:
  static CUDAMemory &of(CUDADevice &device);

  /// A block of at least `bytes` bytes for work of `stream`, which leaves it
  /// full of zeros where it has them; fails when there is no memory. The
  /// device's context must be the thread's, as for all others here.
  Expected<StorageRef> allocate(size_t bytes, CUstream stream,
                                BlockContent content = BlockContent::Anything);

  /// A number of a stream that no other one has, even after its end.
  uint64_t idOf(CUstream stream) const;

  /// Says that the work that `stream` has so far uses a block.
  void recordUse(CUDABlock &block, CUstream stream);

  /// Waits for the device and gives its free blocks, with those of CUDA graphs
  /// that no call uses, back to the driver; the bytes.
  uint64_t trim();

  CUDADevice &device() const { return *owner; }

  /// The block behind a storage; null for other memory.
  static CUDABlock *blockOf(Storage &storage);

private:
  /// By content and bytes of a block.
  using FreeLists = std::map<std::pair<BlockContent, size_t>, CUDABlock *>;

  static void release(Storage *storage);
  FreeLists &listsOf(uint64_t streamId);
  CUDABlock *takeFree(uint64_t streamId, size_t bytes, BlockContent content);
  void putBack(CUDABlock *block);
  void collectWaiting();
  bool isDone(CUDABlock &block);
  Expected<CUDABlock *> makeBlock(size_t requested, CUstream stream,
                                  BlockContent content);

  CUDADevice *owner = nullptr;
  std::mutex mutex;
  std::vector<std::pair<uint64_t, FreeLists>> streams;
  CUDABlock *waiting = nullptr; ///< given back while other streams use them
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDAMEMORY_H
