//===- CUDALaunch.cpp - Starting kernels ----------------------------------===//

#include "CUDALaunch.h"
#include "CUDAModules.h"
#include "RealignedViews.h"
#include "TC/Runtime/CUDAMeasurement.h"

#include <algorithm>
#include <cstring>

using namespace tc::runtime;

namespace {
constexpr int programmaticSerialization = 6; // CU_LAUNCH_ATTRIBUTE_*
/// The largest numbers of blocks of a grid along x and y.
constexpr int64_t mostAlongX = 2147483647, mostAlongY = 65535;

/// CUtensorMapDataType of a tc_dtype; values that are only moved count as
/// unsigned integers of their width.
int tensorMapType(int32_t dtype) {
  switch (dtype) {
  case TC_DTYPE_F64:
    return 8;
  case TC_DTYPE_F32:
    return 7;
  case TC_DTYPE_F16:
    return 6;
  case TC_DTYPE_BF16:
    return 9;
  case TC_DTYPE_I64:
  case TC_DTYPE_U64:
  case TC_DTYPE_C64:
    return 4;
  case TC_DTYPE_I32:
  case TC_DTYPE_U32:
    return 2;
  case TC_DTYPE_I16:
  case TC_DTYPE_U16:
    return 1;
  default:
    return 0;
  }
}

bool hasAttributes(const tc_kernel &kernel) {
  return kernel.cluster > 1 || kernel.flags & TC_KERNEL_PROGRAMMATIC;
}

/// Blocks along x, in whole clusters, and rows of them where one is not enough.
void setGrid(CUDALaunch &launch, const tc_kernel &kernel, int64_t blocks) {
  const int64_t cluster = std::max<int64_t>(kernel.cluster, 1);
  const int64_t most = mostAlongX / cluster * cluster;
  const int64_t x = std::min(blocks, most);
  launch.gridX = unsigned(x);
  launch.gridY = unsigned((blocks + x - 1) / x);
}

CUresult launchWithAttributes(const CUDADriver &driver, const tc_kernel &kernel,
                              const CUDALaunch &launch, CUstream stream,
                              KernelArguments &arguments) {
  CUlaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (kernel.cluster > 1) {
    CUlaunchAttribute &attribute = attributes[count++];
    attribute.id = clusterDimension;
    attribute.value.cluster[0] = kernel.cluster;
    attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
  }
  if (kernel.flags & TC_KERNEL_PROGRAMMATIC) {
    CUlaunchAttribute &attribute = attributes[count++];
    attribute.id = programmaticSerialization;
    attribute.value.flag = 1;
  }
  const CUlaunchConfig config{launch.gridX,
                              launch.gridY,
                              1,
                              kernel.threads,
                              1,
                              1,
                              kernel.dynamic_shared_bytes,
                              stream,
                              attributes,
                              count};
  return driver.cuLaunchKernelEx(&config, launch.function,
                                 arguments.addresses(), arguments.extra());
}

cuda::LaunchInfo describe(const CUDADevice &device, CUstream stream,
                          const tc_kernel &kernel, const CUDALaunch &launch) {
  cuda::LaunchInfo info;
  info.kernel = kernel.name;
  info.device = device.index;
  info.stream = stream;
  info.grid[0] = launch.gridX;
  info.grid[1] = launch.gridY;
  info.block[0] = kernel.threads;
  info.cluster[0] = std::max(kernel.cluster, 1u);
  info.dynamicSharedBytes = kernel.dynamic_shared_bytes;
  info.function = launch.function;
  return info;
}

/// The tensor of a tensor map, for an error: what the driver does not take is
/// an address or a stride that is no multiple of 16 bytes, or a size of 0.
std::string describeTensor(const tc_tensor_map &map, const uint64_t *source) {
  auto list = [](const uint64_t *values, int32_t count) {
    std::string text;
    for (int32_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + std::to_string(values[i]);
    return text;
  };
  return "sizes " + list(source + 1, map.rank) +
         " from the innermost, strides " +
         list(source + 1 + map.rank, map.rank - 1) +
         " bytes, address modulo 16 bytes " + std::to_string(source[0] % 16) +
         "; expected sizes of at least 1 and multiples of 16 bytes";
}

/// Encodes `map` of the tensor that `source` describes: its address, its sizes
/// and its strides.
CUresult encodeTensorMap(const CUDADriver &driver, const tc_tensor_map &map,
                         const uint64_t *source, CUtensorMap &encoded) {
  constexpr int noInterleave = 0, promotionTo128Bytes = 2, fillWithZeros = 0;
  const uint64_t *sizes = source + 1, *strides = sizes + map.rank;
  void *address = reinterpret_cast<void *>(source[0]);
  const int type = tensorMapType(map.dtype),
            swizzle = map.swizzle_bytes == 128  ? 3
                      : map.swizzle_bytes == 64 ? 2
                      : map.swizzle_bytes == 32 ? 1
                                                : 0;
  const uint32_t rank = uint32_t(map.rank);
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  if (!(map.flags & TC_TENSOR_MAP_WINDOW))
    return driver.cuTensorMapEncodeTiled(
        &encoded, type, rank, address, sizes, strides, map.box, steps,
        noInterleave, swizzle, promotionTo128Bytes, fillWithZeros);
  // Pixels are the dimensions between channels and images.
  for (uint32_t dim = 0; dim + 2 < rank; ++dim)
    steps[dim + 1] = map.steps[dim];
  return driver.cuTensorMapEncodeIm2col(
      &encoded, type, rank, address, sizes, strides, map.lower, map.upper,
      /*channels=*/map.box[0], /*pixels=*/map.box[1], steps, noInterleave,
      swizzle, promotionTo128Bytes, fillWithZeros);
}

/// What a launch asks for that the driver cannot do.
Status checkLaunch(const CUDADevice &device, const tc_kernel &kernel,
                   int64_t blocks, const CUDALaunch &launch) {
  if (launch.gridY > mostAlongY)
    return Status(ErrorCode::Unsupported,
                  std::string("the kernel '") + kernel.name + "' has " +
                      std::to_string(blocks) + " blocks, expected at most " +
                      std::to_string(mostAlongX * mostAlongY));
  if (hasAttributes(kernel) && !device.driver->cuLaunchKernelEx)
    return Status(ErrorCode::Unsupported,
                  std::string("the kernel '") + kernel.name +
                      "' has launch attributes, for which the CUDA driver is "
                      "too old: cuLaunchKernelEx is missing");
  return Status::success();
}
} // namespace

KernelArguments::KernelArguments(const tc_kernel &kernel, void *block)
    : isBlock(kernel.tensor_map_count == 0), bytes(kernel.argument_bytes) {
  if (isBlock) {
    // CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE,
    // CU_LAUNCH_PARAM_END
    list[0] = reinterpret_cast<void *>(1);
    list[1] = block;
    list[2] = reinterpret_cast<void *>(2);
    list[3] = &bytes;
    list[4] = nullptr;
    return;
  }
  char *next = static_cast<char *>(block), *const end = next + bytes;
  for (size_t index = 0; next < end; ++index) {
    list[index] = next;
    next += index < kernel.tensor_map_count ? sizeof(CUtensorMap)
                                            : sizeof(uint64_t);
  }
}

Status tc::runtime::encodeTensorMaps(CUDADevice &device,
                                     const tc_kernel &kernel, void *block) {
  if (kernel.tensor_map_count == 0)
    return Status::success();
  if (kernel.argument_bytes > KernelArguments::mostBytes)
    return Status(ErrorCode::Unsupported,
                  std::string("the kernel '") + kernel.name + "' has " +
                      std::to_string(kernel.argument_bytes) +
                      " bytes of arguments, expected at most " +
                      std::to_string(KernelArguments::mostBytes) +
                      " with tensor maps");
  char *arguments = static_cast<char *>(block);
  const CUDADriver &driver = *device.driver;
  if (!driver.cuTensorMapEncodeTiled || !driver.cuTensorMapEncodeIm2col)
    return Status(ErrorCode::Unsupported,
                  std::string("the kernel '") + kernel.name +
                      "' needs tensor maps, for which the CUDA driver is too "
                      "old: cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col "
                      "is missing");
  constexpr uint64_t unit = 16; // of strides, in bytes
  for (uint32_t i = 0; i < kernel.tensor_map_count; ++i) {
    const tc_tensor_map &map = kernel.tensor_maps[i];
    uint64_t source[1 + 5 + 4] = {};
    std::memcpy(source, arguments + map.source,
                size_t(2 * map.rank) * sizeof(uint64_t));
    uint64_t *sizes = source + 1, *strides = sizes + map.rank;
    // No step is made along a dimension of one point.
    for (int32_t dim = 1; dim < map.rank; ++dim)
      if (sizes[dim] == 1)
        strides[dim - 1] = (strides[dim - 1] / unit + 1) * unit;
    CUtensorMap encoded;
    if (CUresult error = encodeTensorMap(driver, map, source, encoded))
      return device.failure(
          "tensor map " + std::to_string(i) + " of the kernel '" + kernel.name +
              "' cannot be made (" + describeTensor(map, source) + ")",
          error);
    std::memcpy(arguments + map.parameter, &encoded, sizeof(encoded));
  }
  return Status::success();
}

Status tc::runtime::prepareCUDALaunch(CUDADevice &device,
                                      const tc_kernel &kernel, int64_t blocks,
                                      CUDALaunch &launch) {
  launch.function = findCUDAKernel(device, kernel);
  if (!launch.function) [[unlikely]] {
    Expected<CUfunction> loaded = loadCUDAKernels(device, kernel);
    if (!loaded.ok())
      return loaded.takeStatus();
    launch.function = *loaded;
  }
  setGrid(launch, kernel, blocks);
  if (launch.gridY > 1 || hasAttributes(kernel)) [[unlikely]]
    return checkLaunch(device, kernel, blocks, launch);
  return Status::success();
}

Status tc::runtime::startCUDAKernel(CUDADevice &device, CUstream stream,
                                    const tc_kernel &kernel,
                                    const CUDALaunch &launch, void *arguments) {
  const CUDADriver &driver = *device.driver;
  KernelArguments given(kernel, arguments);
  cuda::LaunchObserver *observer =
      cuda::launchObserver.load(std::memory_order_acquire);
  cuda::LaunchInfo info;
  if (observer) [[unlikely]] {
    info = describe(device, stream, kernel, launch);
    observer->beforeLaunch(info);
  }
  device.recordLaunch(launch.function, stream, launch.gridX, kernel.threads);
  const CUresult error =
      hasAttributes(kernel)
          ? launchWithAttributes(driver, kernel, launch, stream, given)
          : driver.cuLaunchKernel(launch.function, launch.gridX, launch.gridY,
                                  1, kernel.threads, 1, 1,
                                  kernel.dynamic_shared_bytes, stream,
                                  given.addresses(), given.extra());
  if (observer) [[unlikely]]
    observer->afterLaunch(info);
  if (error) [[unlikely]]
    return device.failure(std::string("the kernel '") + kernel.name +
                              "' cannot be started",
                          error);
  return Status::success();
}

Status tc::runtime::launchCUDAKernel(CUDADevice &device, CUstream stream,
                                     const tc_kernel &kernel, int64_t blocks,
                                     void *arguments) {
  if (blocks <= 0)
    return Status::success();
  CUDALaunch launch;
  if (Status status = prepareCUDALaunch(device, kernel, blocks, launch);
      !status.ok())
    return status;
  RealignedViews views(device, stream, kernel, arguments);
  Status status = views.begin();
  if (status.ok())
    status = encodeTensorMaps(device, kernel, arguments);
  if (status.ok())
    status = startCUDAKernel(device, stream, kernel, launch, arguments);
  Status ended = views.end();
  return status.ok() ? std::move(ended) : std::move(status);
}
