//===- CUDADevice.cpp - A device and its context --------------------------===//

#include "CUDADevice.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

using namespace tc::runtime;

namespace {
// CUresult
constexpr CUresult outOfMemory = 2;
// CU_MEMPOOL_ATTR_*, CU_DEVICE_ATTRIBUTE_*
constexpr int poolReleaseThreshold = 4;
constexpr int computeCapabilityMajor = 75, computeCapabilityMinor = 76;

Status copyOf(const Status &status) {
  if (status.ok())
    return Status::success();
  return Status(status.code(), status.message());
}
} // namespace

bool cuda::launchesBlock() {
  const char *value = std::getenv("CUDA_LAUNCH_BLOCKING");
  return value && *value && std::string_view(value) != "0";
}

bool CUDADevice::breaksContext(CUresult error) {
  constexpr CUresult breaking[] = {
      46,  ///< device unavailable
      214, ///< memory error that cannot be corrected
      220, ///< the same on NVLink
      700, ///< illegal address
      702, ///< launch timeout
      709, ///< context destroyed
      710, ///< assertion
      714, ///< hardware stack error
      715, ///< illegal instruction
      716, ///< misaligned address
      717, ///< invalid address space
      718, ///< invalid program counter
      719, ///< launch failure
  };
  return std::find(std::begin(breaking), std::end(breaking), error) !=
         std::end(breaking);
}

Status CUDADevice::open() {
  std::string reason;
  driver = CUDADriver::get(&reason);
  if (!driver)
    return Status(ErrorCode::Unsupported, reason);
  launchesBlock = cuda::launchesBlock();
  int count = 0;
  if (CUresult error = driver->cuDeviceGetCount(&count))
    return failure("CUDA devices cannot be counted", error);
  if (index < 0 || index >= count)
    return Status(ErrorCode::InvalidArgument,
                  "there is no CUDA device " + std::to_string(index) + " of " +
                      std::to_string(count));
  int major = 0, minor = 0;
  if (CUresult error = driver->cuDeviceGet(&device, index))
    return failure("the CUDA device cannot be opened", error);
  if (CUresult error = driver->cuDevicePrimaryCtxRetain(&context, device))
    return failure("the CUDA device has no context", error);
  driver->cuDriverGetVersion(&driverVersion);
  driver->cuDeviceGetAttribute(&major, computeCapabilityMajor, device);
  driver->cuDeviceGetAttribute(&minor, computeCapabilityMinor, device);
  chip = "sm_" + std::to_string(10 * major + minor);
  // Freed memory stays with the process: giving it back costs more than the
  // kernels that use it.
  CUmemoryPool pool = nullptr;
  uint64_t keepAll = ~uint64_t(0);
  if (driver->cuDeviceGetDefaultMemPool(&pool, device) == 0)
    driver->cuMemPoolSetAttribute(pool, poolReleaseThreshold, &keepAll);
  return Status::success();
}

CUDADevice &CUDADevice::get(int32_t index) {
  // Never destroyed: tensors may outlive static destructors.
  static auto &devices = *new std::array<CUDADevice, maxCUDADevices>();
  static std::array<std::once_flag, maxCUDADevices> opened;
  static CUDADevice &none = *[] {
    auto *device = new CUDADevice();
    device->broken = Status(ErrorCode::InvalidArgument,
                            "a CUDA device has a number that none can have");
    return device;
  }();
  if (index < 0 || index >= maxCUDADevices)
    return none;
  CUDADevice &device = devices[size_t(index)];
  if (!device.isUsable()) [[unlikely]]
    std::call_once(opened[size_t(index)], [&] {
      device.index = index;
      device.broken = device.open();
      device.usable.store(device.broken.ok(), std::memory_order_release);
    });
  return device;
}

Status CUDADevice::status() const {
  if (isUsable()) [[likely]]
    return Status::success();
  const std::lock_guard lock(mutex);
  return copyOf(broken);
}

void CUDADevice::breakWith(Status status) {
  const std::lock_guard lock(mutex);
  if (!broken.ok())
    return;
  broken = std::move(status);
  usable.store(false, std::memory_order_release);
}

Status CUDADevice::failure(const std::string &what, CUresult error) {
  // The first failure explains those that follow from it.
  if (context && !isUsable())
    if (Status first = status(); !first.ok())
      return first;
  Status result(error == outOfMemory ? ErrorCode::OutOfMemory
                                     : ErrorCode::Internal,
                what + ": " + driver->describe(error));
  if (breaksContext(error))
    breakWith(copyOf(result));
  return result;
}

Status CUDADevice::kernelFailure(CUresult error, CUstream stream,
                                 bool ofAllStreams) {
  struct Candidate {
    uint64_t number;
    std::string text;
  };
  std::vector<Candidate> candidates;
  for (const Launch &launch : launches) {
    CUfunction function = launch.function.load(std::memory_order_acquire);
    if (!function || !(ofAllStreams || launch.stream.load() == stream))
      continue;
    const uint64_t number = launch.number.load();
    const unsigned blocks = launch.blocks.load();
    const std::string shape =
        blocks ? std::to_string(blocks) + " blocks of " +
                     std::to_string(launch.threads.load()) + " threads"
               : "by a library";
    const std::lock_guard lock(mutex);
    candidates.push_back({number, "'" + names[function] + "' (launch " +
                                      std::to_string(number) + ", " + shape +
                                      ")"});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return a.number < b.number;
            });
  const std::string where = " failed on CUDA device " + std::to_string(index);
  if (candidates.empty())
    return failure("a kernel" + where, error);
  if (candidates.size() == 1)
    return failure("the kernel " + candidates.front().text + where, error);
  std::string what = "one of the kernels ";
  for (const Candidate &candidate : candidates)
    what += (&candidate == &candidates.front() ? "" : ", ") + candidate.text;
  return failure(what + where + "; CUDA_LAUNCH_BLOCKING=1 tells which", error);
}

Status CUDADevice::synchronize(CUstream stream) {
  if (CUresult error = driver->cuStreamSynchronize(stream))
    return kernelFailure(error, stream, /*ofAllStreams=*/false);
  forgetLaunches(stream, /*ofAllStreams=*/false);
  return Status::success();
}

void CUDADevice::nameKernel(CUfunction function, const char *name) {
  const std::lock_guard lock(mutex);
  names[function] = name;
}

void CUDADevice::recordLaunch(CUfunction function, CUstream stream,
                              unsigned blocks, unsigned threads) {
  constexpr auto relaxed = std::memory_order_relaxed;
  const uint64_t number = launchCount.fetch_add(1, relaxed);
  Launch &launch = launches[number % launchesKept];
  launch.stream.store(stream, relaxed);
  launch.number.store(number + 1, relaxed);
  launch.blocks.store(blocks, relaxed);
  launch.threads.store(threads, relaxed);
  launch.function.store(function, std::memory_order_release);
}

void CUDADevice::forgetLaunches(CUstream stream, bool ofAllStreams) {
  for (Launch &launch : launches)
    if (ofAllStreams || launch.stream.load(std::memory_order_relaxed) == stream)
      launch.function.store(nullptr, std::memory_order_release);
}
