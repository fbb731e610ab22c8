//===- Driver.cpp - A CUDA driver without a device ------------------------===//
//
// libcuda.so.1 for tests of the host's calls: the functions that libTCRuntime
// looks up, on host memory. No kernel runs, so results are zeros.
//
// STAND_IN_LOG     file that each call is appended to, memory and kernels by
//                  number
// STAND_IN_DEVICES how many devices there are, by default 1
// STAND_IN_FAIL    FUNCTION:N=ERROR, call N of FUNCTION (from 1) returns ERROR
// STAND_IN_STATUS  what a launch writes to its last argument, the kernel's
//                  status
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {
constexpr int success = 0, invalidValue = 1, notFound = 500;

struct Kernel {
  std::string name;
  size_t parameterCount = 0;
};

struct Allocation {
  size_t number = 0;
  std::vector<char> bytes;
};

struct State {
  std::mutex mutex;
  std::FILE *log = nullptr;
  std::map<std::string, int> calls;
  std::map<uint64_t, Allocation> memory; // by address
  size_t allocationCount = 0;
  void *context = nullptr;

  State() {
    if (const char *path = std::getenv("STAND_IN_LOG"))
      log = std::fopen(path, "a");
  }
};

State &state() {
  static auto *single = new State();
  return *single;
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Writes a call to the log; the error that it is to return.
int record(const std::string &function, const std::string &arguments = "") {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  if (all.log) {
    std::fprintf(all.log, "%s(%s)\n", function.c_str(), arguments.c_str());
    std::fflush(all.log);
  }
  const std::string call =
      function + ":" + std::to_string(++all.calls[function]) + "=";
  const std::string failing = environment("STAND_IN_FAIL");
  return failing.starts_with(call) ? std::atoi(failing.c_str() + call.size())
                                   : success;
}

/// The allocation that holds `bytes` at an address; null when none does.
Allocation *find(uint64_t address, size_t bytes) {
  auto &memory = state().memory;
  auto above = memory.upper_bound(address);
  if (above == memory.begin())
    return nullptr;
  auto &[begin, allocation] = *std::prev(above);
  return address + bytes <= begin + allocation.bytes.size() ? &allocation
                                                            : nullptr;
}

/// "memory 2", or "nothing" where no allocation is.
std::string name(uint64_t address, size_t bytes = 1) {
  const std::lock_guard lock(state().mutex);
  const Allocation *allocation = find(address, bytes);
  return allocation ? "memory " + std::to_string(allocation->number)
                    : "nothing";
}

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

template <typename T> T *pointer(uint64_t address) {
  return reinterpret_cast<T *>(address);
}
} // namespace

extern "C" {

int cuInit(unsigned) { return record("cuInit"); }

int cuGetErrorString(int error, const char **text) {
  *text = error == 2     ? "out of memory"
          : error == 719 ? "unspecified launch failure"
                         : nullptr;
  return *text ? success : invalidValue;
}

int cuDeviceGetCount(int *count) {
  const std::string devices = environment("STAND_IN_DEVICES");
  *count = devices.empty() ? 1 : std::atoi(devices.c_str());
  return record("cuDeviceGetCount");
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return success;
}

int cuDeviceGetName(char *name, int length, int) {
  std::snprintf(name, size_t(length), "stand-in");
  return success;
}

int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return success;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 132; // sm_90
  return success;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &state();
  return record("cuDevicePrimaryCtxRetain");
}

int cuCtxGetCurrent(void **context) {
  *context = state().context;
  return success;
}

int cuCtxSetCurrent(void *context) {
  state().context = context;
  return success;
}

int cuCtxSynchronize() { return record("cuCtxSynchronize"); }
int cuStreamSynchronize(void *) { return record("cuStreamSynchronize"); }

int cuDeviceGetDefaultMemPool(void **pool, int) {
  *pool = &state();
  return success;
}

int cuMemPoolSetAttribute(void *, int, void *) { return success; }

int cuMemAllocAsync(uint64_t *address, size_t bytes, void *) {
  if (int error = record("cuMemAllocAsync", std::to_string(bytes)))
    return error;
  State &all = state();
  const std::lock_guard lock(all.mutex);
  Allocation allocation{++all.allocationCount, std::vector<char>(bytes)};
  *address = reinterpret_cast<uint64_t>(allocation.bytes.data());
  all.memory.emplace(*address, std::move(allocation));
  return success;
}

int cuMemFreeAsync(uint64_t address, void *) {
  if (int error = record("cuMemFreeAsync", name(address)))
    return error;
  const std::lock_guard lock(state().mutex);
  return state().memory.erase(address) ? success : invalidValue;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return copy("cuMemcpyHtoD", pointer<void>(to), from, to, bytes);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
  return copy("cuMemcpyHtoDAsync", pointer<void>(to), from, to, bytes);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return copy("cuMemcpyDtoH", to, pointer<void>(from), from, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  return copy("cuMemcpyDtoHAsync", to, pointer<void>(from), from, bytes);
}

int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes,
                    void *) {
  const std::string place = name(address, bytes);
  if (int error = record("cuMemsetD8Async", place))
    return error;
  if (place == "nothing")
    return invalidValue;
  std::memset(pointer<void>(address), value, bytes);
  return success;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *,
                       void **) {
  *module = new std::string(static_cast<const char *>(image));
  return record("cuModuleLoadDataEx");
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  const auto &ptx = *static_cast<std::string *>(module);
  const size_t entry = ptx.find(".entry " + std::string(name) + "(");
  if (int error = record("cuModuleGetFunction", name))
    return error;
  if (entry == std::string::npos)
    return notFound;
  const std::string parameters =
      ptx.substr(entry, ptx.find(')', entry) - entry);
  auto *kernel = new Kernel{name};
  for (size_t at = 0; (at = parameters.find(".param", at)) != std::string::npos;
       ++at)
    ++kernel->parameterCount;
  *function = kernel;
  return success;
}

int cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned,
                   unsigned threads, unsigned, unsigned, unsigned, void *,
                   void **, void **block) {
  const Kernel &kernel = *static_cast<Kernel *>(function);
  // CU_LAUNCH_PARAM_BUFFER_POINTER, arguments, CU_LAUNCH_PARAM_BUFFER_SIZE,
  // bytes
  const auto *arguments = static_cast<uint64_t *>(block[1]);
  if (*static_cast<size_t *>(block[3]) !=
      kernel.parameterCount * sizeof(uint64_t))
    return invalidValue;
  std::string text = kernel.name + ", " + std::to_string(blocks) + " x " +
                     std::to_string(threads);
  uint64_t last = 0;
  for (size_t i = 0; i < kernel.parameterCount; ++i) {
    last = arguments[i];
    const std::string place = name(last);
    text += ", " + (place == "nothing" ? std::to_string(last) : place);
  }
  if (int error = record("cuLaunchKernel", text))
    return error;
  if (const std::string status = environment("STAND_IN_STATUS");
      !status.empty())
    *pointer<int64_t>(last) = std::atoll(status.c_str());
  return success;
}

} // extern "C"
