//===- LaunchSequence.h - Launches and the CUDA graph of them ---*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_LAUNCHSEQUENCE_H
#define TC_LIB_RUNTIME_LAUNCHSEQUENCE_H

#include "CUDALaunch.h"

#include <cstring>
#include <vector>

namespace tc::runtime {

/// Launches that follow each other on a stream, with their arguments, and from
/// two on a CUDA graph of them. The device's context must be the thread's in
/// all functions.
class LaunchSequence {
public:
  explicit LaunchSequence(CUDADevice &device) : device(device) {}
  ~LaunchSequence() { dropGraph(); }
  LaunchSequence(const LaunchSequence &) = delete;
  LaunchSequence &operator=(const LaunchSequence &) = delete;

  size_t size() const { return launches.size(); }
  const tc_kernel *kernel(size_t index) const { return launches[index].kernel; }
  /// Whether the first `count` kernels are those of `other`.
  bool beginsAs(const LaunchSequence &other, size_t count) const;

  /// Appends a launch; the arguments are copied.
  void add(const tc_kernel &kernel, int64_t blocks, const CUDALaunch &launch,
           const void *arguments);
  /// Appends the first `count` launches of `other`.
  void addFrom(const LaunchSequence &other, size_t count);

  /// Makes the graph, where there are launches enough. If the driver cannot,
  /// refusal() says why.
  void makeGraph();
  bool hasGraph() const { return executable; }
  const std::string &refusal() const { return reason; }

  /// Gives launch `index` other blocks and arguments, in the graph as well.
  Status update(size_t index, int64_t blocks, const void *arguments) {
    Launch &launch = launches[index];
    if (launch.blocks == blocks &&
        std::memcmp(&argumentBytes[launch.offset], arguments,
                    launch.kernel->argument_bytes) == 0) [[likely]]
      return Status::success();
    return change(launch, blocks, arguments);
  }
  /// The same for the first `count`, which have the kernels of `other`.
  Status updateFrom(const LaunchSequence &other, size_t count);

  /// Starts all: the graph, or one by one where there is none.
  Status start(CUstream stream);
  /// Starts the first `count` one by one.
  Status startOneByOne(CUstream stream, size_t count);

private:
  struct Launch {
    const tc_kernel *kernel = nullptr;
    int64_t blocks = 0;
    CUDALaunch grid;
    size_t offset = 0; ///< of its arguments
    CUgraphNode node = nullptr;
  };
  Status change(Launch &launch, int64_t blocks, const void *arguments);
  CUkernelNodeParams describe(const Launch &launch,
                              KernelArguments &arguments) const;
  CUresult addNodes();
  void dropGraph();
  void refuse(const char *what, CUresult error);
  char *argumentsOf(const Launch &launch) {
    return &argumentBytes[launch.offset];
  }

  CUDADevice &device;
  std::vector<Launch> launches;
  std::vector<char> argumentBytes;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  std::string reason;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_LAUNCHSEQUENCE_H
