//===- Execution.cpp - Calls of compiled functions ------------------------===//

#include "TC/Runner/Execution.h"
#include "TC/Runtime/CUDA.h"

using namespace tc;
using namespace tc::runner;

llvm::Error runner::toError(const runtime::Status &status) {
  return llvm::createStringError(status.toString());
}

llvm::Expected<RunResult> runner::callCompiled(const CompiledModule &compiled,
                                               const std::string &function,
                                               const RunData &data) {
  const ManifestFunction &info = *compiled.manifest().find(function);
  auto parameters = toExpected(data.parameters->current());
  if (!parameters)
    return parameters.takeError();
  bool onDevice = data.device != TC_DEVICE_CPU;
  auto outputs = toExpected(runtime::Call(compiled.function(function))
                                .inputs(data.inputs)
                                .parameters((*parameters)->addresses)
                                .device(data.device, 0)
                                .graphs(data.graphs.get())
                                .launchBlocking(true)
                                .outputs(int32_t(info.outputs.size()))
                                .run());
  if (!outputs)
    return outputs.takeError();
  RunResult result;
  result.function = function;
  for (runtime::Tensor &tensor : *outputs)
    if (onDevice) {
      auto copy = toExpected(runtime::cuda::copyToHost(tensor));
      if (!copy)
        return copy.takeError();
      tensor = std::move(*copy);
    }
  for (auto [output, tensor] : llvm::zip_equal(info.outputs, *outputs))
    if (output.mutates.empty())
      result.outputs.push_back(std::move(tensor));
    else
      result.mutations.emplace_back(output.mutates, std::move(tensor));
  return result;
}
