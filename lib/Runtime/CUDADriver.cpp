//===- CUDADriver.cpp - The functions of the CUDA driver ------------------===//

#include "CUDADriver.h"
#include "SharedLibrary.h"

using namespace tc::runtime;

namespace {
/// The one attempt of the process to open the driver.
struct Opened {
  CUDADriver driver{};
  std::string reason;

  Opened() {
    void *handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!handle) {
      reason = "there is no CUDA driver on this machine (libcuda.so.1)";
      return;
    }
    SharedLibrary library(handle, "the CUDA driver", reason);
    library.require(driver.cuInit, "cuInit");
    library.require(driver.cuDriverGetVersion, "cuDriverGetVersion");
    library.require(driver.cuGetErrorString, "cuGetErrorString");
    library.require(driver.cuDeviceGetCount, "cuDeviceGetCount");
    library.require(driver.cuDeviceGet, "cuDeviceGet");
    library.require(driver.cuDeviceGetName, "cuDeviceGetName");
    library.require(driver.cuDeviceTotalMem, "cuDeviceTotalMem_v2");
    library.require(driver.cuDeviceGetAttribute, "cuDeviceGetAttribute");
    library.require(driver.cuDevicePrimaryCtxRetain,
                    "cuDevicePrimaryCtxRetain");
    library.require(driver.cuCtxGetCurrent, "cuCtxGetCurrent");
    library.require(driver.cuCtxSetCurrent, "cuCtxSetCurrent");
    library.require(driver.cuCtxSynchronize, "cuCtxSynchronize");
    library.require(driver.cuStreamSynchronize, "cuStreamSynchronize");
    library.require(driver.cuStreamWaitEvent, "cuStreamWaitEvent");
    library.require(driver.cuEventCreate, "cuEventCreate");
    library.require(driver.cuEventRecord, "cuEventRecord");
    library.require(driver.cuEventQuery, "cuEventQuery");
    library.require(driver.cuEventSynchronize, "cuEventSynchronize");
    library.require(driver.cuEventElapsedTime, "cuEventElapsedTime");
    library.require(driver.cuEventDestroy, "cuEventDestroy_v2");
    library.require(driver.cuDeviceGetDefaultMemPool,
                    "cuDeviceGetDefaultMemPool");
    library.require(driver.cuMemPoolSetAttribute, "cuMemPoolSetAttribute");
    library.require(driver.cuMemPoolTrimTo, "cuMemPoolTrimTo");
    library.require(driver.cuMemAllocAsync, "cuMemAllocAsync");
    library.require(driver.cuMemFreeAsync, "cuMemFreeAsync");
    library.require(driver.cuMemHostAlloc, "cuMemHostAlloc");
    library.require(driver.cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    library.require(driver.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
    library.require(driver.cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    library.require(driver.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
    library.require(driver.cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
    library.require(driver.cuMemcpy3DAsync, "cuMemcpy3DAsync_v2");
    library.require(driver.cuMemsetD8Async, "cuMemsetD8Async");
    library.require(driver.cuModuleLoadDataEx, "cuModuleLoadDataEx");
    library.require(driver.cuModuleGetFunction, "cuModuleGetFunction");
    library.require(driver.cuLinkCreate, "cuLinkCreate_v2");
    library.require(driver.cuLinkAddData, "cuLinkAddData_v2");
    library.require(driver.cuLinkComplete, "cuLinkComplete");
    library.require(driver.cuLinkDestroy, "cuLinkDestroy");
    library.require(driver.cuFuncGetAttribute, "cuFuncGetAttribute");
    library.require(driver.cuFuncSetAttribute, "cuFuncSetAttribute");
    library.require(driver.cuLaunchKernel, "cuLaunchKernel");
    library.find(driver.cuStreamGetId, "cuStreamGetId");
    library.find(driver.cuLaunchKernelEx, "cuLaunchKernelEx");
    library.find(driver.cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
    library.find(driver.cuTensorMapEncodeIm2col, "cuTensorMapEncodeIm2col");
    library.find(driver.cuStreamIsCapturing, "cuStreamIsCapturing");
    library.find(driver.cuGraphCreate, "cuGraphCreate");
    library.find(driver.cuGraphDestroy, "cuGraphDestroy");
    library.find(driver.cuGraphAddKernelNode, "cuGraphAddKernelNode_v2");
    // Since 12.3; without it kernels of a graph start one after the other.
    library.find(driver.cuGraphAddDependencies, "cuGraphAddDependencies_v2");
    library.find(driver.cuGraphKernelNodeSetAttribute,
                 "cuGraphKernelNodeSetAttribute");
    library.find(driver.cuGraphInstantiateWithFlags,
                 "cuGraphInstantiateWithFlags");
    library.find(driver.cuGraphExecKernelNodeSetParams,
                 "cuGraphExecKernelNodeSetParams_v2");
    library.find(driver.cuGraphLaunch, "cuGraphLaunch");
    library.find(driver.cuGraphExecDestroy, "cuGraphExecDestroy");
    if (!reason.empty())
      return;
    if (CUresult error = driver.cuInit(0))
      reason = "the CUDA driver cannot start: " + driver.describe(error);
  }
};
} // namespace

const CUDADriver *CUDADriver::get(std::string *reason) {
  static const auto *opened = new Opened();
  if (reason)
    *reason = opened->reason;
  return opened->reason.empty() ? &opened->driver : nullptr;
}

std::string CUDADriver::describe(CUresult error) const {
  const char *text = nullptr;
  if (cuGetErrorString(error, &text) != 0 || !text)
    text = "unknown error";
  return std::string(text) + " (error " + std::to_string(error) + ")";
}
