//===- SharedLibrary.h - Functions of a library at run time -----*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_SHAREDLIBRARY_H
#define TC_LIB_RUNTIME_SHAREDLIBRARY_H

#include <dlfcn.h>
#include <string>

namespace tc::runtime {

/// The functions of a library that was opened with dlopen(). The first that is
/// required and not there is the `reason` why the library cannot be used.
class SharedLibrary {
public:
  /// `name` of the library as a reason has it: "the CUDA driver".
  SharedLibrary(void *handle, const char *name, std::string &reason)
      : handle(handle), name(name), reason(reason) {}

  template <typename Function>
  void require(Function &function, const char *symbol) {
    find(function, symbol);
    if (!function && reason.empty())
      reason = std::string(name) + " has no function " + symbol;
  }
  /// Null where the library has none.
  template <typename Function>
  void find(Function &function, const char *symbol) {
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
  }

private:
  void *handle;
  const char *name;
  std::string &reason;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_SHAREDLIBRARY_H
