//===- CallTest.cpp - Tests of calling compiled functions -----------------===//
//
// The "compiled functions" here are written by hand against the C ABI.
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/Call.h"
#include "TC/Runtime/Profiler.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

struct AddContext {
  const float *left, *right;
  float *result;
};

/// output 0 = input 0 + input 1, by way of an arena.
int32_t addFunction(tc_call *call) {
  const tc_tensor &left = call->inputs[0], &right = call->inputs[1];
  int64_t count = 1;
  for (int32_t i = 0; i < left.rank; ++i)
    count *= left.sizes[i];
  uint64_t begin = call->api->profile_begin(call, "add_kernel");
  if (int32_t status = call->api->allocate_output(call, 0, left.dtype,
                                                  left.rank, left.sizes))
    return status;
  auto *arena = static_cast<float *>(
      call->api->allocate_arena(call, uint64_t(count) * sizeof(float)));
  if (!arena)
    return TC_STATUS_OUT_OF_MEMORY;
  std::memcpy(arena, left.data, size_t(count) * sizeof(float));
  AddContext context{arena, static_cast<float *>(right.data),
                     static_cast<float *>(call->outputs[0].data)};
  call->api->parallel_for(
      call,
      [](void *raw, int64_t begin, int64_t end) {
        auto *context = static_cast<AddContext *>(raw);
        for (int64_t i = begin; i < end; ++i)
          context->result[i] = context->left[i] + context->right[i];
      },
      &context, count, 16);
  call->api->profile_end(call, "add_kernel", begin);
  return TC_STATUS_OK;
}

Tensor filled(int64_t count, float value) {
  return *Tensor::copyOf<float>(DType::F32, Sizes{count},
                                std::vector<float>(size_t(count), value));
}

TEST(Call, RunsAFunction) {
  const Tensor left = filled(1000, 1), right = filled(1000, 2);
  auto results = Call(addFunction).input(left).input(right).outputs(1).run();
  ASSERT_TRUE(results.ok()) << results.error().toString();
  ASSERT_EQ(results->size(), 1u);
  const Tensor &sum = (*results)[0];
  EXPECT_EQ(sum.typeString(), "1000xf32");
  EXPECT_TRUE(sum.isContiguous());
  EXPECT_TRUE(std::all_of(sum.dataAs<float>(), sum.dataAs<float>() + 1000,
                          [](float value) { return value == 3; }));
}

TEST(Call, ReusesFramesAndMemory) {
  MemoryPool memory;
  ThreadPool threads(2);
  CallFrame frame(threads, memory);
  const Tensor left = filled(100000, 1), right = filled(100000, 2);
  for (int repeat = 0; repeat < 10; ++repeat) {
    frame.clear();
    frame.addInput(left);
    frame.addInput(right);
    frame.setOutputCount(1);
    ASSERT_TRUE(frame.invoke(addFunction).ok());
    EXPECT_EQ(frame.takeOutput(0)->dataAs<float>()[99999], 3);
  }
  EXPECT_EQ(memory.statistics().bytesLive, 0u);
  EXPECT_EQ(memory.statistics().reuses, 18u);
}

