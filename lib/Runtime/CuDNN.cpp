//===- CuDNN.cpp - The functions of cuDNN ---------------------------------===//

#include "CuDNN.h"
#include "SharedLibrary.h"

using namespace tc::runtime;

namespace {
constexpr const char *libraryName = "libcudnn.so.9";

void *openLibrary(std::string &reason) {
  if (!CUDADriver::get(&reason))
    return nullptr;
  // What the process has, of torch or JAX, comes first: two versions take
  // twice the memory.
  for (const int mode : {RTLD_NOLOAD, 0})
    if (void *library = dlopen(libraryName, RTLD_LAZY | RTLD_LOCAL | mode))
      return library;
  const char *error = dlerror();
  reason = std::string("cuDNN cannot be opened (") +
           (error ? error : libraryName) + ")";
  return nullptr;
}

/// The one attempt of the process to open the library.
struct Opened {
  CuDNN functions{};
  std::string reason;

  Opened() {
    void *handle = openLibrary(reason);
    if (!handle)
      return;
    SharedLibrary library(handle, "cuDNN", reason);
#define REQUIRE(function) library.require(functions.function, #function)
    REQUIRE(cudnnCreate);
    REQUIRE(cudnnSetStream);
    REQUIRE(cudnnGetErrorString);
    REQUIRE(cudnnCreateTensorDescriptor);
    REQUIRE(cudnnDestroyTensorDescriptor);
    REQUIRE(cudnnSetTensorNdDescriptor);
    REQUIRE(cudnnCreateFilterDescriptor);
    REQUIRE(cudnnDestroyFilterDescriptor);
    REQUIRE(cudnnSetFilterNdDescriptor);
    REQUIRE(cudnnCreateConvolutionDescriptor);
    REQUIRE(cudnnDestroyConvolutionDescriptor);
    REQUIRE(cudnnSetConvolutionNdDescriptor);
    REQUIRE(cudnnSetConvolutionGroupCount);
    REQUIRE(cudnnSetConvolutionMathType);
    REQUIRE(cudnnCreateActivationDescriptor);
    REQUIRE(cudnnDestroyActivationDescriptor);
    REQUIRE(cudnnSetActivationDescriptor);
    REQUIRE(cudnnGetConvolutionForwardAlgorithm_v7);
    REQUIRE(cudnnConvolutionForward);
    REQUIRE(cudnnConvolutionBiasActivationForward);
    REQUIRE(cudnnAddTensor);
    REQUIRE(cudnnActivationForward);
#undef REQUIRE
  }
};
} // namespace

const CuDNN *CuDNN::get(std::string *reason) {
  static const auto *opened = new Opened();
  if (reason)
    *reason = opened->reason;
  return opened->reason.empty() ? &opened->functions : nullptr;
}

std::string CuDNN::describe(CudnnStatus status) const {
  const char *name = cudnnGetErrorString(status);
  return std::string(name ? name : "unknown status") + " (status " +
         std::to_string(status) + ")";
}
