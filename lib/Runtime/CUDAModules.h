//===- CUDAModules.h - Loading kernels into a device ------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDAMODULES_H
#define TC_LIB_RUNTIME_CUDAMODULES_H

#include "CUDADevice.h"

namespace tc::runtime {

/// Loads an image, PTX with a zero behind it or a cubin, and gives the kernel
/// in it. The device's context must be the thread's.
Expected<CUfunction> loadCUDAKernel(CUDADevice &device, const char *kernel,
                                    const char *image, uint64_t imageBytes);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDAMODULES_H