TEST(Call, IsReentrant) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([caller] {
      const Tensor left = filled(500, float(caller)), right = filled(500, 2);
      for (int repeat = 0; repeat < 500; ++repeat) {
        auto results =
            Call(addFunction).input(left).input(right).outputs(1).run();
        ASSERT_TRUE(results.ok());
        ASSERT_EQ((*results)[0].dataAs<float>()[499], float(caller + 2));
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(Call, UsesStorageOfTheCallerWhenLargeEnough) {
  const Tensor left = filled(10, 1), right = filled(10, 2);
  for (int64_t room : {10, 20, 0}) {
    CallFrame frame;
    Tensor mine = filled(room, 0);
    // A pool block may hold more than was asked for: end the storage here.
    StorageRef storage =
        wrapForeignMemory(mine.data(), size_t(room) * 4, nullptr, nullptr);
    Tensor given = *Tensor::view(storage, DType::F32, Sizes{room}, Sizes{1});
    frame.addInput(left);
    frame.addInput(right);
    frame.setOutputCount(1);
    frame.setOutputStorage(0, given);
    ASSERT_TRUE(frame.invoke(addFunction).ok());
    Tensor result = *frame.takeOutput(0);
    EXPECT_EQ(result.data() == mine.data(), room >= 10);
    EXPECT_EQ(result.typeString(), "10xf32");
    EXPECT_EQ(result.dataAs<float>()[9], 3);
  }
}

TEST(Call, TakesMemoryFromTheAllocatorOfTheCaller) {
  MemoryPool other;
  const Tensor left = filled(10, 1), right = filled(10, 2);
  CallFrame frame;
  for (bool own : {true, false}) {
    frame.clear();
    if (own)
      frame.setAllocator(
          [](void *context, size_t bytes) {
            return static_cast<MemoryPool *>(context)->allocate(bytes);
          },
          &other);
    frame.addInput(left);
    frame.addInput(right);
    frame.setOutputCount(1);
    ASSERT_TRUE(frame.invoke(addFunction).ok());
    EXPECT_EQ(frame.takeOutput(0)->dataAs<float>()[9], 3);
    EXPECT_EQ(other.statistics().allocations, 2u);
  }

  frame.setAllocator([](void *, size_t) { return StorageRef(); }, nullptr);
  frame.addInput(left);
  frame.addInput(right);
  frame.setOutputCount(1);
  Status status = frame.invoke(addFunction);
  EXPECT_EQ(status.code(), ErrorCode::OutOfMemory);
  EXPECT_EQ(status.message(), "no memory for output 0, 10xf32, 40 bytes");
}

TEST(Call, OutputsMayBeViewsOfInputs) {
  auto lastHalf = [](tc_call *call) -> int32_t {
    tc_tensor &output = call->outputs[0];
    output.data = static_cast<float *>(call->inputs[0].data) + 5;
    output.dtype = TC_DTYPE_F32;
    output.rank = 1;
    output.sizes[0] = 5;
    output.strides[0] = 1;
    output.device_kind = TC_DEVICE_CPU;
    return TC_STATUS_OK;
  };
  Tensor input = filled(10, 4);
  auto results = Call(lastHalf).input(input).outputs(1).run();
  ASSERT_TRUE(results.ok());
  EXPECT_EQ((*results)[0].data(), input.dataAs<float>() + 5);
  EXPECT_EQ((*results)[0].storage().get(), input.storage().get());

  // Nobody counts the holders of a bare descriptor: its view is copied.
  CallFrame frame;
  frame.addInput(input.descriptor());
  frame.setOutputCount(1);
  ASSERT_TRUE(frame.invoke(lastHalf).ok());
  Tensor copy = *frame.takeOutput(0);
  EXPECT_NE(copy.data(), input.dataAs<float>() + 5);
  EXPECT_EQ(copy.dataAs<float>()[4], 4);
}

TEST(Call, OutputsMayBeInputsInAnyOrder) {
  // Output i is input 2, 0, 1, 1.
  auto permute = [](tc_call *call) -> int32_t {
    const int32_t order[] = {2, 0, 1, 1};
    for (size_t i = 0; i < std::size(order); ++i)
      call->outputs[i] = call->inputs[order[i]];
    return TC_STATUS_OK;
  };
  std::vector<Tensor> inputs;
  for (int i = 0; i < 3; ++i)
    inputs.push_back(filled(4, float(i)));
  auto results = Call(permute).inputs(inputs).outputs(4).run();
  ASSERT_TRUE(results.ok());
  CallFrame frame;
  for (const Tensor &input : inputs)
    frame.addInput(input.descriptor());
  frame.setOutputCount(4);
  ASSERT_TRUE(frame.invoke(permute).ok());
  const size_t expected[] = {2, 0, 1, 1};
  for (size_t i = 0; i < 4; ++i) {
    const Tensor &input = inputs[expected[i]];
    EXPECT_EQ((*results)[i].data(), input.data()) << i;
    EXPECT_EQ((*results)[i].storage().get(), input.storage().get()) << i;
    // The caller of a bare descriptor keeps the memory.
    EXPECT_EQ(frame.takeOutput(int32_t(i))->data(), input.data()) << i;
  }
}

TEST(Call, PassesParameters) {
  float weight = 5;
  void *storage[] = {&weight};
  auto copyParameter = [](tc_call *call) -> int32_t {
    if (call->parameter_count != 1)
      return TC_STATUS_INVALID_ARGUMENT;
    call->api->allocate_output(call, 0, TC_DTYPE_F32, 0, nullptr);
    std::memcpy(call->outputs[0].data, call->parameters[0], 4);
    return TC_STATUS_OK;
  };
  auto results = Call(copyParameter).parameters(storage).outputs(1).run();
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(*(*results)[0].dataAs<float>(), 5);
  EXPECT_EQ((*results)[0].rank(), 0);
}

TEST(Call, ReportsTheFirstError) {
  auto failing = [](tc_call *call) -> int32_t {
    call->api->report_error(call, TC_STATUS_INDEX_OUT_OF_RANGE,
                            "index 7 is out of range for size 5",
                            "model.py:12");
    return call->api->report_error(call, TC_STATUS_INTERNAL, "second", nullptr);
  };
  CallFrame frame;
  frame.setOutputCount(1);
  Status status = frame.invoke(failing);
  EXPECT_EQ(status.code(), ErrorCode::IndexOutOfRange);
  EXPECT_EQ(status.toString(),
            "model.py:12: index 7 is out of range for size 5");
  // The frame is usable again.
  EXPECT_TRUE(frame.invoke([](tc_call *) -> int32_t { return 0; }).ok());
}

TEST(Call, ErrorsInsideKernelsFailTheCall) {
  auto failing = [](tc_call *call) -> int32_t {
    call->api->parallel_for(
        call,
        [](void *raw, int64_t begin, int64_t end) {
          auto *call = static_cast<tc_call *>(raw);
          call->api->report_error(call, TC_STATUS_INDEX_OUT_OF_RANGE, "bad",
                                  nullptr);
        },
        call, 1000, 1);
    return TC_STATUS_OK;
  };
  auto results = Call(failing).run();
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().message(), "bad");
}

TEST(Call, RefusesBadOutputs) {
  auto bad = [](tc_call *call) -> int32_t {
    int64_t negative = -1;
    int64_t huge[] = {int64_t(1) << 40, int64_t(1) << 40};
    const tc_runtime_api *api = call->api;
    EXPECT_NE(api->allocate_output(call, 0, TC_DTYPE_F32, 1, &negative), 0);
    EXPECT_NE(api->allocate_output(call, 0, TC_DTYPE_F32, 2, huge), 0);
    EXPECT_NE(api->allocate_output(call, 0, 99, 0, nullptr), 0);
    EXPECT_NE(api->allocate_output(call, 0, TC_DTYPE_F32, 17, nullptr), 0);
    EXPECT_NE(api->allocate_output(call, 1, TC_DTYPE_F32, 0, nullptr), 0);
    EXPECT_EQ(api->allocate_arena(call, UINT64_MAX), nullptr);
    return TC_STATUS_INVALID_ARGUMENT;
  };
  auto results = Call(bad).outputs(1).run();
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().message(),
            "the sizes of output 0, -1xf32, are negative or too large");

  auto forgotten =
      Call([](tc_call *) -> int32_t { return 0; }).outputs(1).run();
  ASSERT_FALSE(forgotten.ok());
  EXPECT_EQ(forgotten.error().message(),
            "the compiled function did not set output 0");

  auto silent = Call([](tc_call *) -> int32_t { return 1; }).run();
  ASSERT_FALSE(silent.ok());
  EXPECT_EQ(silent.error().code(), ErrorCode::GuardFailed);
}

TEST(Call, RecordsKernelsForTheProfiler) {
  Profiler &profiler = Profiler::global();
  const Tensor left = filled(10, 1), right = filled(10, 2);
  profiler.start();
  (void)Call(addFunction).input(left).input(right).outputs(1).run();
  profiler.stop();
  (void)Call(addFunction).input(left).input(right).outputs(1).run();
  ASSERT_EQ(profiler.events().size(), 1u);
  EXPECT_EQ(profiler.events()[0].kernel, "add_kernel");
  profiler.clear();
}

// Prints what a call costs; no bound, as the machine may be busy.
TEST(Call, Overhead) {
  CallFrame frame;
  const Tensor left = filled(16, 1), right = filled(16, 2);
  double best = 1e9;
  for (int repeat = 0; repeat < 200; ++repeat) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) {
      frame.clear();
      frame.addInput(left);
      frame.addInput(right);
      frame.setOutputCount(1);
      ASSERT_TRUE(frame.invoke(addFunction).ok());
      Tensor result = *frame.takeOutput(0);
    }
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / 100);
  }
  std::printf("a call with one output and an arena: %.0f ns\n", best);
}

} // namespace
