//===- CuBLASLt.cpp - The functions of cuBLASLt ---------------------------===//

#include "CuBLASLt.h"

#include <dlfcn.h>
#include <type_traits>

using namespace tc::runtime;

namespace {
/// A version of the library by its name, and the oldest driver that it is for.
struct Candidate {
  const char *name;
  int driverVersion;
};
constexpr Candidate candidates[] = {{"libcublasLt.so.13", 13000},
                                    {"libcublasLt.so.12", 12000}};

void *openLibrary(std::string &reason) {
  const CUDADriver *driver = CUDADriver::get(&reason);
  if (!driver)
    return nullptr;
  int version = 0;
  driver->cuDriverGetVersion(&version);
  // What the process has, of torch or JAX, comes first: two versions take
  // twice the memory.
  std::string tried;
  for (const int mode : {RTLD_NOLOAD, 0})
    for (const Candidate &candidate : candidates) {
      if (version < candidate.driverVersion)
        continue;
      if (void *library = dlopen(candidate.name, RTLD_LAZY | RTLD_LOCAL | mode))
        return library;
      if (mode == 0) {
        const char *error = dlerror();
        tried += (tried.empty() ? "" : "; ") +
                 std::string(error ? error : candidate.name);
      }
    }
  reason = "cuBLASLt cannot be opened (" +
           (tried.empty() ? "the CUDA driver is older than 12.0" : tried) + ")";
  return nullptr;
}

/// The one attempt of the process to open the library.
struct Opened {
  CuBLASLt library{};
  std::string reason;

  Opened() {
    void *handle = openLibrary(reason);
    if (!handle)
      return;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(handle, name));
      if (!function && reason.empty())
        reason = std::string("cuBLASLt has no function ") + name;
    };
    find(library.cublasLtCreate, "cublasLtCreate");
    find(library.cublasLtGetStatusName, "cublasLtGetStatusName");
    find(library.cublasLtGetVersion, "cublasLtGetVersion");
    find(library.cublasLtMatmulDescCreate, "cublasLtMatmulDescCreate");
    find(library.cublasLtMatmulDescDestroy, "cublasLtMatmulDescDestroy");
    find(library.cublasLtMatmulDescSetAttribute,
         "cublasLtMatmulDescSetAttribute");
    find(library.cublasLtMatrixLayoutCreate, "cublasLtMatrixLayoutCreate");
    find(library.cublasLtMatrixLayoutDestroy, "cublasLtMatrixLayoutDestroy");
    find(library.cublasLtMatrixLayoutSetAttribute,
         "cublasLtMatrixLayoutSetAttribute");
    find(library.cublasLtMatmulPreferenceCreate,
         "cublasLtMatmulPreferenceCreate");
    find(library.cublasLtMatmulPreferenceDestroy,
         "cublasLtMatmulPreferenceDestroy");
    find(library.cublasLtMatmulPreferenceSetAttribute,
         "cublasLtMatmulPreferenceSetAttribute");
    find(library.cublasLtMatmulAlgoGetHeuristic,
         "cublasLtMatmulAlgoGetHeuristic");
    find(library.cublasLtMatmul, "cublasLtMatmul");
  }
};
} // namespace

const CuBLASLt *CuBLASLt::get(std::string *reason) {
  static const auto *opened = new Opened();
  if (reason)
    *reason = opened->reason;
  return opened->reason.empty() ? &opened->library : nullptr;
}

std::string CuBLASLt::describe(CublasStatus status) const {
  const char *name = cublasLtGetStatusName(status);
  return std::string(name ? name : "unknown status") + " (status " +
         std::to_string(status) + ")";
}
