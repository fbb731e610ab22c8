//===- StandIn.h - The CUDA driver of the tests -----------------*- C++ -*-===//

#ifndef TC_UNITTESTS_RUNTIME_STANDIN_H
#define TC_UNITTESTS_RUNTIME_STANDIN_H

#include <cstdlib>
#include <string>

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
