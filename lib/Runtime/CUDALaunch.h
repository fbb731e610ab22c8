//===- CUDALaunch.h - Starting kernels --------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDALAUNCH_H
#define TC_LIB_RUNTIME_CUDALAUNCH_H

#include "CUDADevice.h"

namespace tc::runtime {

/// See tc_runtime_api::launch_kernel. The device's context must be the
/// thread's.
Status launchCUDAKernel(CUDADevice &device, CUstream stream,
                        const tc_kernel &kernel, int64_t blocks,
                        void *arguments);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDALAUNCH_H
