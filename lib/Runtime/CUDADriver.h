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
using CUevent = void *;
using CUlinkState = void *;
using CUmemoryPool = void *;
using CUgraph = void *;
using CUgraphNode = void *;
using CUgraphExec = void *;

/// CUlaunchAttributeValue.
union CUlaunchAttributeValue {
  char bytes[64];
  unsigned cluster[3];
  int flag;
};

/// CUlaunchAttribute: a value behind a number.
struct CUlaunchAttribute {
  int id;
  char padding[4];
  CUlaunchAttributeValue value;
};

/// CUlaunchConfig.
struct CUlaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUDA_KERNEL_NODE_PARAMS of version 2.
struct CUkernelNodeParams {
  CUfunction function;
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void **arguments, **extra;
  void *kernel;
  CUcontext context;
};

/// What a dependency between two nodes of a graph is.
struct CUgraphEdgeData {
  unsigned char fromPort, toPort, type, reserved[5];
};

/// CUtensorMap: how the tensor memory accelerator walks over a tensor.
struct alignas(64) CUtensorMap {
  uint64_t words[16];
};

/// A side of a copy of rows and slices.
struct CUDAMemcpySide {
  size_t x, y, z, lod;
  unsigned memoryType; ///< CU_MEMORYTYPE_*
  void *host;
  CUdeviceptr device;
  void *array, *reserved;
  size_t pitch, height; ///< bytes from row to row, rows from slice to slice
};

struct CUDA_MEMCPY3D {
  CUDAMemcpySide source, destination;
  size_t widthInBytes, height, depth;
};

/// The functions used of libcuda.so.1, by their names there (newest versions).
struct CUDADriver {
  CUresult (*cuInit)(unsigned flags);
  CUresult (*cuDriverGetVersion)(int *version);
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
  CUresult (*cuStreamWaitEvent)(CUstream stream, CUevent event, unsigned flags);
  CUresult (*cuEventCreate)(CUevent *event, unsigned flags);
  CUresult (*cuEventRecord)(CUevent event, CUstream stream);
  CUresult (*cuEventQuery)(CUevent event);
  CUresult (*cuEventSynchronize)(CUevent event);
  CUresult (*cuEventElapsedTime)(float *milliseconds, CUevent begin,
                                 CUevent end);
  CUresult (*cuEventDestroy)(CUevent event);
  CUresult (*cuDeviceGetDefaultMemPool)(CUmemoryPool *pool, CUdevice device);
  CUresult (*cuMemPoolSetAttribute)(CUmemoryPool pool, int attribute,
                                    void *value);
  CUresult (*cuMemPoolTrimTo)(CUmemoryPool pool, size_t bytes);
  CUresult (*cuMemAllocAsync)(CUdeviceptr *address, size_t bytes,
                              CUstream stream);
  CUresult (*cuMemFreeAsync)(CUdeviceptr address, CUstream stream);
  CUresult (*cuMemHostAlloc)(void **address, size_t bytes, unsigned flags);
  CUresult (*cuMemcpyHtoD)(CUdeviceptr to, const void *from, size_t bytes);
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr to, const void *from, size_t bytes,
                                CUstream stream);
  CUresult (*cuMemcpyDtoH)(void *to, CUdeviceptr from, size_t bytes);
  CUresult (*cuMemcpyDtoHAsync)(void *to, CUdeviceptr from, size_t bytes,
                                CUstream stream);
  CUresult (*cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                CUstream stream);
  CUresult (*cuMemcpy3DAsync)(const CUDA_MEMCPY3D *copy, CUstream stream);
  CUresult (*cuMemsetD8Async)(CUdeviceptr address, unsigned char value,
                              size_t bytes, CUstream stream);
  CUresult (*cuModuleLoadDataEx)(CUmodule *module, const void *image,
                                 unsigned optionCount, int *options,
                                 void **values);
  CUresult (*cuModuleGetFunction)(CUfunction *function, CUmodule module,
                                  const char *name);
  CUresult (*cuLinkCreate)(unsigned optionCount, int *options, void **values,
                           CUlinkState *state);
  CUresult (*cuLinkAddData)(CUlinkState state, int type, void *data,
                            size_t bytes, const char *name,
                            unsigned optionCount, int *options, void **values);
  CUresult (*cuLinkComplete)(CUlinkState state, void **cubin, size_t *bytes);
  CUresult (*cuLinkDestroy)(CUlinkState state);
  CUresult (*cuFuncGetAttribute)(int *value, int attribute,
                                 CUfunction function);
  CUresult (*cuFuncSetAttribute)(CUfunction function, int attribute, int value);
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned blocksX,
                             unsigned blocksY, unsigned blocksZ,
                             unsigned threadsX, unsigned threadsY,
                             unsigned threadsZ, unsigned sharedBytes,
                             CUstream stream, void **arguments, void **extra);

  // Of newer drivers; null where there is none.
  CUresult (*cuStreamGetId)(CUstream stream, unsigned long long *id);
  CUresult (*cuLaunchKernelEx)(const CUlaunchConfig *config,
                               CUfunction function, void **arguments,
                               void **extra);
  CUresult (*cuTensorMapEncodeTiled)(
      CUtensorMap *map, int dataType, uint32_t rank, void *address,
      const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
      const uint32_t *elementStrides, int interleave, int swizzle,
      int promotion, int fill);
  CUresult (*cuTensorMapEncodeIm2col)(
      CUtensorMap *map, int dataType, uint32_t rank, void *address,
      const uint64_t *sizes, const uint64_t *strides, const int *lower,
      const int *upper, uint32_t channels, uint32_t pixels,
      const uint32_t *elementStrides, int interleave, int swizzle,
      int promotion, int fill);
  CUresult (*cuStreamIsCapturing)(CUstream stream, int *status);
  CUresult (*cuGraphCreate)(CUgraph *graph, unsigned flags);
  CUresult (*cuGraphDestroy)(CUgraph graph);
  CUresult (*cuGraphAddKernelNode)(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *after, size_t afterCount,
                                   const CUkernelNodeParams *parameters);
  CUresult (*cuGraphKernelNodeSetAttribute)(
      CUgraphNode node, int attribute, const CUlaunchAttributeValue *value);
  CUresult (*cuGraphAddDependencies)(CUgraph graph, const CUgraphNode *from,
                                     const CUgraphNode *to,
                                     const CUgraphEdgeData *edges,
                                     size_t count);
  CUresult (*cuGraphInstantiateWithFlags)(CUgraphExec *executable,
                                          CUgraph graph,
                                          unsigned long long flags);
  CUresult (*cuGraphExecKernelNodeSetParams)(
      CUgraphExec executable, CUgraphNode node,
      const CUkernelNodeParams *parameters);
  CUresult (*cuGraphLaunch)(CUgraphExec executable, CUstream stream);
  CUresult (*cuGraphExecDestroy)(CUgraphExec executable);

  /// Whether the driver has what launches of CUDA graphs need.
  bool hasGraphs() const {
    return cuStreamIsCapturing && cuGraphCreate && cuGraphDestroy &&
           cuGraphAddKernelNode && cuGraphKernelNodeSetAttribute &&
           cuGraphInstantiateWithFlags && cuGraphExecKernelNodeSetParams &&
           cuGraphLaunch && cuGraphExecDestroy;
  }

  /// Opens the driver and initialises it, once. Null when that fails, and then
  /// `reason`, if it is given, says why.
  static const CUDADriver *get(std::string *reason = nullptr);

  /// The driver's text for an error.
  std::string describe(CUresult error) const;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDADRIVER_H
