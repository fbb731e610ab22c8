//===- ConcurrencyTest.cpp - All of the runtime from many threads ---------===//
//
// Callers, a thread that changes weights, one that changes the number of
// threads, one that gives memory back and one that profiles, all at once: what
// the thread sanitizer watches (./dev test --sanitize=thread).
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/Call.h"
#include "TC/Runtime/Parameters.h"
#include "TC/Runtime/Profiler.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

struct ScaleContext {
  const float *from, *factor;
  float *scratch, *to;
};

/// output 0 = input 0 times parameter 0 (of one element), by way of the arena.
int32_t scaleFunction(tc_call *call) {
  const tc_tensor &x = call->inputs[0];
  const int64_t count = x.sizes[0];
  const uint64_t begin = call->api->profile_begin(call, "scale");
  if (int32_t status =
          call->api->allocate_output(call, 0, x.dtype, x.rank, x.sizes))
    return status;
  void *arena =
      call->api->allocate_arena(call, uint64_t(count) * sizeof(float));
  if (!arena)
    return TC_STATUS_OUT_OF_MEMORY;
  ScaleContext context{static_cast<const float *>(x.data),
                       static_cast<const float *>(call->parameters[0]),
                       static_cast<float *>(arena),
                       static_cast<float *>(call->outputs[0].data)};
  auto multiply = [](void *raw, int64_t first, int64_t end) {
    auto *work = static_cast<ScaleContext *>(raw);
    for (int64_t i = first; i < end; ++i)
      work->scratch[i] = work->from[i] * *work->factor;
  };
  // Reads what other threads have written in the region before.
  auto reverse = [](void *raw, int64_t first, int64_t end) {
    auto *work = static_cast<ScaleContext *>(raw);
    for (int64_t i = first; i < end; ++i)
      work->to[i] = work->scratch[i ^ 1];
  };
  call->api->parallel_for(call, multiply, &context, count, 32);
  call->api->parallel_for(call, reverse, &context, count, 32);
  call->api->profile_end(call, "scale", begin);
  return TC_STATUS_OK;
}

Tensor filled(int64_t count, float value) {
  return *Tensor::copyOf<float>(DType::F32, Sizes{count},
                                std::vector<float>(size_t(count), value));
}

/// Calls until `stop`; each result must be the input times one of the factors.
void callUntil(const std::atomic<bool> &stop, Parameters &parameters,
               std::atomic<int> &calls, std::atomic<int> &wrong) {
  while (!stop) {
    const int64_t count = 64 + calls % 7 * 512;
    const Tensor x = filled(count, 2);
    auto values = parameters.current();
    if (!values.ok()) {
      ++wrong;
      return;
    }
    auto results = Call(scaleFunction)
                       .input(x)
                       .parameters((*values)->addresses)
                       .outputs(1)
                       .run();
    if (!results.ok()) {
      ++wrong;
      return;
    }
    const auto *data = (*results)[0].dataAs<float>();
    wrong += !std::all_of(data, data + count, [&](float value) {
      return value == data[0] && (value == 6 || value == 10);
    });
    ++calls;
  }
}

TEST(Concurrency, CallsWhileEverythingChanges) {
  ParameterUse use;
  use.readByPrepare = {false};
  use.readByCalls = {true};
  Parameters parameters({filled(1, 3)}, use);
  std::atomic<bool> stop = false;
  std::atomic<int> calls = 0, wrong = 0;
  std::vector<std::thread> threads;
  auto start = [&](std::function<void()> step) {
    threads.emplace_back([&stop, step = std::move(step)] {
      while (!stop)
        step();
    });
  };
  for (int caller = 0; caller < 4; ++caller)
    threads.emplace_back([&] { callUntil(stop, parameters, calls, wrong); });
  std::atomic<int> turn = 0;
  start([&] {
    wrong += !parameters.replace(0, filled(1, ++turn % 2 ? 5.0f : 3.0f)).ok();
  });
  start([&] {
    (void)ThreadPool::global().setThreadCount(1 + unsigned(turn) % 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  start([] {
    MemoryPool::global().trim();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  start([] {
    Profiler::global().start();
    (void)Profiler::global().summary();
    Profiler::global().clear();
    Profiler::global().stop();
  });
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (calls < 400 && wrong == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  ThreadPool::global().setThreadCount(0);
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(calls, 100);
}

} // namespace
