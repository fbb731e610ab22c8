//===- CUDAErrorsTest.cpp - Tests of devices that fail --------------------===//

#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/CUDAMeasurement.h"
#include "TC/Runtime/Call.h"
#include "gtest/gtest.h"

using namespace tc::runtime;

namespace {

tc_kernel &kernelOf(const char *name) { return *new standin::Kernel(name, 1); }

TEST(CUDAErrors, AFailedKernelIsNamedAndTheDeviceRefusesFurtherWork) {
  constexpr int32_t broken = 4, sound = 5;
  const tc_kernel &kernel = kernelOf("faulty");
  int64_t argument = 0;
  void *stream = standin::makeStream(broken);
  auto storage = cuda::allocate(100, broken);
  ASSERT_TRUE(storage.ok());
  ASSERT_TRUE(
      cuda::launchKernel(broken, nullptr, kernelOf("done"), 1, &argument).ok());
  ASSERT_TRUE(cuda::synchronize(broken).ok());
  ASSERT_TRUE(
      cuda::launchKernel(broken, stream, kernelOf("apart"), 1, &argument).ok());
  ASSERT_TRUE(cuda::launchKernel(broken, nullptr, kernel, 6, &argument).ok());
  const std::string message =
      "the kernel 'faulty' (launch 3, 6 blocks of 32 threads) failed on CUDA "
      "device 4: an illegal memory access was encountered (error 700)";
  {
    const standin::Setting fail("STAND_IN_FAIL", "cuStreamSynchronize=700");
    Status status = cuda::synchronize(broken);
    EXPECT_EQ(status.code(), ErrorCode::Internal);
    EXPECT_EQ(status.message(), message);
  }
  // Whatever comes next there says the same, and nothing reaches the driver.
  const standin::Log log;
  EXPECT_EQ(cuda::launchKernel(broken, nullptr, kernel, 6, &argument).message(),
            message);
  EXPECT_EQ(cuda::allocate(100, broken).error().message(), message);
  EXPECT_EQ(cuda::synchronize(broken).message(), message);
  EXPECT_EQ(cuda::checkDevice(broken).message(), message);
  EXPECT_EQ(cuda::deviceProperties(broken).error().message(), message);
  auto function = [](tc_call *) -> int32_t { return TC_STATUS_OK; };
  EXPECT_EQ(
      Call(function).device(TC_DEVICE_CUDA, broken).run().error().message(),
      message);
  *storage = StorageRef();
  EXPECT_EQ(log.text(), "");
  // Other devices and the host go on.
  EXPECT_TRUE(cuda::launchKernel(sound, nullptr, kernel, 6, &argument).ok());
  EXPECT_TRUE(cuda::synchronize(sound).ok());
  EXPECT_TRUE(Call(function).run().ok());
}

TEST(CUDAErrors, SeveralKernelsMayHaveFailed) {
  constexpr int32_t broken = 6;
  int64_t argument = 0;
  for (const char *name : {"alpha", "beta"})
    ASSERT_TRUE(
        cuda::launchKernel(broken, nullptr, kernelOf(name), 1, &argument).ok());
  const standin::Setting fail("STAND_IN_FAIL", "cuStreamSynchronize=719");
  EXPECT_EQ(cuda::synchronize(broken).message(),
            "one of the kernels 'alpha' (launch 1, 1 blocks of 32 threads), "
            "'beta' (launch 2, 1 blocks of 32 threads) failed on CUDA device "
            "6; CUDA_LAUNCH_BLOCKING=1 tells which: unspecified launch failure "
            "(error 719)");
}

TEST(CUDAErrors, AKernelWhoseCodeIsGoneIsNamed) {
  constexpr int32_t broken = 8;
  {
    const standin::Kernel kernel("brief", 1);
    int64_t argument = 0;
    ASSERT_TRUE(cuda::launchKernel(broken, nullptr, kernel, 1, &argument).ok());
  }
  const standin::Setting fail("STAND_IN_FAIL", "cuStreamSynchronize=719");
  EXPECT_EQ(cuda::synchronize(broken).message(),
            "the kernel 'brief' (launch 1, 1 blocks of 32 threads) failed on "
            "CUDA device 8: unspecified launch failure (error 719)");
}

int32_t allocates(tc_call *call) {
  const int64_t sizes[] = {50000000};
  return call->api->allocate_output(call, 0, TC_DTYPE_U8, 1, sizes);
}

TEST(CUDAErrors, OutOfMemoryNamesTheSizeAndTheNextCallWorks) {
  constexpr int32_t device = 7;
  auto run = [] {
    return Call(allocates).outputs(1).device(TC_DEVICE_CUDA, device).run();
  };
  {
    const standin::Setting little("STAND_IN_MEMORY", "10000000");
    auto failed = run();
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code(), ErrorCode::OutOfMemory);
    EXPECT_EQ(failed.error().message(),
              "no memory for output 0, 50000000xui8, 50000000 bytes on CUDA "
              "device 7");
  }
  auto results = run();
  EXPECT_TRUE(results.ok()) << results.error().message();
}

} // namespace
