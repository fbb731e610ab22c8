//===- CUDAModules.cpp - Loading kernels into a device --------------------===//

#include "CUDAModules.h"

#include <vector>

using namespace tc::runtime;

namespace {
// CU_JIT_*
constexpr int jitErrorLog = 5, jitErrorLogSize = 6;
} // namespace

Expected<CUfunction> tc::runtime::loadCUDAKernel(CUDADevice &device,
                                                 const char *kernel,
                                                 const char *image,
                                                 uint64_t imageBytes) {
  const CUDADriver &driver = *device.driver;
  std::vector<char> log(8192, '\0');
  int options[] = {jitErrorLog, jitErrorLogSize};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  CUmodule module = nullptr;
  if (CUresult error =
          driver.cuModuleLoadDataEx(&module, image, 2, options, values))
    return device.failure(std::string("the kernel '") + kernel +
                              "' cannot be loaded" + (log[0] ? ": " : "") +
                              log.data(),
                          error);
  CUfunction function = nullptr;
  if (CUresult error = driver.cuModuleGetFunction(&function, module, kernel))
    return device.failure(
        std::string("there is no kernel '") + kernel + "' in its image", error);
  return function;
}
