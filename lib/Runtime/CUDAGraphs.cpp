//===- CUDAGraphs.cpp - Calls that repeat as CUDA graphs ------------------===//

#include "TC/Runtime/CUDAGraphs.h"
#include "CUDAMemory.h"
#include "RepeatedCall.h"

#include <algorithm>
#include <cstdio>

using namespace tc::runtime;

namespace {
/// All of the process.
struct Registry {
  std::mutex mutex;
  std::vector<CUDAGraphs *> all;
};

Registry &registry() {
  // Never destroyed: programs may outlive static destructors.
  static auto &single = *new Registry();
  return single;
}

/// Whether the stream's work is recorded instead of done. The default stream
/// cannot be captured, and that of a thread is as any other.
bool isCaptured(const CUDADriver &driver, CUstream stream) {
  if (reinterpret_cast<uintptr_t>(stream) <= 1)
    return false;
  int status = 0;
  return driver.cuStreamIsCapturing(stream, &status) != 0 || status != 0;
}
} // namespace

CUDAGraphs::CUDAGraphs(size_t capacity)
    : capacity(std::max<size_t>(capacity, 1)),
      launchesBlock(cuda::launchesBlock()) {
  const std::lock_guard lock(registry().mutex);
  registry().all.push_back(this);
}

CUDAGraphs::~CUDAGraphs() {
  {
    const std::lock_guard lock(registry().mutex);
    std::erase(registry().all, this);
  }
  for (std::unique_ptr<RepeatedCall> &call : calls) {
    const CUDAContext context(CUDADevice::get(call->deviceIndex()));
    call.reset();
  }
}

void CUDAGraphs::releaseUnused(int32_t device) {
  const std::lock_guard lock(registry().mutex);
  for (CUDAGraphs *graphs : registry().all) {
    const std::lock_guard inner(graphs->mutex);
    std::erase_if(graphs->calls, [&](std::unique_ptr<RepeatedCall> &call) {
      return call->deviceIndex() == device && call->tryEnter();
    });
  }
}

void CUDAGraphs::evict() {
  auto oldest = calls.end();
  for (auto call = calls.begin(); call != calls.end(); ++call)
    if ((oldest == calls.end() ||
         (*call)->lastEntered < (*oldest)->lastEntered) &&
        (*call)->tryEnter()) {
      if (oldest != calls.end())
        (*oldest)->leave();
      oldest = call;
    }
  if (oldest != calls.end())
    calls.erase(oldest);
}

RepeatedCall *CUDAGraphs::findOrMake(CUDADevice &device, uint64_t streamId,
                                     std::span<const tc_tensor> inputs) {
  const std::lock_guard lock(mutex);
  for (const std::unique_ptr<RepeatedCall> &call : calls)
    if (call->matches(device, streamId, inputs)) {
      if (!call->tryEnter())
        return nullptr;
      call->lastEntered = ++entered;
      return call.get();
    }
  if (calls.size() >= capacity)
    evict();
  if (calls.size() >= capacity)
    return nullptr;
  calls.push_back(std::make_unique<RepeatedCall>(device, streamId, inputs));
  calls.back()->lastEntered = ++entered;
  calls.back()->tryEnter();
  return calls.back().get();
}

RepeatedCall *CUDAGraphs::enter(CUDADevice &device, void *stream,
                                std::span<const tc_tensor> inputs) {
  const CUDADriver &driver = *device.driver;
  if (launchesBlock || !driver.hasGraphs() ||
      cuda::launchObserver.load(std::memory_order_acquire) ||
      isCaptured(driver, stream)) [[unlikely]]
    return nullptr;
  const uint64_t streamId = CUDAMemory::of(device).idOf(stream);
  RepeatedCall *call = findOrMake(device, streamId, inputs);
  if (call)
    call->begin(stream);
  return call;
}

void CUDAGraphs::leave(RepeatedCall *call, bool succeeded) {
  call->end(succeeded);
  if (!call->refusal().empty() && !warned.exchange(true)) [[unlikely]]
    std::fprintf(stderr, "tc: remark: %s; kernels are launched one by one\n",
                 call->refusal().c_str());
  call->leave();
}

std::string CUDAGraphs::describe() const {
  if (launchesBlock)
    return "no CUDA graphs, as CUDA_LAUNCH_BLOCKING is set\n";
  const std::lock_guard lock(mutex);
  std::string text;
  for (const std::unique_ptr<RepeatedCall> &call : calls) {
    if (!call->tryEnter())
      continue;
    text += "inputs " + call->describeSizes() + ": " + call->describe() + "\n";
    call->leave();
  }
  return text;
}
