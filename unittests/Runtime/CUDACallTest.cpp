//===- CUDACallTest.cpp - Tests of calls on a GPU -------------------------===//
//
// The "compiled functions" here are written by hand against the C ABI.
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/Call.h"
#include "gtest/gtest.h"

#include <thread>

using namespace tc::runtime;

namespace {

tc_kernel &firstKernel() {
  static auto &kernel = *new standin::Kernel("first", 3);
  return kernel;
}
tc_kernel &secondKernel() {
  static auto &kernel = *new standin::Kernel("second", 3);
  return kernel;
}

/// output 0 = second(first(input 0)), by way of an arena; both kernels may
/// fail.
int32_t chain(tc_call *call) {
  const tc_runtime_api &api = *call->api;
  const tc_tensor &input = call->inputs[0];
  auto *status = static_cast<int64_t *>(api.kernel_status(call));
  if (!status)
    return TC_STATUS_OUT_OF_MEMORY;
  if (int32_t failed =
          api.allocate_output(call, 0, input.dtype, input.rank, input.sizes))
    return failed;
  void *arena = api.allocate_arena(call, 1000);
  if (!arena)
    return TC_STATUS_OUT_OF_MEMORY;
  void *first[] = {input.data, arena, status};
  if (int32_t failed = api.launch_kernel(call, &firstKernel(), 4, first))
    return failed;
  void *second[] = {arena, call->outputs[0].data, status + 1};
  if (int32_t failed = api.launch_kernel(call, &secondKernel(), 4, second))
    return failed;
  const int64_t failed = api.read_kernel_status(call);
  if (failed < 0)
    return TC_STATUS_INTERNAL;
  return failed ? api.report_mismatch(call, TC_STATUS_INDEX_OUT_OF_RANGE,
                                      "status {0}", failed, 0, nullptr)
                : int32_t(TC_STATUS_OK);
}

Tensor onDevice(int32_t device) {
  const std::vector<int64_t> sizes{100};
  return *cuda::copyToDevice(
      *Tensor::copyOf<float>(DType::F32, sizes, std::vector<float>(100)),
      device);
}

Status run(const Tensor &input, void *stream, int32_t device) {
  auto results = Call(chain)
                     .input(input)
                     .outputs(1)
                     .stream(stream)
                     .device(TC_DEVICE_CUDA, device)
                     .run();
  if (!results.ok())
    return results.takeStatus();
  EXPECT_EQ((*results)[0].deviceIndex(), device);
  return Status::success();
}

/// output 0 = first(input 0), by a kernel that uses counters: 0 where they are
/// asked for.
std::vector<void *> givenCounters;
int32_t counted(tc_call *call) {
  const tc_tensor &input = call->inputs[0];
  if (int32_t failed = call->api->allocate_output(call, 0, input.dtype,
                                                  input.rank, input.sizes))
    return failed;
  // Of the counters' size, and no counters.
  void *arena = call->api->allocate_arena(call, TC_COUNTERS * sizeof(uint32_t));
  void *counters = call->api->allocate_counters(call);
  if (!counters || arena == counters)
    return TC_STATUS_OUT_OF_MEMORY;
  givenCounters.push_back(counters);
  void *arguments[] = {input.data, call->outputs[0].data, counters};
  return call->api->launch_kernel(call, &firstKernel(), 4, arguments);
}

Status runCounted(const Tensor &input, void *stream) {
  auto results = Call(counted)
                     .input(input)
                     .outputs(1)
                     .stream(stream)
                     .device(TC_DEVICE_CUDA, 0)
                     .run();
  return results.ok() ? Status::success() : results.takeStatus();
}

TEST(CUDACall, CountersAreClearedOnceForAStream) {
  const Tensor input = onDevice(0);
  void *one = standin::makeStream(0), *other = standin::makeStream(0);
  givenCounters.clear();
  const standin::Log log;
  ASSERT_TRUE(runCounted(input, one).ok());
  EXPECT_EQ(log.count("cuMemsetD8Async"), 1);
  ASSERT_TRUE(runCounted(input, one).ok());
  ASSERT_TRUE(runCounted(input, one).ok());
  EXPECT_EQ(log.count("cuMemsetD8Async"), 1);
  ASSERT_TRUE(runCounted(input, other).ok());
  EXPECT_EQ(log.count("cuMemsetD8Async"), 2);
  EXPECT_EQ(givenCounters[0], givenCounters[1]);
  EXPECT_EQ(givenCounters[0], givenCounters[2]);
  EXPECT_NE(givenCounters[0], givenCounters[3]);
}

TEST(CUDACall, ALaterCallOnlyLaunches) {
  const Tensor input = onDevice(0);
  void *stream = standin::makeStream(0);
  ASSERT_TRUE(run(input, stream, 0).ok());
  ASSERT_TRUE(run(input, stream, 0).ok());
  const standin::Log log;
  ASSERT_TRUE(run(input, stream, 0).ok());
  // The input belongs to another stream.
  EXPECT_EQ(log.count("\n"), 4) << log.text();
  EXPECT_EQ(log.count("cuLaunchKernel(first"), 1);
  EXPECT_EQ(log.count("cuLaunchKernel(second"), 1);
  EXPECT_EQ(log.count("cuStreamSynchronize"), 1);
  EXPECT_EQ(log.count("cuEventRecord"), 1);
}

TEST(CUDACall, TheFirstFailureOfTwoKernels) {
  const standin::Setting status("STAND_IN_STATUS", "1");
  const Tensor input = onDevice(0);
  Status failed = run(input, nullptr, 0);
  EXPECT_EQ(failed.code(), ErrorCode::IndexOutOfRange);
  EXPECT_EQ(failed.message(), "status 1");
  // The cell of the next call is clear.
  const standin::Setting none("STAND_IN_STATUS", "");
  EXPECT_TRUE(run(input, nullptr, 0).ok());
}

TEST(CUDACall, InputsOfAnotherDevice) {
  Status failed = run(onDevice(1), nullptr, 0);
  EXPECT_EQ(failed.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(failed.message(), "input 0 is on CUDA device 1, expected device 0, "
                              "where the call runs");
}

TEST(CUDACall, TwoThreadsTwoStreamsTwoDevices) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      const int32_t device = i % 2;
      const Tensor input = onDevice(device);
      void *stream = i < 4 ? standin::makeStream(device) : nullptr;
      for (int round = 0; round < 50; ++round) {
        Status status = run(input, stream, device);
        EXPECT_TRUE(status.ok()) << status.message();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CUDACall, ACallOnTheHost) {
  const Tensor input = onDevice(0);
  auto results = Call(chain).input(input).outputs(1).run();
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().message(),
            "the function runs on a CUDA device, the call is on the host");
}

/// Memory of the caller, of which it keeps count.
struct Allocator {
  int count = 0;
  StorageRef memory;
  static StorageRef allocate(void *context, size_t bytes) {
    auto &self = *static_cast<Allocator *>(context);
    ++self.count;
    auto storage = cuda::allocate(bytes, 0);
    return storage.ok() ? *storage : StorageRef();
  }
};

TEST(CUDACall, TakesAllMemoryFromTheCallersAllocator) {
  Allocator allocator;
  CallFrame frame;
  const Tensor input = onDevice(0);
  frame.addInput(input);
  frame.setOutputCount(1);
  frame.setDevice(TC_DEVICE_CUDA, 0);
  frame.setAllocator(Allocator::allocate, &allocator);
  Status status = frame.invoke(chain);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(allocator.count, 2); // the output and the arena
}

} // namespace
