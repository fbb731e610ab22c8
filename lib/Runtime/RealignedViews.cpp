//===- RealignedViews.cpp - Aligned copies for tensor maps ----------------===//

#include "RealignedViews.h"
#include "TC/Runtime/DType.h"

#include <algorithm>
#include <numeric>

using namespace tc::runtime;

/// Of which the copy engine needs addresses and strides to be multiples, in
/// bytes.
static constexpr uint64_t unit = 16;

static uint64_t alignUp(uint64_t bytes) {
  return (bytes + unit - 1) / unit * unit;
}

namespace {
/// What the arguments have of the tensor of a tensor map, from the innermost
/// dimension on.
struct Source {
  uint64_t *address;
  const uint64_t *sizes;
  uint64_t *strides; ///< of all but the innermost dimension, in bytes

  Source(const tc_tensor_map &map, char *arguments)
      : address(reinterpret_cast<uint64_t *>(arguments + map.source)),
        sizes(address + 1), strides(address + 1 + map.rank) {}
};

/// Dimensions of a tensor that are walked as one: their points, and the bytes
/// from one to the next in the memory that is copied from and to.
struct Walk {
  uint64_t count, from, to;
};
} // namespace

static bool isNeeded(const tc_tensor_map &map, char *arguments) {
  if (!(map.flags & TC_TENSOR_MAP_REALIGNS))
    return false;
  const Source source(map, arguments);
  if (*source.address % unit != 0)
    return true;
  for (int32_t dim = 1; dim < map.rank; ++dim)
    if (source.sizes[dim] > 1 &&
        (source.strides[dim - 1] == 0 || source.strides[dim - 1] % unit != 0))
      return true;
  return false;
}

bool RealignedViews::areNeeded(const tc_kernel &kernel, const void *arguments) {
  char *block = static_cast<char *>(const_cast<void *>(arguments));
  for (uint32_t i = 0; i < kernel.tensor_map_count; ++i)
    if (isNeeded(kernel.tensor_maps[i], block))
      return true;
  return false;
}

/// The tensor of `map` and what its copy is to be: with the strides that it
/// has, where these are multiples of 16 bytes; otherwise with rows that are
/// padded to such a multiple, one behind the other in the order that they have
/// in memory. Rows that are the same memory are several then.
RealignedViews::View RealignedViews::describe(const tc_tensor_map &map) const {
  const Source source(map, arguments);
  const uint64_t element = dtypeSize(DType(map.dtype)),
                 rowBytes = source.sizes[0] * element;
  View view{&map, {*source.address, {element}}, {0, {element}}, rowBytes, true};
  std::copy_n(source.strides, map.rank - 1, view.own.strides + 1);
  std::copy_n(source.strides, map.rank - 1, view.copy.strides + 1);
  for (int32_t dim = 1; dim < map.rank; ++dim) {
    const uint64_t stride = view.own.strides[dim];
    if (source.sizes[dim] <= 1)
      continue;
    view.bytes += (source.sizes[dim] - 1) * stride;
    view.isWhole &= stride != 0 && stride % unit == 0;
  }
  if (view.isWhole)
    return view;
  int32_t order[mostDims];
  std::iota(order, order + map.rank, 0);
  std::sort(order + 1, order + map.rank, [&](int32_t a, int32_t b) {
    return std::pair(view.own.strides[a], a) <
           std::pair(view.own.strides[b], b);
  });
  view.bytes = alignUp(rowBytes);
  for (int32_t i = 1; i < map.rank; ++i) {
    view.copy.strides[order[i]] = view.bytes;
    view.bytes *= std::max<uint64_t>(source.sizes[order[i]], 1);
  }
  return view;
}

void RealignedViews::setPlace(const View &view, const Place &place) {
  const Source source(*view.map, arguments);
  *source.address = place.address;
  std::copy_n(place.strides + 1, view.map->rank - 1, source.strides);
}

