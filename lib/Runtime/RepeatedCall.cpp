//===- RepeatedCall.cpp - A call that is recorded and replayed ------------===//

#include "RepeatedCall.h"
#include "RealignedViews.h"

#include <algorithm>

using namespace tc::runtime;

/// Sequences of one call, of which each may be launched several times; launches
/// of others start one by one.
static constexpr size_t mostSequences = 64;

RepeatedCall::RepeatedCall(CUDADevice &device, uint64_t streamId,
                           std::span<const tc_tensor> inputs)
    : device(device), streamId(streamId) {
  for (const tc_tensor &input : inputs) {
    sizes.push_back(input.rank);
    sizes.insert(sizes.end(), input.sizes, input.sizes + input.rank);
  }
}

bool RepeatedCall::matches(const CUDADevice &other, uint64_t otherStream,
                           std::span<const tc_tensor> inputs) const {
  if (&device != &other || streamId != otherStream)
    return false;
  const int64_t *at = sizes.data(), *const end = at + sizes.size();
  for (const tc_tensor &input : inputs) {
    if (at == end || *at++ != input.rank ||
        !std::equal(input.sizes, input.sizes + input.rank, at))
      return false;
    at += input.rank;
  }
  return at == end;
}

std::string RepeatedCall::describeSizes() const {
  std::string text;
  for (size_t at = 0; at < sizes.size(); at += 1 + size_t(sizes[at])) {
    text += at ? ", " : "";
    for (int64_t dim = 1; dim <= sizes[at]; ++dim)
      text += (dim > 1 ? "x" : "") + std::to_string(sizes[at + size_t(dim)]);
    text += sizes[at] ? "" : "scalar";
  }
  return text.empty() ? "none" : text;
}

std::string RepeatedCall::describe() const {
  std::string graphs;
  size_t count = 0, alone = 0;
  for (const auto &sequence : sequences)
    if (sequence->hasGraph()) {
      graphs += (count++ ? ", " : "") + std::to_string(sequence->size());
    } else {
      alone += sequence->size();
    }
  std::string text = count == 0   ? "no CUDA graph"
                     : count == 1 ? "1 CUDA graph of " + graphs + " kernels"
                                  : std::to_string(count) + " CUDA graphs of " +
                                        graphs + " kernels";
  if (alone)
    text += ", " + std::to_string(alone) +
            (alone == 1 ? " kernel launched alone"
                        : " kernels launched one by one");
  if (count > 1)
    text += "; the host waits for the device between graphs";
  return reason.empty() ? text : text + "; " + reason;
}

void RepeatedCall::begin(CUstream ofCall) {
  stream = ofCall;
  state = State::Between;
  next = nextArena = 0;
}

/// Here and below tensor maps are encoded: launch() does it.
Status RepeatedCall::launchNow(const tc_kernel &kernel, int64_t blocks,
                               void *arguments) {
  CUDALaunch launch;
  if (Status status = prepareCUDALaunch(device, kernel, blocks, launch);
      !status.ok())
    return status;
  return startCUDAKernel(device, stream, kernel, launch, arguments);
}

Status RepeatedCall::record(const tc_kernel &kernel, int64_t blocks,
                            void *arguments) {
  CUDALaunch launch;
  if (Status status = prepareCUDALaunch(device, kernel, blocks, launch);
      !status.ok())
    return status;
  recorded->add(kernel, blocks, launch, arguments);
  return startCUDAKernel(device, stream, kernel, launch, arguments);
}

LaunchSequence *RepeatedCall::findFirst(const tc_kernel &kernel) const {
  auto fits = [&](size_t index) {
    return index < sequences.size() && sequences[index]->kernel(0) == &kernel;
  };
  // Most often the one that came here in the last call.
  if (fits(next))
    return sequences[next].get();
  for (size_t i = 0; i < sequences.size(); ++i)
    if (fits(i))
      return sequences[i].get();
  return nullptr;
}

/// A sequence whose kernels are the first `position` of the current one, and
/// then `kernel`, or with null none.
LaunchSequence *RepeatedCall::findOther(const tc_kernel *kernel) const {
  for (const auto &other : sequences) {
    if (other.get() == current || !other->beginsAs(*current, position))
      continue;
    const bool isLonger = other->size() > position;
    if (kernel ? isLonger && other->kernel(position) == kernel : !isLonger)
      return other.get();
  }
  return nullptr;
}

