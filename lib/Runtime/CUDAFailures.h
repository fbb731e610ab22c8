//===- CUDAFailures.h - What kernels report after a call --------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDAFAILURES_H
#define TC_LIB_RUNTIME_CUDAFAILURES_H

#include "CUDADevice.h"

#include <vector>

namespace tc::runtime {

/// The failures that kernels of a device report late: words in memory of the
/// host that the device writes to, one for each launch of each function that
/// may fail. A function has the same ones in each call, on each stream, and a
/// word stays set until somebody is told: so nothing has to be cleared or given
/// back when a call is done, nobody waits, and a CUDA graph's arguments do not
/// change. The words are kept until the process ends.
class CUDAFailures {
public:
  static CUDAFailures &of(CUDADevice &device);

  /// The words of a function. The first time they are allocated, and the texts
  /// copied, as the function may be unloaded before a failure is noticed; the
  /// device's context must be the thread's then.
  Expected<int64_t *> wordsOf(const tc_kernel_failures &failures);

  /// The first failure that nobody has been told, with `prefix` before its
  /// message; clears all words of its function. A load for each word where
  /// there is none.
  Status take(const char *prefix = "");
  /// The same, of one function alone.
  Status takeOf(const tc_kernel_failures &failures);

private:
  static constexpr size_t wordsPerChunk = 8192, mostChunks = 64;
  struct Source {
    std::string message, kernel, location;
    size_t begin, end; ///< the words of its function
  };
  using Word = std::atomic_ref<int64_t>;

  Expected<int64_t *> addWords(const tc_kernel_failures &failures);
  Status takeRange(size_t begin, size_t end, const char *prefix);
  Word wordAt(size_t index) {
    return Word(chunks[index / wordsPerChunk][index % wordsPerChunk]);
  }

  CUDADevice *device = nullptr;
  std::mutex mutex; ///< of additions, and of what is read of them
  int64_t *chunks[mostChunks] = {};
  std::vector<Source> sources; ///< of each word
  std::atomic<size_t> count{0};
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDAFAILURES_H