/// The dimensions of `map` but the innermost, those with the shorter strides
/// first; dimensions that are evenly apart on both sides are one.
static std::vector<Walk> getWalks(const Source &source, int32_t rank,
                                  const uint64_t *from, const uint64_t *to) {
  std::vector<Walk> walks;
  for (int32_t dim = 1; dim < rank; ++dim)
    if (source.sizes[dim] != 1)
      walks.push_back({source.sizes[dim], from[dim], to[dim]});
  std::sort(walks.begin(), walks.end(), [](const Walk &a, const Walk &b) {
    return std::max(a.from, a.to) < std::max(b.from, b.to);
  });
  std::vector<Walk> merged;
  for (const Walk &walk : walks) {
    Walk *last = merged.empty() ? nullptr : &merged.back();
    if (last && walk.from == last->from * last->count &&
        walk.to == last->to * last->count)
      last->count *= walk.count;
    else
      merged.push_back(walk);
  }
  return merged;
}

/// Makes `copy` be of the rows of `walks`, and of slices of them, where one
/// copy of the driver can be; what is left are those that a copy is for each
/// point of.
static void takeRows(CUDA_MEMCPY3D &copy, std::vector<Walk> &walks) {
  constexpr uint64_t mostPitch = 0x7fffffff;
  copy.source.pitch = copy.destination.pitch = copy.widthInBytes;
  copy.source.height = copy.destination.height = 1;
  copy.height = copy.depth = 1;
  auto rows = std::find_if(walks.begin(), walks.end(), [&](const Walk &walk) {
    return std::min(walk.from, walk.to) >= copy.widthInBytes &&
           std::max(walk.from, walk.to) <= mostPitch;
  });
  if (rows == walks.end())
    return;
  const Walk row = *rows;
  copy.height = row.count;
  copy.source.pitch = row.from;
  copy.destination.pitch = row.to;
  copy.source.height = copy.destination.height = row.count;
  auto slices = std::find_if(walks.begin(), walks.end(), [&](const Walk &walk) {
    return walk.from % row.from == 0 && walk.to % row.to == 0 &&
           walk.from / row.from >= row.count && walk.to / row.to >= row.count;
  });
  if (slices != walks.end()) {
    copy.depth = slices->count;
    copy.source.height = slices->from / row.from;
    copy.destination.height = slices->to / row.to;
    walks.erase(slices); // behind the rows
  }
  walks.erase(rows);
}

Status RealignedViews::copy(const View &view, const Place &to,
                            const Place &from) {
  constexpr unsigned deviceMemory = 2; // CU_MEMORYTYPE_DEVICE
  const CUDADriver &driver = *device.driver;
  CUresult error = 0;
  if (view.isWhole) {
    error =
        driver.cuMemcpyDtoDAsync(to.address, from.address, view.bytes, stream);
  } else {
    const Source source(*view.map, arguments);
    std::vector<Walk> walks =
        getWalks(source, view.map->rank, from.strides, to.strides);
    CUDA_MEMCPY3D rows{};
    rows.widthInBytes = source.sizes[0] * from.strides[0];
    rows.source.memoryType = rows.destination.memoryType = deviceMemory;
    takeRows(rows, walks);
    uint64_t copies = 1;
    for (const Walk &walk : walks)
      copies *= walk.count;
    for (uint64_t number = 0; number < copies && !error; ++number) {
      rows.source.device = from.address;
      rows.destination.device = to.address;
      uint64_t rest = number;
      for (const Walk &walk : walks) {
        rows.source.device += rest % walk.count * walk.from;
        rows.destination.device += rest % walk.count * walk.to;
        rest /= walk.count;
      }
      error = driver.cuMemcpy3DAsync(&rows, stream);
    }
  }
  if (error)
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
    View view = describe(map);
    if (CUresult error = device.driver->cuMemAllocAsync(&view.copy.address,
                                                        view.bytes, stream))
      return device.failure(
          std::to_string(view.bytes) +
              " bytes for an aligned copy of a tensor of the kernel '" +
              kernel.name + "' cannot be allocated",
          error);
    views.push_back(view);
    setPlace(view, view.copy);
    if (Status status = copy(view, view.copy, view.own); !status.ok())
      return status;
  }
  return Status::success();
}

Status RealignedViews::end() {
  Status status = Status::success();
  for (const View &view : views) {
    setPlace(view, view.own);
    if ((view.map->flags & TC_TENSOR_MAP_WRITTEN) && status.ok())
      status = copy(view, view.own, view.copy);
    if (CUresult error =
            device.driver->cuMemFreeAsync(view.copy.address, stream);
        error && status.ok())
      status =
          device.failure("an aligned copy of a tensor cannot be freed", error);
  }
  views.clear();
  return status;
}
