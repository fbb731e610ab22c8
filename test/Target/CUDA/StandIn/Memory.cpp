//===- Memory.cpp - Memory of the stand-in's devices ----------------------===//

#include "State.h"

#include <cstdlib>
#include <cstring>

using namespace standin;

namespace {
template <typename T> T *pointer(uint64_t address) {
  return reinterpret_cast<T *>(address);
}

/// Bytes that an allocation is aligned to, as a device's are, and that nobody
/// owns ahead of it.
constexpr uint64_t room = 512;

/// Adds an allocation, of a device or, with null, of the host.
uint64_t add(Context *context, size_t bytes) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  Allocation allocation{++all.allocationCount, context,
                        std::make_unique<char[]>(bytes + 2 * room), bytes};
  const uint64_t address =
      (reinterpret_cast<uint64_t>(allocation.memory.get()) + room) / room *
      room;
  if (context && kernelsRun())
    std::memset(pointer<void>(address), 0xff, bytes);
  if (context)
    context->bytes += bytes;
  all.memory.emplace(address, std::move(allocation));
  return address;
}

/// CUDA_MEMCPY3D.
struct CopySide {
  size_t x, y, z, lod;
  unsigned memoryType;
  void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch, height;
};
struct Copy3D {
  CopySide source, destination;
  size_t width, height, depth;
};

int copy(const std::string &function, void *to, const void *from, uint64_t on,
         size_t bytes) {
  const std::string place = name(on, bytes);
  if (int error = record(function, place + ", " + std::to_string(bytes)))
    return error;
  if (place == "nothing")
    return invalidValue;
  std::memcpy(to, from, bytes);
  return success;
}
} // namespace

extern "C" {

int cuDeviceGetDefaultMemPool(void **pool, int) {
  *pool = &state();
  return success;
}

int cuMemPoolSetAttribute(void *, int, void *) { return success; }

int cuMemPoolTrimTo(void *, size_t) { return record("cuMemPoolTrimTo"); }

int cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream) {
  int error = checkStream(static_cast<Stream *>(stream));
  if (!error)
    error = record("cuMemAllocAsync", std::to_string(bytes));
  if (error)
    return error;
  const auto most =
      size_t(std::atoll(environment("STAND_IN_MEMORY", "1073741824").c_str()));
  if (current()->bytes + bytes > most)
    return outOfMemory;
  *address = add(current(), bytes);
  return success;
}

int cuMemFreeAsync(uint64_t address, void *stream) {
  int error = checkStream(static_cast<Stream *>(stream));
  if (!error)
    error = record("cuMemFreeAsync", name(address));
  if (error)
    return error;
  const std::lock_guard lock(state().mutex);
  auto found = state().memory.find(address);
  if (found == state().memory.end() || found->second.context != current())
    return invalidValue;
  current()->bytes -= found->second.bytes;
  state().memory.erase(found);
  return success;
}

int cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  if (int error = record("cuMemHostAlloc", std::to_string(bytes)))
    return error;
  *address = pointer<void>(add(nullptr, bytes));
  return success;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return copy("cuMemcpyHtoD", pointer<void>(to), from, to, bytes);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return copy("cuMemcpyDtoH", to, pointer<void>(from), from, bytes);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                         void *stream) {
  const int error = checkStream(static_cast<Stream *>(stream));
  return error ? error
               : copy("cuMemcpyHtoDAsync", pointer<void>(to), from, to, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  const int error = checkStream(static_cast<Stream *>(stream));
  return error
             ? error
             : copy("cuMemcpyDtoHAsync", to, pointer<void>(from), from, bytes);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void *stream) {
  int error = checkStream(static_cast<Stream *>(stream));
  if (!error && name(from, bytes) == "nothing")
    error = invalidValue;
  return error ? error
               : copy("cuMemcpyDtoDAsync", pointer<void>(to),
                      pointer<void>(from), to, bytes);
}

int cuMemcpy3DAsync_v2(const Copy3D *how, void *stream) {
  constexpr unsigned deviceMemory = 2; // CU_MEMORYTYPE_DEVICE
  const CopySide &from = how->source, &to = how->destination;
  if (int error = checkStream(static_cast<Stream *>(stream)))
    return error;
  auto endOf = [&](const CopySide &side) {
    return ((how->depth - 1) * side.height + how->height - 1) * side.pitch +
           how->width;
  };
  const std::string place = name(to.device, endOf(to));
  if (int error =
          record("cuMemcpy3DAsync", place + ", " + std::to_string(how->width) +
                                        " x " + std::to_string(how->height) +
                                        " x " + std::to_string(how->depth)))
    return error;
  for (const CopySide *side : {&from, &to})
    if (side->memoryType != deviceMemory || side->pitch < how->width ||
        side->height < how->height || side->x || side->y || side->z ||
        name(side->device, endOf(*side)) == "nothing")
      return invalidValue;
  for (size_t slice = 0; slice < how->depth; ++slice)
    for (size_t row = 0; row < how->height; ++row)
      std::memcpy(
          pointer<char>(to.device) + (slice * to.height + row) * to.pitch,
          pointer<char>(from.device) + (slice * from.height + row) * from.pitch,
          how->width);
  return success;
}

int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes,
                    void *stream) {
  const std::string place = name(address, bytes);
  int error = checkStream(static_cast<Stream *>(stream));
  if (!error)
    error = record("cuMemsetD8Async", place);
  if (error)
    return error;
  if (place == "nothing")
    return invalidValue;
  std::memset(pointer<void>(address), value, bytes);
  return success;
}

} // extern "C"
