//===- CuBLASLt.cpp - The functions of cuBLASLt ---------------------------===//

#include "CuBLASLt.h"
#include "SharedLibrary.h"

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
  CuBLASLt functions{};
  std::string reason;

  Opened() {
    void *handle = openLibrary(reason);
    if (!handle)
      return;
    SharedLibrary library(handle, "cuBLASLt", reason);
    library.require(functions.cublasLtCreate, "cublasLtCreate");
    library.require(functions.cublasLtGetStatusName, "cublasLtGetStatusName");
    library.require(functions.cublasLtGetVersion, "cublasLtGetVersion");
    library.require(functions.cublasLtMatmulDescCreate,
                    "cublasLtMatmulDescCreate");
    library.require(functions.cublasLtMatmulDescDestroy,
                    "cublasLtMatmulDescDestroy");
    library.require(functions.cublasLtMatmulDescSetAttribute,
                    "cublasLtMatmulDescSetAttribute");
    library.require(functions.cublasLtMatrixLayoutCreate,
                    "cublasLtMatrixLayoutCreate");
    library.require(functions.cublasLtMatrixLayoutDestroy,
                    "cublasLtMatrixLayoutDestroy");
    library.require(functions.cublasLtMatrixLayoutSetAttribute,
                    "cublasLtMatrixLayoutSetAttribute");
    library.require(functions.cublasLtMatmulPreferenceCreate,
                    "cublasLtMatmulPreferenceCreate");
    library.require(functions.cublasLtMatmulPreferenceDestroy,
                    "cublasLtMatmulPreferenceDestroy");
    library.require(functions.cublasLtMatmulPreferenceSetAttribute,
                    "cublasLtMatmulPreferenceSetAttribute");
    library.require(functions.cublasLtMatmulAlgoGetHeuristic,
                    "cublasLtMatmulAlgoGetHeuristic");
    library.require(functions.cublasLtMatmul, "cublasLtMatmul");
  }
};
} // namespace

const CuBLASLt *CuBLASLt::get(std::string *reason) {
  static const auto *opened = new Opened();
  if (reason)
    *reason = opened->reason;
  return opened->reason.empty() ? &opened->functions : nullptr;
}

std::string CuBLASLt::describe(CublasStatus status) const {
  const char *name = cublasLtGetStatusName(status);
  return std::string(name ? name : "unknown status") + " (status " +
         std::to_string(status) + ")";
}
