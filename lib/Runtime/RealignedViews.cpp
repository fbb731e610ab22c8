//===- RealignedViews.cpp - Aligned copies for tensor maps ----------------===//

#include "RealignedViews.h"
#include "TC/Runtime/DType.h"

using namespace tc::runtime;

/// Of which the copy engine needs addresses to be multiples, in bytes.
static constexpr uint64_t unit = 16;

/// Where the arguments have the address of the tensor of `map`.
static uint64_t *findAddress(const tc_tensor_map &map, char *arguments) {
  return reinterpret_cast<uint64_t *>(arguments + map.source);
}

static bool isNeeded(const tc_tensor_map &map, char *arguments) {
  return (map.flags & TC_TENSOR_MAP_REALIGNS) &&
         *findAddress(map, arguments) % unit != 0;
}

/// Bytes from the first element of the tensor of `map` to behind its last one.
static size_t countBytes(const tc_tensor_map &map, char *arguments) {
  const uint64_t *sizes = findAddress(map, arguments) + 1,
                 *strides = sizes + map.rank;
  size_t bytes = sizes[0] * dtypeSize(DType(map.dtype));
  for (int32_t dim = 1; dim < map.rank; ++dim)
    bytes += (sizes[dim] - 1) * strides[dim - 1];
  return bytes;
}

bool RealignedViews::areNeeded(const tc_kernel &kernel, const void *arguments) {
  char *block = static_cast<char *>(const_cast<void *>(arguments));
  for (uint32_t i = 0; i < kernel.tensor_map_count; ++i)
    if (isNeeded(kernel.tensor_maps[i], block))
      return true;
  return false;
}

Status RealignedViews::copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (CUresult error =
          device.driver->cuMemcpyDtoDAsync(to, from, bytes, stream))
    return device.failure(
        std::string("a tensor of the kernel '") + kernel.name +
            "' that is no multiple of 16 bytes in memory cannot be copied",
        error);
  return Status::success();
}

Status RealignedViews::begin() {
  for (uint32_t i = 0; i < kernel.tensor_map_count; ++i) {
    const tc_tensor_map &map = kernel.tensor_maps[i];
    if (!isNeeded(map, arguments))
      continue;
    uint64_t *address = findAddress(map, arguments);
    View view{address, *address, 0, countBytes(map, arguments),
              (map.flags & TC_TENSOR_MAP_WRITTEN) != 0};
    if (CUresult error =
            device.driver->cuMemAllocAsync(&view.copy, view.bytes, stream))
      return device.failure(
          std::to_string(view.bytes) +
              " bytes for an aligned copy of a tensor of the kernel '" +
              kernel.name + "' cannot be allocated",
          error);
    views.push_back(view);
    *address = view.copy;
    if (Status status = copy(view.copy, view.own, view.bytes); !status.ok())
      return status;
  }
  return Status::success();
}

Status RealignedViews::end() {
  Status status = Status::success();
  for (const View &view : views) {
    *view.address = view.own;
    if (view.isWritten && status.ok())
      status = copy(view.own, view.copy, view.bytes);
    if (CUresult error = device.driver->cuMemFreeAsync(view.copy, stream);
        error && status.ok())
      status =
          device.failure("an aligned copy of a tensor cannot be freed", error);
  }
  views.clear();
  return status;
}
