//===- CUDAGraphErrorsTest.cpp - Tests of where there is no CUDA graph ----===//

#include "GraphedFunctions.h"
#include "TC/Runtime/CUDAMeasurement.h"

using namespace tc::runtime;
using namespace standin;

namespace {

TEST(CUDAGraphErrors, WhatTheDriverRefusesIsLaunchedOneByOne) {
  const Tensor input = onDevice(109);
  for (const char *failing : {"cuGraphCreate", "cuGraphAddKernelNode",
                              "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    Function function(chain);
    const standin::Setting failure("STAND_IN_FAIL",
                                   failing + std::string("=2"));
    testing::internal::CaptureStderr();
    function.warmUp(input);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::string log = logOf(function, input);
      EXPECT_EQ(count(log, "cuLaunchKernel("), 3) << log;
    }
    const std::string what = std::string(failing) == "cuGraphLaunch"
                                 ? "a CUDA graph cannot be started"
                                 : "a CUDA graph cannot be made";
    // Once.
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "tc: remark: " + what +
                  ": out of memory (error 2); kernels are launched one by "
                  "one\n");
    EXPECT_EQ(function.graphs.describe(),
              "inputs 109: no CUDA graph, 3 kernels launched one by one; " +
                  what + ": out of memory (error 2)\n");
  }
}

TEST(CUDAGraphErrors, AnUpdateThatFails) {
  Function function(chain);
  const Tensor input = onDevice(110), other = onDevice(110);
  function.warmUp(input);
  const standin::Setting failure("STAND_IN_FAIL",
                                 "cuGraphExecKernelNodeSetParams=1");
  const std::string log = logOf(function, other);
  EXPECT_EQ(count(log, "cuLaunchKernel("), 3) << log;
  EXPECT_EQ(count(log, "cuGraphLaunch("), 0) << log;
}

TEST(CUDAGraphErrors, AKernelThatBreaksItsDevice) {
  Function function(reporting);
  const Tensor input = onDevice(111, 10);
  function.warmUp(input);
  const standin::Setting failure("STAND_IN_FAIL", "cuStreamSynchronize=700");
  const std::string message =
      "one of the kernels 'checks' (launch 5, 4 blocks of 32 threads), "
      "'checks2' (launch 6, 4 blocks of 32 threads) failed on CUDA device 10; "
      "CUDA_LAUNCH_BLOCKING=1 tells which: an illegal memory access was "
      "encountered (error 700)";
  for (int repeat = 0; repeat < 2; ++repeat) {
    Expected<Tensor> result = function(input);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message(), message);
  }
}

/// The next launch may be where the failure of earlier kernels shows.
TEST(CUDAGraphErrors, AKernelThatFailedBeforeALaunch) {
  Function function(chain);
  const Tensor input = onDevice(112, 11);
  function.warmUp(input);
  ASSERT_TRUE(cuda::synchronize(11).ok());
  ASSERT_TRUE(function(input).ok());
  const standin::Setting failure("STAND_IN_FAIL", "cuGraphLaunch=719");
  for (int repeat = 0; repeat < 2; ++repeat) {
    Expected<Tensor> result = function(input);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(
        result.error().message(),
        "one of the kernels 'first' (launch 7, 4 blocks of 32 threads), "
        "'middle' (launch 8, 4 blocks of 32 threads), 'last' (launch 9, 4 "
        "blocks of 32 threads) failed on CUDA device 11; "
        "CUDA_LAUNCH_BLOCKING=1 tells which: unspecified launch failure "
        "(error 719)");
  }
}

TEST(CUDAGraphErrors, WhereSomeoneLooksAtEachLaunch) {
  struct Observer : cuda::LaunchObserver {
    int launches = 0;
    void beforeLaunch(const cuda::LaunchInfo &) override { ++launches; }
    void afterLaunch(const cuda::LaunchInfo &) override {}
  };
  Function function(chain);
  const Tensor input = onDevice(114);
  function.warmUp(input);
  Observer observer;
  cuda::LaunchObserver *before = cuda::setLaunchObserver(&observer);
  EXPECT_EQ(count(logOf(function, input), "cuLaunchKernel("), 3);
  cuda::setLaunchObserver(before);
  EXPECT_EQ(observer.launches, 3);
  EXPECT_EQ(count(logOf(function, input), "cuGraphLaunch("), 1);
}

TEST(CUDAGraphErrors, AStreamThatIsCaptured) {
  Function function(chain);
  const Tensor input = onDevice(115);
  void *stream = standin::makeStream(0);
  function.warmUp(input, stream);
  {
    const standin::Setting captured("STAND_IN_CAPTURING", "1");
    EXPECT_EQ(count(logOf(function, input, stream), "cuLaunchKernel("), 3);
  }
  EXPECT_EQ(count(logOf(function, input, stream), "cuGraphLaunch("), 1);
}

TEST(CUDAGraphErrors, BlockingLaunches) {
  const standin::Setting blocking("CUDA_LAUNCH_BLOCKING", "1");
  Function function(chain);
  const Tensor input = onDevice(116);
  function.warmUp(input);
  EXPECT_EQ(count(logOf(function, input), "cuLaunchKernel("), 3);
  EXPECT_EQ(function.graphs.describe(),
            "no CUDA graphs, as CUDA_LAUNCH_BLOCKING is set\n");
}

} // namespace
