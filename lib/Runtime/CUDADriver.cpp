//===- CUDADriver.cpp - The functions of the CUDA driver ------------------===//

#include "CUDADriver.h"

#include <dlfcn.h>
#include <type_traits>

using namespace tc::runtime;

namespace {
/// The one attempt of the process to open the driver.
struct Opened {
  CUDADriver driver{};
  std::string reason;

  Opened() {
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
      reason = "there is no CUDA driver on this machine (libcuda.so.1)";
      return;
    }
    auto findNewer = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library, name));
    };
    auto find = [&](auto &function, const char *name) {
      findNewer(function, name);
      if (!function && reason.empty())
        reason = std::string("the CUDA driver has no function ") + name;
    };
    find(driver.cuInit, "cuInit");
    find(driver.cuDriverGetVersion, "cuDriverGetVersion");
    find(driver.cuGetErrorString, "cuGetErrorString");
    find(driver.cuDeviceGetCount, "cuDeviceGetCount");
    find(driver.cuDeviceGet, "cuDeviceGet");
    find(driver.cuDeviceGetName, "cuDeviceGetName");
    find(driver.cuDeviceTotalMem, "cuDeviceTotalMem_v2");
    find(driver.cuDeviceGetAttribute, "cuDeviceGetAttribute");
    find(driver.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    find(driver.cuCtxGetCurrent, "cuCtxGetCurrent");
    find(driver.cuCtxSetCurrent, "cuCtxSetCurrent");
    find(driver.cuCtxSynchronize, "cuCtxSynchronize");
    find(driver.cuStreamSynchronize, "cuStreamSynchronize");
    find(driver.cuStreamWaitEvent, "cuStreamWaitEvent");
    find(driver.cuEventCreate, "cuEventCreate");
    find(driver.cuEventRecord, "cuEventRecord");
    find(driver.cuEventQuery, "cuEventQuery");
    find(driver.cuEventSynchronize, "cuEventSynchronize");
    find(driver.cuEventElapsedTime, "cuEventElapsedTime");
    find(driver.cuEventDestroy, "cuEventDestroy_v2");
    find(driver.cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool");
    find(driver.cuMemPoolSetAttribute, "cuMemPoolSetAttribute");
    find(driver.cuMemPoolTrimTo, "cuMemPoolTrimTo");
    find(driver.cuMemAllocAsync, "cuMemAllocAsync");
    find(driver.cuMemFreeAsync, "cuMemFreeAsync");
    find(driver.cuMemHostAlloc, "cuMemHostAlloc");
    find(driver.cuMemcpyHtoD, "cuMemcpyHtoD_v2");
    find(driver.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2");
    find(driver.cuMemcpyDtoH, "cuMemcpyDtoH_v2");
    find(driver.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2");
    find(driver.cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2");
    find(driver.cuMemsetD8Async, "cuMemsetD8Async");
    find(driver.cuModuleLoadDataEx, "cuModuleLoadDataEx");
    find(driver.cuModuleGetFunction, "cuModuleGetFunction");
    find(driver.cuLinkCreate, "cuLinkCreate_v2");
    find(driver.cuLinkAddData, "cuLinkAddData_v2");
    find(driver.cuLinkComplete, "cuLinkComplete");
    find(driver.cuLinkDestroy, "cuLinkDestroy");
    find(driver.cuFuncGetAttribute, "cuFuncGetAttribute");
    find(driver.cuFuncSetAttribute, "cuFuncSetAttribute");
    find(driver.cuLaunchKernel, "cuLaunchKernel");
    findNewer(driver.cuStreamGetId, "cuStreamGetId");
    findNewer(driver.cuLaunchKernelEx, "cuLaunchKernelEx");
    findNewer(driver.cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled");
    findNewer(driver.cuStreamIsCapturing, "cuStreamIsCapturing");
    findNewer(driver.cuGraphCreate, "cuGraphCreate");
    findNewer(driver.cuGraphDestroy, "cuGraphDestroy");
    findNewer(driver.cuGraphAddKernelNode, "cuGraphAddKernelNode_v2");
    findNewer(driver.cuGraphKernelNodeSetAttribute,
              "cuGraphKernelNodeSetAttribute");
    findNewer(driver.cuGraphInstantiateWithFlags,
              "cuGraphInstantiateWithFlags");
    findNewer(driver.cuGraphExecKernelNodeSetParams,
              "cuGraphExecKernelNodeSetParams_v2");
    findNewer(driver.cuGraphLaunch, "cuGraphLaunch");
    findNewer(driver.cuGraphExecDestroy, "cuGraphExecDestroy");
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
