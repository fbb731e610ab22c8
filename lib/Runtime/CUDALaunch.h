//===- CUDALaunch.h - Starting kernels --------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDALAUNCH_H
#define TC_LIB_RUNTIME_CUDALAUNCH_H

#include "CUDADevice.h"

namespace tc::runtime {

/// A launch of a kernel as the driver is given it.
struct CUDALaunch {
  CUfunction function = nullptr;
  unsigned gridX = 0, gridY = 0;
};

/// CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
inline constexpr int clusterDimension = 4;

/// The arguments of a launch in the form in which the driver copies them: one
/// block, or for a kernel with tensor maps the address of each. The parameters
/// of such a kernel do not begin where those of others do, as they are aligned
/// to 64 bytes, and the driver copies a block to where the others begin. Must
/// not be moved while it is used.
class KernelArguments {
public:
  /// Most bytes of a kernel's arguments with tensor maps.
  static constexpr size_t mostBytes = 4096;

  KernelArguments(const tc_kernel &kernel, void *block);
  KernelArguments(const KernelArguments &) = delete;
  KernelArguments &operator=(const KernelArguments &) = delete;
  /// Parameters `kernelParams` and `extra` of the driver's functions.
  void **addresses() { return isBlock ? nullptr : list; }
  void **extra() { return isBlock ? list : nullptr; }

private:
  bool isBlock;
  size_t bytes;
  void *list[mostBytes / sizeof(uint64_t)]; // filled as far as it is used
};

/// Writes the tensor maps of a kernel, if it has any, into its arguments.
Status encodeTensorMaps(CUDADevice &device, const tc_kernel &kernel,
                        void *arguments);

/// Finds a kernel, which is loaded where it is not yet, and the grid of
/// `blocks` blocks, at least one; says what the driver cannot do. The device's
/// context must be the thread's, as for all others here.
Status prepareCUDALaunch(CUDADevice &device, const tc_kernel &kernel,
                         int64_t blocks, CUDALaunch &launch);

/// Starts a kernel with arguments whose tensor maps are encoded.
Status startCUDAKernel(CUDADevice &device, CUstream stream,
                       const tc_kernel &kernel, const CUDALaunch &launch,
                       void *arguments);

/// See tc_runtime_api::launch_kernel.
Status launchCUDAKernel(CUDADevice &device, CUstream stream,
                        const tc_kernel &kernel, int64_t blocks,
                        void *arguments);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDALAUNCH_H
