//===- DriverLaunch.cpp - What the driver's own launch costs --------------===//

#include "DriverLaunch.h"
#include "TC/Runner/Execution.h"
#include "TC/Runtime/CUDA.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <dlfcn.h>

using namespace tc;
using namespace tc::runner;
using Clock = std::chrono::steady_clock;

llvm::Expected<double>
runner::timeOnHost(llvm::function_ref<llvm::Error()> call) {
  constexpr size_t kBatches = 21, kCalls = 64;
  std::vector<double> seconds;
  for (size_t batch = 0; batch < kBatches; ++batch) {
    const auto begin = Clock::now();
    for (size_t i = 0; i < kCalls; ++i)
      if (llvm::Error error = call())
        return std::move(error);
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    seconds.push_back(elapsed.count() / kCalls);
    if (auto status = runtime::cuda::synchronize(0); !status.ok())
      return toError(status);
  }
  llvm::sort(seconds);
  return seconds[kBatches / 2];
}

namespace {
constexpr const char *kEmptyKernel = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry empty(.param .u64 argument)
{
  ret;
}
)";

/// The functions of the driver that a launch needs, without the runtime's
/// checks and table around them.
class Driver {
public:
  Driver() : library(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {}

  /// Makes the first device's context current and loads the kernel.
  llvm::Error load() {
    void *context = nullptr, *module = nullptr;
    if (int error =
            call<int(void **, int)>("cuDevicePrimaryCtxRetain", &context, 0))
      return failure(error);
    (void)call<int(void **)>("cuCtxGetCurrent", &before);
    if (int error = call<int(void *)>("cuCtxSetCurrent", context))
      return failure(error);
    if (int error = call<int(void **, const void *, unsigned, int *, void **)>(
            "cuModuleLoadDataEx", &module, kEmptyKernel, 0, nullptr, nullptr))
      return failure(error);
    if (int error = call<int(void **, void *, const char *)>(
            "cuModuleGetFunction", &function, module, "empty"))
      return failure(error);
    launch = reinterpret_cast<Launch *>(dlsym(library, "cuLaunchKernel"));
    return launch ? llvm::Error::success() : failure(notFound);
  }

  llvm::Error start() const {
    // The arguments' address, their size, the end of the list.
    uint64_t argument = 0;
    size_t bytes = sizeof(argument);
    void *block[] = {reinterpret_cast<void *>(1), &argument,
                     reinterpret_cast<void *>(2), &bytes, nullptr};
    if (int error =
            launch(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, block))
      return failure(error);
    return llvm::Error::success();
  }

  ~Driver() { (void)call<int(void *)>("cuCtxSetCurrent", before); }

private:
  using Launch = int(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned, unsigned, void *, void **, void **);
  static constexpr int notFound = 500;

  template <typename Signature, typename... Arguments>
  int call(const char *name, Arguments... arguments) const {
    void *found = library ? dlsym(library, name) : nullptr;
    return found ? reinterpret_cast<Signature *>(found)(arguments...)
                 : notFound;
  }
  static llvm::Error failure(int error) {
    return llvm::createStringError("an empty kernel cannot be started: error " +
                                   std::to_string(error) +
                                   " of the CUDA driver");
  }

  void *library, *before = nullptr, *function = nullptr;
  Launch *launch = nullptr;
};
} // namespace

llvm::Expected<double> runner::timeDriverLaunch() {
  Driver driver;
  if (llvm::Error error = driver.load())
    return std::move(error);
  return timeOnHost([&] { return driver.start(); });
}
