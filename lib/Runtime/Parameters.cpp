//===- Parameters.cpp - Weights and what is prepared from them ------------===//

#include "TC/Runtime/Parameters.h"
#include "CUDADevice.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/MappedFile.h"

#include <algorithm>
#include <chrono>

using namespace tc::runtime;

Parameters::Parameters(std::vector<Tensor> tensors, ParameterUse use)
    : sources(std::move(tensors)), versions(sources.size()),
      use(std::move(use)) {
  for (const Tensor &source : sources)
    origins.push_back(source.data());
  if (this->use.known.empty() || this->use.device != TC_DEVICE_CPU)
    return;
  prepared = std::move(this->use.known);
  isPrepared = true;
  for (const Tensor &value : prepared)
    counts.bytes += value.byteCount();
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
  const void *origin = value.data();
  if (use.device == TC_DEVICE_CUDA) {
    Expected<Tensor> placed = place(value);
    if (!placed.ok())
      return placed.takeStatus();
    value = *std::move(placed);
  }
  origins[index] = origin;
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

Expected<Tensor> Parameters::place(const Tensor &value) const {
  if (use.device != TC_DEVICE_CUDA)
    return value.contiguous();
  if (value.deviceKind() != TC_DEVICE_CUDA)
    return cuda::copyToDevice(value, use.deviceIndex);
  if (value.deviceIndex() != use.deviceIndex)
    return Status(ErrorCode::InvalidArgument,
                  "a parameter is on CUDA device " +
                      std::to_string(value.deviceIndex()) +
                      ", expected device " + std::to_string(use.deviceIndex) +
                      ", where the program runs");
  // Kernels may access its elements as vectors.
  if (!isAlignedForVectors(value.data())) {
    Expected<Tensor> onHost = cuda::copyToHost(value);
    if (!onHost.ok())
      return onHost;
    return cuda::copyToDevice(*onHost, use.deviceIndex);
  }
  return value.contiguous();
}

Status Parameters::placeInto(ParameterValues &made, size_t index) {
  Expected<Tensor> placed = place(sources[index]);
  if (!placed.ok())
    return placed.takeStatus();
  // The same copy, if it is one, serves until the parameter changes.
  if (use.readByCalls[index])
    sources[index] = *placed;
  made.addresses[index] = placed->data();
  made.parameters[index] = *std::move(placed);
  return Status::success();
}

Expected<std::shared_ptr<const ParameterValues>> Parameters::compute() {
  auto made = std::make_shared<ParameterValues>();
  made->parameters.resize(sources.size());
  made->addresses.resize(sources.size() + use.prepared.size(), nullptr);
  // What only @tc.prepare reads is gone before the rest is on the device.
  if (use.prepare && !isPrepared)
    if (Status status = prepare(*made); !status.ok())
      return status;
  for (size_t i = 0; i < sources.size(); ++i)
    if (use.readByCalls[i])
      if (Status status = placeInto(*made, i); !status.ok())
        return status;
  made->prepared = prepared;
  for (size_t i = 0; i < prepared.size(); ++i)
    made->addresses[sources.size() + i] = prepared[i].data();
  return std::shared_ptr<const ParameterValues>(std::move(made));
}

Status Parameters::prepare(ParameterValues &made) {
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < sources.size(); ++i)
    if (use.readByPrepare[i])
      if (Status status = placeInto(made, i); !status.ok())
        return status;
  std::vector<Tensor> outputs;
  if (Status status = runPrepare(made, outputs); !status.ok())
    return status;
  prepared.clear();
  for (const int32_t output : use.prepared)
    prepared.push_back(outputs[size_t(output)]);
  isPrepared = true;
  ++counts.runs;
  counts.bytes = 0;
  for (const Tensor &value : prepared)
    counts.bytes += value.byteCount();
  if (Status status = releaseUnread(made); !status.ok())
    return status;
  counts.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return Status::success();
}

Status Parameters::runPrepare(const ParameterValues &made,
                              std::vector<Tensor> &outputs) const {
  CallFrame frame;
  frame.setDevice(use.device, use.deviceIndex);
  frame.setParameters(made.addresses);
  frame.setOutputCount(use.outputCount);
  frame.setLaunchBlocking(true);
  if (Status status = frame.invoke(use.prepare); !status.ok())
    return status;
  for (int32_t i = 0; i < use.outputCount; ++i) {
    Expected<Tensor> output = frame.takeOutput(i);
    if (!output.ok())
      return output.takeStatus();
    outputs.push_back(*std::move(output));
  }
  return Status::success();
}

Status Parameters::releaseUnread(ParameterValues &made) {
  counts.released = 0;
  bool hasCopies = false;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (use.readByCalls[i])
      continue;
    dropMappedPages(sources[i].storage(), sources[i].data(),
                    sources[i].byteCount());
    counts.released += sources[i].byteCount();
    hasCopies |= use.readByPrepare[i] &&
                 sources[i].deviceKind() != made.parameters[i].deviceKind();
    made.parameters[i] = Tensor();
    made.addresses[i] = nullptr;
  }
  if (!hasCopies)
    return Status::success();
  return cuda::releaseCachedMemory(use.deviceIndex).takeStatus();
}

PreparationStatistics Parameters::statistics() const {
  std::lock_guard lock(mutex);
  return counts;
}
