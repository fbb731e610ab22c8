//===- StandIn.h - The CUDA driver of the tests -----------------*- C++ -*-===//

#ifndef TC_UNITTESTS_RUNTIME_STANDIN_H
#define TC_UNITTESTS_RUNTIME_STANDIN_H

#include "TC/Runtime/ABI.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

// Functions of the driver that the runtime does not call.
extern "C" int cuStreamCreate(void **stream, unsigned flags);
extern "C" int cuStreamDestroy_v2(void *stream);
extern "C" int cuCtxSetCurrent(void *context);
extern "C" int cuDevicePrimaryCtxRetain(void **context, int device);

namespace standin {

/// PTX of kernels that take `parameters` values of 8 bytes each; nobody reads
/// more of it.
inline std::string imageOf(const std::string &kernel, int parameters) {
  std::string text = ".visible .entry " + kernel + "(";
  for (int i = 0; i < parameters; ++i)
    text += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
  return text + ") {}\n";
}

/// A kernel with `parameters` values of 8 bytes, as emitted code describes it.
struct Kernel : tc_kernel {
  Kernel(const std::string &name, int parameters)
      : tc_kernel{}, text(name), ptx(imageOf(name, parameters)) {
    size = sizeof(tc_kernel);
    tc_kernel::name = text.c_str();
    image = ptx.c_str();
    image_bytes = ptx.size();
    handles = handlesOfDevices;
    argument_bytes = uint32_t(parameters) * 8;
    threads = 32;
  }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  std::string text, ptx;
  void *handlesOfDevices[TC_MAX_DEVICES] = {};
};

/// The calls of the driver since this was made, a line each.
class Log {
public:
  Log() : path(std::getenv("STAND_IN_LOG")) { skipped = read().size(); }
  std::string text() const { return read().substr(skipped); }
  /// How often a text is in it.
  int count(const std::string &part) const {
    const std::string all = text();
    int found = 0;
    for (size_t at = 0; (at = all.find(part, at)) != all.npos; ++at)
      ++found;
    return found;
  }

private:
  std::string read() const {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  std::string path;
  size_t skipped = 0;
};

/// A variable of the environment while it lives; see Target/CUDA/StandIn.
class Setting {
public:
  Setting(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Setting() { unsetenv(name); }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;

private:
  const char *name;
};

/// A stream of a device, made in its primary context.
inline void *makeStream(int device) {
  void *context = nullptr, *stream = nullptr;
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuStreamCreate(&stream, 0);
  cuCtxSetCurrent(nullptr);
  return stream;
}

} // namespace standin

#endif // TC_UNITTESTS_RUNTIME_STANDIN_H
