//===- CUDAFailuresTest.cpp - Tests of what kernels report late -----------===//
//
// The "compiled functions" here are written by hand against the C ABI.
//
//===----------------------------------------------------------------------===//

#include "GraphedFunctions.h"

#include <thread>

using namespace standin;

namespace {

/// What the two kernels of a function report, as emitted code describes it.
struct Failures : tc_kernel_failures {
  explicit Failures(const char *location) : tc_kernel_failures{} {
    size = sizeof(tc_kernel_failures);
    handles = handlesOfDevices;
    count = 2;
    message = "an index";
    locationsOf[0] = location;
    kernels = kernelsOf;
    locations = locationsOf;
  }
  void *handlesOfDevices[TC_MAX_DEVICES] = {};
  const char *kernelsOf[2] = {"late", "late2"};
  const char *locationsOf[2] = {};
};

/// output 0 = late2(late(input 0)), two kernels that report what fails.
int32_t callLate(tc_call *call, const Failures &failures) {
  auto *words =
      static_cast<int64_t *>(call->api->kernel_failures(call, &failures));
  if (!words)
    return TC_STATUS_OUT_OF_MEMORY;
  if (int32_t failed = allocateOutput(call))
    return failed;
  if (launch(call, "late", call->inputs[0].data, words) ||
      launch(call, "late2", call->outputs[0].data, words + 1))
    return TC_STATUS_INTERNAL;
  return TC_STATUS_OK;
}

int32_t late(tc_call *call) {
  static const Failures failures("model.py:1:2");
  return callLate(call, failures);
}

int32_t other(tc_call *call) {
  static const Failures failures(nullptr);
  return callLate(call, failures);
}

Status run(tc_function function, const Tensor &input, void *stream = nullptr,
           bool launchBlocking = false) {
  auto results = Call(function)
                     .input(input)
                     .outputs(1)
                     .stream(stream)
                     .device(TC_DEVICE_CUDA, input.deviceIndex())
                     .launchBlocking(launchBlocking)
                     .run();
  return results.ok() ? Status::success() : results.takeStatus();
}

/// Calls with a wrong index in both kernels, of which the first is reported.
void fail(tc_function function, const Tensor &input, void *stream = nullptr) {
  const Setting status("STAND_IN_STATUS", "1");
  Status called = run(function, input, stream);
  EXPECT_TRUE(called.ok()) << called.message();
}

constexpr const char *first = "model.py:1:2: an index, in the kernel 'late'";
constexpr const char *earlierFirst =
    "model.py:1:2: an earlier call failed: an index, in the kernel 'late'";

TEST(CUDAFailures, ACallOnlyLaunches) {
  const Tensor input = onDevice(201);
  ASSERT_TRUE(run(late, input).ok());
  const Log log;
  ASSERT_TRUE(run(late, input).ok());
  EXPECT_EQ(log.count("\n"), 2) << log.text();
  EXPECT_EQ(log.count("cuLaunchKernel(late"), 2) << log.text();
}

TEST(CUDAFailures, TheNextCallsReport) {
  const Tensor input = onDevice(202);
  fail(late, input);
  const Log log;
  Status failed = run(other, input);
  EXPECT_EQ(failed.code(), ErrorCode::IndexOutOfRange);
  EXPECT_EQ(failed.toString(), earlierFirst);
  EXPECT_EQ(log.text(), ""); // the call was not made
  EXPECT_TRUE(run(late, input).ok());
}

TEST(CUDAFailures, SynchronisationReports) {
  const Tensor input = onDevice(203);
  fail(late, input);
  EXPECT_EQ(cuda::synchronize(0).toString(), first);
  EXPECT_TRUE(cuda::synchronize(0).ok());
  fail(other, input);
  auto copied = cuda::copyToHost(input);
  ASSERT_FALSE(copied.ok());
  EXPECT_EQ(copied.error().toString(), "an index, in the kernel 'late'");
  EXPECT_TRUE(run(late, input).ok());
}

TEST(CUDAFailures, AnotherStreamAndAnotherDevice) {
  void *one = makeStream(0), *two = makeStream(0);
  const Tensor input = onDevice(204), elsewhere = onDevice(204, 1);
  fail(late, input, one);
  EXPECT_TRUE(run(late, elsewhere).ok());
  EXPECT_TRUE(cuda::synchronize(1).ok());
  EXPECT_EQ(run(late, input, two).toString(), earlierFirst);
  fail(late, input, one);
  EXPECT_EQ(cuda::synchronize(0, two).toString(), first);
  EXPECT_TRUE(cuda::synchronize(0, one).ok());
}

TEST(CUDAFailures, ManyCallsInFlight) {
  const Tensor input = onDevice(205);
  const Log log;
  for (int i = 0; i < 3000; ++i)
    ASSERT_TRUE(run(late, input).ok());
  EXPECT_EQ(log.count("Synchronize"), 0);
  EXPECT_EQ(log.count("cuMemHostAlloc"), 0);
  fail(late, input);
  EXPECT_FALSE(run(late, input).ok());
  EXPECT_TRUE(run(late, input).ok());
}

TEST(CUDAFailures, ACallThatWaits) {
  const Tensor input = onDevice(206);
  {
    const Setting status("STAND_IN_STATUS", "1");
    EXPECT_EQ(run(late, input, nullptr, true).toString(), first);
  }
  const Log log;
  EXPECT_TRUE(run(late, input, nullptr, true).ok());
  EXPECT_EQ(log.count("cuStreamSynchronize"), 1);
}

TEST(CUDAFailures, BlockingLaunches) {
  const Setting blocking("CUDA_LAUNCH_BLOCKING", "1");
  constexpr int32_t unusedDevice = 12; // it is read where a device is opened
  const Tensor input = onDevice(207, unusedDevice);
  const Setting status("STAND_IN_STATUS", "1");
  EXPECT_EQ(run(late, input).toString(), first);
}

TEST(CUDAFailures, GraphsKeepTheirArguments) {
  Function function(late);
  const Tensor input = onDevice(208);
  function.warmUp(input);
  const std::string log = logOf(function, input);
  EXPECT_EQ(count(log, "cuGraphLaunch("), 1) << log;
  EXPECT_EQ(count(log, "cuGraphExecKernelNodeSetParams("), 0) << log;
  EXPECT_EQ(count(log, "Synchronize"), 0) << log;
  {
    const Setting status("STAND_IN_STATUS", "1");
    logOf(function, input);
  }
  auto failed = function(input);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().toString(), earlierFirst);
  EXPECT_EQ(count(logOf(function, input), "cuGraphLaunch("), 1);
}

TEST(CUDAFailures, ThreadsReportEachFailureOnce) {
  const Tensor input = onDevice(209, 2);
  fail(late, input);
  std::atomic<int> reports = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        reports += !run(late, input).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(reports, 1);
}

/// More functions than one piece of memory has words for.
std::vector<std::unique_ptr<Failures>> described;
int32_t lastDescribed(tc_call *call) {
  return callLate(call, *described.back());
}

TEST(CUDAFailures, ManyFunctions) {
  const Tensor input = onDevice(210, 3);
  for (int i = 0; i < 5000; ++i) {
    described.push_back(std::make_unique<Failures>("model.py:3:4"));
    ASSERT_TRUE(run(lastDescribed, input).ok());
  }
  fail(lastDescribed, input);
  described.clear(); // as when a program is freed
  EXPECT_EQ(cuda::synchronize(3).toString(),
            "model.py:3:4: an index, in the kernel 'late'");
}

TEST(CUDAFailures, ACallOnTheHost) {
  auto results = Call(late).input(onDevice(211)).outputs(1).run();
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().message(),
            "the function runs on a CUDA device, the call is on the host");
}

} // namespace