/// Starts the launches that have come one by one, as no sequence goes on as the
/// call does, and records what follows.
Status RepeatedCall::leaveSequence() {
  if (sequences.size() < mostSequences && reason.empty()) {
    recorded = std::make_unique<LaunchSequence>(device);
    recorded->addFrom(*current, position);
    state = State::Recording;
  } else {
    state = State::Launching;
  }
  return current->startOneByOne(stream, position);
}

Status RepeatedCall::replay(const tc_kernel &kernel, int64_t blocks,
                            void *arguments) {
  if (position >= current->size() || current->kernel(position) != &kernel)
      [[unlikely]] {
    if (LaunchSequence *other = findOther(&kernel)) {
      if (Status status = other->updateFrom(*current, position); !status.ok())
        return status;
      current = other;
    } else if (Status status = leaveSequence(); !status.ok()) {
      return status;
    } else if (state == State::Recording) {
      return record(kernel, blocks, arguments);
    } else {
      return launchNow(kernel, blocks, arguments);
    }
  }
  return current->update(position++, blocks, arguments);
}

/// A kernel that works on copies of the caller's memory, which are made behind
/// the kernels before it: from here on the call's kernels start one by one.
Status RepeatedCall::launchRealigned(const tc_kernel &kernel, int64_t blocks,
                                     void *arguments) {
  const State before = std::exchange(state, State::Launching);
  recorded.reset();
  if (before == State::Replaying)
    if (Status status = current->startOneByOne(stream, position); !status.ok())
      return status;
  return launchCUDAKernel(device, stream, kernel, blocks, arguments);
}

Status RepeatedCall::launch(const tc_kernel &kernel, int64_t blocks,
                            void *arguments) {
  if (blocks <= 0)
    return Status::success();
  if (kernel.tensor_map_count > 0 &&
      RealignedViews::areNeeded(kernel, arguments)) [[unlikely]]
    return launchRealigned(kernel, blocks, arguments);
  if (kernel.tensor_map_count > 0)
    if (Status status = encodeTensorMaps(device, kernel, arguments);
        !status.ok())
      return status;
  if (state == State::Between) {
    if (calls == 0) {
      state = State::Launching;
    } else if ((current = findFirst(kernel))) {
      state = State::Replaying;
      position = 0;
    } else if (sequences.size() < mostSequences && reason.empty()) {
      state = State::Recording;
      recorded = std::make_unique<LaunchSequence>(device);
    } else {
      state = State::Launching;
    }
  }
  if (state == State::Replaying) [[likely]]
    return replay(kernel, blocks, arguments);
  return state == State::Recording ? record(kernel, blocks, arguments)
                                   : launchNow(kernel, blocks, arguments);
}

void RepeatedCall::keepRecorded() {
  recorded->makeGraph();
  if (!recorded->refusal().empty())
    reason = recorded->refusal();
  sequences.push_back(std::move(recorded));
  next = sequences.size();
}

Status RepeatedCall::startReplayed() {
  if (position < current->size()) {
    LaunchSequence *shorter = findOther(nullptr);
    if (!shorter) {
      Status status = leaveSequence();
      if (status.ok() && state == State::Recording)
        keepRecorded();
      return status;
    }
    if (Status status = shorter->updateFrom(*current, position); !status.ok())
      return status;
    current = shorter;
  }
  Status status = current->start(stream);
  if (!current->refusal().empty()) [[unlikely]]
    reason = current->refusal();
  next = 1;
  while (sequences[next - 1].get() != current)
    ++next;
  return status;
}

Status RepeatedCall::flush() {
  const State before = std::exchange(state, State::Between);
  if (before == State::Replaying) [[likely]] {
    Status status = startReplayed();
    state = State::Between;
    return status;
  }
  if (before == State::Recording) {
    keepRecorded();
    if (!device.isUsable())
      return device.status();
  }
  return Status::success();
}

void RepeatedCall::end(bool succeeded) {
  calls += succeeded;
  state = State::Between;
  recorded.reset();
  auto hasGraph = [](const auto &sequence) { return sequence->hasGraph(); };
  if (!arenas.empty() &&
      std::none_of(sequences.begin(), sequences.end(), hasGraph)) [[unlikely]]
    arenas.clear();
}

Storage *RepeatedCall::takeArena(size_t bytes) {
  if (nextArena >= arenas.size() || arenas[nextArena]->bytes < bytes)
    return nullptr;
  return arenas[nextArena++].get();
}

void RepeatedCall::keepArena(const StorageRef &arena) {
  if (nextArena == arenas.size())
    arenas.emplace_back();
  arenas[nextArena++] = arena;
}
