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
/// block. Must not be moved while it is used.
class ArgumentBlock {
public:
  ArgumentBlock(void *arguments, size_t bytes) : bytes(bytes) {
    list[1] = arguments;
    list[3] = &this->bytes;
  }
  ArgumentBlock(const ArgumentBlock &) = delete;
  ArgumentBlock &operator=(const ArgumentBlock &) = delete;
  void **get() { return list; }

private:
  size_t bytes;
  // CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE,
  // CU_LAUNCH_PARAM_END
  void *list[5] = {reinterpret_cast<void *>(1), nullptr,
                   reinterpret_cast<void *>(2), nullptr, nullptr};
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
