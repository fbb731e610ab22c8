//===- Parameters.cpp - Weights and what is prepared from them ------------===//

#include "TC/Runtime/Parameters.h"
#include "TC/Runtime/MappedFile.h"

#include <algorithm>
#include <chrono>

using namespace tc::runtime;

Parameters::Parameters(std::vector<Tensor> tensors, ParameterUse use)
    : sources(std::move(tensors)), versions(sources.size()),
      use(std::move(use)) {
  for (const Tensor &source : sources)
    origins.push_back(source.data());
}

Status Parameters::replace(size_t index, Tensor value) {
  std::lock_guard lock(mutex);
  if (index >= sources.size())
    return Status(ErrorCode::InvalidArgument,
                  "there is no parameter " + std::to_string(index) + " of " +
                      std::to_string(sources.size()));
  if (value.typeString() != sources[index].typeString())
    return Status(ErrorCode::InvalidArgument,
                  "the new value of parameter " + std::to_string(index) +
                      " is " + value.typeString() + ", expected " +
                      sources[index].typeString());
  origins[index] = value.data();
  sources[index] = std::move(value);
  values.reset();
  if (use.readByPrepare[index])
    isPrepared = false;
  return Status::success();
}

Status Parameters::update(size_t index, const Tensor &value, uint64_t version) {
  {
    std::lock_guard lock(mutex);
    if (index < sources.size() && origins[index] == value.data() &&
        versions[index] == version)
      return Status::success();
  }
  if (Status status = replace(index, value); !status.ok())
    return status;
  std::lock_guard lock(mutex);
  versions[index] = version;
  return Status::success();
}

Expected<std::shared_ptr<const ParameterValues>> Parameters::current() {
  std::lock_guard lock(mutex);
  if (!values) {
    Expected<std::shared_ptr<const ParameterValues>> made = compute();
    if (!made.ok())
      return made.takeStatus();
    values = *std::move(made);
  }
  return values;
}

Expected<std::shared_ptr<const ParameterValues>> Parameters::compute() {
  auto made = std::make_shared<ParameterValues>();
  const bool isDue = use.prepare && !isPrepared;
  made->parameters.resize(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!use.readByCalls[i] && !(isDue && use.readByPrepare[i]))
      continue;
    Expected<Tensor> rowMajor = sources[i].contiguous();
    if (!rowMajor.ok())
      return rowMajor.takeStatus();
    // The same copy, if it is one, serves until the parameter changes.
    if (use.readByCalls[i])
      sources[i] = *rowMajor;
    made->parameters[i] = *std::move(rowMajor);
  }
  for (const Tensor &parameter : made->parameters)
    made->addresses.push_back(parameter.data());
  made->addresses.resize(sources.size() + use.prepared.size(), nullptr);
  if (isDue)
    if (Status status = prepare(*made); !status.ok())
      return status;
  made->prepared = prepared;
  for (size_t i = 0; i < prepared.size(); ++i)
    made->addresses[sources.size() + i] = prepared[i].data();
  // A parameter that only @tc.prepare reads is not held twice.
  for (size_t i = 0; i < sources.size(); ++i)
    if (!use.readByCalls[i]) {
      made->parameters[i] = Tensor();
      made->addresses[i] = nullptr;
    }
  return std::shared_ptr<const ParameterValues>(std::move(made));
}

Status Parameters::prepare(ParameterValues &made) {
  const auto begin = std::chrono::steady_clock::now();
  CallFrame frame;
  frame.setDevice(use.device, use.deviceIndex);
  frame.setParameters(made.addresses);
  frame.setOutputCount(use.outputCount);
  frame.setLaunchBlocking(true);
  if (Status status = frame.invoke(use.prepare); !status.ok())
    return status;
  std::vector<Tensor> outputs;
  for (int32_t i = 0; i < use.outputCount; ++i) {
    Expected<Tensor> output = frame.takeOutput(i);
    if (!output.ok())
      return output.takeStatus();
    outputs.push_back(*std::move(output));
  }
  prepared.clear();
  for (const int32_t output : use.prepared)
    prepared.push_back(outputs[size_t(output)]);
  isPrepared = true;
  ++counts.runs;
  counts.bytes = 0;
  for (const Tensor &value : prepared)
    counts.bytes += value.byteCount();
  counts.released = 0;
  for (size_t i = 0; i < sources.size(); ++i)
    if (!use.readByCalls[i]) {
      dropMappedPages(sources[i].storage(), sources[i].data(),
                      sources[i].byteCount());
      counts.released += sources[i].byteCount();
    }
  counts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return Status::success();
}

PreparationStatistics Parameters::statistics() const {
  std::lock_guard lock(mutex);
  return counts;
}
