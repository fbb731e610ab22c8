//===- CUDAModules.h - Loading kernels into a device ------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDAMODULES_H
#define TC_LIB_RUNTIME_CUDAMODULES_H

#include "CUDADevice.h"

namespace tc::runtime {

/// Loads an image, PTX with a zero behind it or a cubin, and gives the kernel
/// in it: of the machine code that its artefact has beside the PTX, where the
/// device runs that. Other PTX is assembled once where `TC_CACHE_DIR` keeps its
/// cubin; where it is one of several kernels, other than `isAlone`, by CUDA's
/// assembler as a program, where there is one. The device's context must be the
/// thread's.
Expected<CUfunction> loadCUDAKernel(CUDADevice &device, const char *kernel,
                                    const char *image, uint64_t imageBytes,
                                    bool isAlone);

/// Loads the kernel and, at the same time on the threads of the pool, all
/// others of its list, and sets their handles. The device's context must be the
/// thread's.
Expected<CUfunction> loadCUDAKernels(CUDADevice &device,
                                     const tc_kernel &kernel);

/// The kernel in a device: one load where it has been loaded.
inline CUfunction findCUDAKernel(const CUDADevice &device,
                                 const tc_kernel &kernel) {
  return std::atomic_ref<void *>(kernel.handles[device.index])
      .load(std::memory_order_acquire);
}

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDAMODULES_H
