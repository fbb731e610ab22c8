//===- CUDAModules.cpp - Loading kernels into a device --------------------===//

#include "CUDAModules.h"
#include "CubinCache.h"
#include "KernelCubins.h"
#include "TC/Runtime/CUDAAssembler.h"
#include "TC/Runtime/KernelAssembly.h"
#include "TC/Runtime/ThreadPool.h"

#include <string_view>
#include <vector>

using namespace tc::runtime;

namespace {
// CU_JIT_*, CU_JIT_INPUT_*
constexpr int jitErrorLog = 5, jitErrorLogSize = 6, inputPTX = 1;
// CU_FUNC_ATTRIBUTE_*
constexpr int maxDynamicSharedBytes = 8, nonPortableClusters = 14;
/// What a kernel has without asking for it.
constexpr uint32_t dynamicSharedBytesOfAny = 48 * 1024, clusterOfAny = 8;

bool isCubin(const char *image) {
  return std::string_view(image, 4) == "\x7f"
                                       "ELF";
}

/// Whether PTX has instructions that the assembler ignores or slows down in
/// code that is to be linked, as all is for which the driver hands out a cubin:
/// budgets of registers and products of warp groups.
bool needsWholeProgram(std::string_view image) {
  return image.find("setmaxnreg") != image.npos ||
         image.find("wgmma.") != image.npos;
}

/// What the driver's assembler makes of PTX as code that is to be linked; empty
/// when it fails, and then loading the PTX says why.
std::string assembleToLink(const CUDADriver &driver, std::string_view image) {
  CUlinkState link = nullptr;
  if (driver.cuLinkCreate(0, nullptr, nullptr, &link) != 0)
    return "";
  std::string result;
  void *cubin = nullptr;
  size_t bytes = 0;
  // With the zero behind the text.
  if (driver.cuLinkAddData(link, inputPTX, const_cast<char *>(image.data()),
                           image.size() + 1, "kernel", 0, nullptr,
                           nullptr) == 0 &&
      driver.cuLinkComplete(link, &cubin, &bytes) == 0)
    result.assign(static_cast<const char *>(cubin), bytes);
  driver.cuLinkDestroy(link);
  return result;
}

/// The module of a kernel whose artefact has machine code for the device; null
/// where it has none, and where the driver does not take it.
CUmodule loadCubin(CUDADevice &device, const char *kernel, const char *image) {
  const auto cubin = KernelCubins::find(image, kernel, device.chip);
  CUmodule module = nullptr;
  if (!cubin || device.driver->cuModuleLoadDataEx(&module, cubin->data(), 0,
                                                  nullptr, nullptr) != 0)
    return nullptr;
  return module;
}

/// The module of a PTX image from the cache, or made for it; null when only the
/// PTX itself can be loaded, or is to be: a kernel that is alone is assembled
/// by the driver as fast as by a process.
CUmodule loadAssembled(CUDADevice &device, std::string_view image,
                       bool isAlone) {
  const CUDADriver &driver = *device.driver;
  const bool isKept = !CubinCache::folder().empty();
  if (isAlone && !isKept)
    return nullptr;
  CUmodule module = nullptr;
  auto load = [&](const std::string &cubin) {
    return driver.cuModuleLoadDataEx(&module, cubin.data(), 0, nullptr,
                                     nullptr) == 0;
  };
  if (auto cubin = CubinCache::read(image, device.driverVersion, device.chip);
      cubin && load(*cubin))
    return module;
  std::optional<std::string> begun = KernelAssembly::take(image);
  std::string cubin = begun ? *std::move(begun) : assembleWholeProgram(image);
  if (cubin.empty() && isKept && !needsWholeProgram(image))
    cubin = assembleToLink(driver, image);
  if (cubin.empty() || !load(cubin))
    return nullptr;
  CubinCache::write(image, device.driverVersion, device.chip, cubin);
  return module;
}

/// Lets a kernel have what its launches ask for.
Status allowResources(CUDADevice &device, const tc_kernel &kernel,
                      CUfunction function) {
  CUresult error = 0;
  if (kernel.dynamic_shared_bytes > dynamicSharedBytesOfAny)
    error = device.driver->cuFuncSetAttribute(function, maxDynamicSharedBytes,
                                              int(kernel.dynamic_shared_bytes));
  if (!error && kernel.cluster > clusterOfAny)
    error = device.driver->cuFuncSetAttribute(function, nonPortableClusters, 1);
  if (error)
    return device.failure(std::string("the kernel '") + kernel.name +
                              "' cannot have " +
                              std::to_string(kernel.dynamic_shared_bytes) +
                              " bytes of shared memory in clusters of " +
                              std::to_string(kernel.cluster) + " blocks",
                          error);
  return Status::success();
}

/// Loads one kernel and sets its handle, unless it has one.
Status load(CUDADevice &device, const tc_kernel &kernel) {
  if (findCUDAKernel(device, kernel))
    return Status::success();
  const bool isAlone = !kernel.list || kernel.list->count <= 1;
  Expected<CUfunction> function = loadCUDAKernel(
      device, kernel.name, kernel.image, kernel.image_bytes, isAlone);
  if (!function.ok())
    return function.takeStatus();
  if (Status status = allowResources(device, kernel, *function); !status.ok())
    return status;
  std::atomic_ref<void *>(kernel.handles[device.index])
      .store(*function, std::memory_order_release);
  return Status::success();
}

/// The kernels of a list, of which each thread takes the next.
struct Loading {
  CUDADevice &device;
  const tc_kernel_list &list;
  std::atomic<uint64_t> next{0};

  void run() {
    const CUDAContext context(device);
    // Those that fail say so at their own launch.
    for (uint64_t i = next++; i < list.count; i = next++)
      (void)load(device, *list.kernels[i]);
  }
};
} // namespace

Expected<CUfunction> tc::runtime::loadCUDAKernel(CUDADevice &device,
                                                 const char *kernel,
                                                 const char *image,
                                                 uint64_t imageBytes,
                                                 bool isAlone) {
  const CUDADriver &driver = *device.driver;
  CUmodule module = loadCubin(device, kernel, image);
  if (!module && !isCubin(image))
    module =
        loadAssembled(device, std::string_view(image, imageBytes), isAlone);
  if (!module) {
    std::vector<char> log(8192, '\0');
    int options[] = {jitErrorLog, jitErrorLogSize};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
    if (CUresult error =
            driver.cuModuleLoadDataEx(&module, image, 2, options, values))
      return device.failure(std::string("the kernel '") + kernel +
                                "' cannot be loaded" + (log[0] ? ": " : "") +
                                log.data(),
                            error);
  }
  CUfunction function = nullptr;
  if (CUresult error = driver.cuModuleGetFunction(&function, module, kernel))
    return device.failure(
        std::string("there is no kernel '") + kernel + "' in its image", error);
  device.nameKernel(function, kernel);
  return function;
}

Expected<CUfunction> tc::runtime::loadCUDAKernels(CUDADevice &device,
                                                  const tc_kernel &kernel) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (kernel.list && kernel.list->count > 1 &&
      !findCUDAKernel(device, kernel)) {
    Loading loading{device, *kernel.list};
    ThreadPool::global().parallelFor(
        [](void *context, int64_t, int64_t) {
          static_cast<Loading *>(context)->run();
        },
        &loading, int64_t(kernel.list->count), 1);
  }
  if (Status status = load(device, kernel); !status.ok())
    return status;
  return findCUDAKernel(device, kernel);
}
