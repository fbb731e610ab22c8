//===- RunInputs.cpp - What a call takes, where it runs -------------------===//

#include "RunInputs.h"
#include "RunTarget.h"
#include "TC/Compiler/InputStrides.h"
#include "TC/Runtime/CUDA.h"
#include "llvm/Support/Path.h"

using namespace tc;
using namespace tc::runner;

std::vector<ParameterFile>
runner::getParameterFiles(const RunOptions &options) {
  std::vector<ParameterFile> files;
  for (const std::string &text : options.parameters)
    files.push_back(parseParameterFile(text));
  return files;
}

std::string runner::getDirectory(const RunOptions &options) {
  return llvm::sys::path::parent_path(options.file).str();
}

static llvm::Error moveToDevice(Tensors &tensors) {
  for (runtime::Tensor &tensor : tensors) {
    auto copy = toExpected(runtime::cuda::copyToDeviceWithStrides(tensor, 0));
    if (!copy)
      return copy.takeError();
    tensor = std::move(*copy);
  }
  return llvm::Error::success();
}

llvm::Expected<RunData>
runner::bindRun(const CompiledModule &compiled, const std::string &function,
                Tensors inputs, const RunOptions &options, FirstResult &first) {
  RunData data;
  data.inputs = std::move(inputs);
  data.target = getTarget(options);
  const ManifestFunction *called = compiled.manifest().find(function);
  if (runtime::Status status = InputStrides(*called).makeExpected(data.inputs);
      !status.ok())
    return toError(status);
  if (options.device == "cuda") {
    data.device = TC_DEVICE_CUDA;
    if (llvm::cantFail(parseMode(options.mode)) == Mode::ReduceOverhead)
      data.graphs = std::make_unique<runtime::CUDAGraphs>();
    if (llvm::Error error = moveToDevice(data.inputs))
      return std::move(error);
  }
  Stopwatch watch(first.parameters);
  auto parameters = toExpected(
      loadParameterTensors(compiled.manifest().parameters,
                           getDirectory(options), getParameterFiles(options)));
  if (!parameters)
    return parameters.takeError();
  data.parameters =
      bindParameters(compiled, std::move(*parameters), data.device,
                     /*deviceIndex=*/0, getDirectory(options));
  if (auto prepared = toExpected(data.parameters->current()); !prepared)
    return prepared.takeError();
  return data;
}
