//===- CUDADriver.h - The functions of the CUDA driver ----------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDADRIVER_H
#define TC_LIB_RUNTIME_CUDADRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tc::runtime {

// The driver's types, without its header.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = void *;
using CUmodule = void *;
using CUfunction = void *;
using CUstream = void *;
using CUmemoryPool = void *;

/// The functions used of libcuda.so.1, by their names there (newest versions).
struct CUDADriver {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuGetErrorString)(CUresult error, const char **text);
  CUresult (*cuDeviceGetCount)(int *count);
  CUresult (*cuDeviceGet)(CUdevice *device, int ordinal);
  CUresult (*cuDeviceGetName)(char *name, int length, CUdevice device);
  CUresult (*cuDeviceTotalMem)(size_t *bytes, CUdevice device);
  CUresult (*cuDeviceGetAttribute)(int *value, int attribute, CUdevice device);
  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
  CUresult (*cuCtxGetCurrent)(CUcontext *context);
  CUresult (*cuCtxSetCurrent)(CUcontext context);
  CUresult (*cuCtxSynchronize)();
  CUresult (*cuStreamSynchronize)(CUstream stream);
  CUresult (*cuDeviceGetDefaultMemPool)(CUmemoryPool *pool, CUdevice device);
  CUresult (*cuMemPoolSetAttribute)(CUmemoryPool pool, int attribute,
                                    void *value);
  CUresult (*cuMemAllocAsync)(CUdeviceptr *address, size_t bytes,
                              CUstream stream);
  CUresult (*cuMemFreeAsync)(CUdeviceptr address, CUstream stream);
  CUresult (*cuMemcpyHtoD)(CUdeviceptr to, const void *from, size_t bytes);
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr to, const void *from, size_t bytes,
                                CUstream stream);
  CUresult (*cuMemcpyDtoH)(void *to, CUdeviceptr from, size_t bytes);
  CUresult (*cuMemcpyDtoHAsync)(void *to, CUdeviceptr from, size_t bytes,
                                CUstream stream);
  CUresult (*cuMemsetD8Async)(CUdeviceptr address, unsigned char value,
                              size_t bytes, CUstream stream);
  CUresult (*cuModuleLoadDataEx)(CUmodule *module, const void *image,
                                 unsigned optionCount, int *options,
                                 void **values);
  CUresult (*cuModuleGetFunction)(CUfunction *function, CUmodule module,
                                  const char *name);
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned blocksX,
                             unsigned blocksY, unsigned blocksZ,
                             unsigned threadsX, unsigned threadsY,
                             unsigned threadsZ, unsigned sharedBytes,
                             CUstream stream, void **arguments, void **extra);

  /// Opens the driver and initialises it, once. Null when that fails, and then
  /// `reason`, if it is given, says why.
  static const CUDADriver *get(std::string *reason = nullptr);

  /// The driver's text for an error.
  std::string describe(CUresult error) const;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDADRIVER_H
