//===- RunTarget.cpp - What code is run, and where ------------------------===//

#include "RunTarget.h"
#include "TC/Runner/Execution.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/Device.h"
#include "TC/Target/CUDA/CUDATarget.h"

using namespace tc;
using namespace tc::runner;

std::string runner::getTarget(const RunOptions &options) {
  if (options.device == "cuda" && !CUDATarget::isCUDA(options.target))
    for (const runtime::DeviceInfo &device : runtime::listDevices())
      if (device.kind == TC_DEVICE_CUDA)
        return device.target;
  return options.target;
}

llvm::Error runner::checkDevice(const RunOptions &options) {
  bool isForGPU = CUDATarget::isCUDA(getTarget(options));
  if (options.device == "cuda") {
    if (runtime::Status status = runtime::cuda::checkDevice(0); !status.ok())
      return toError(status);
    if (!isForGPU)
      return llvm::createStringError("--device=cuda does not run code for "
                                     "--target=" +
                                     options.target);
  } else if (isForGPU) {
    return llvm::createStringError(
        "code for --target=" + options.target +
        " does not run on --device=" + options.device +
        "; run it with --device=cuda, or look at it with "
        "--compile-to=PHASE or --print-assembly");
  }
  return llvm::Error::success();
}
