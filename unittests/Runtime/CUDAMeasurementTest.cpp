//===- CUDAMeasurementTest.cpp - Tests of measuring kernels ---------------===//

#include "TC/Runtime/CUDAMeasurement.h"
#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "gtest/gtest.h"

using namespace tc::runtime;

namespace {

TEST(CUDAMeasurement, Properties) {
  auto properties = cuda::deviceProperties(0);
  ASSERT_TRUE(properties.ok()) << properties.error().message();
  EXPECT_EQ(properties->name, "stand-in");
  EXPECT_EQ(properties->chip, "sm_90");
  EXPECT_EQ(properties->multiprocessors, 132);
  EXPECT_EQ(properties->l2Bytes, 50u << 20);
  EXPECT_EQ(properties->driverVersion, 12080);
}

TEST(CUDAMeasurement, RefusesADeviceThatIsNotThere) {
  auto properties = cuda::deviceProperties(1000);
  ASSERT_FALSE(properties.ok());
  EXPECT_EQ(properties.error().message(),
            "a CUDA device has a number that none can have");
}

TEST(CUDAMeasurement, ResourcesOfAKernel) {
  const std::string image = standin::imageOf("measured", 1);
  auto resources =
      cuda::kernelResources(0, "measured", image.c_str(), image.size());
  ASSERT_TRUE(resources.ok()) << resources.error().message();
  EXPECT_EQ(resources->registers, 32);
  EXPECT_EQ(resources->localBytes, 0);
  EXPECT_EQ(resources->maxThreads, 1024);
  auto missing = cuda::kernelResources(0, "other", image.c_str(), image.size());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message(),
            "there is no kernel 'other' in its image: unknown error (error "
            "500)");
}

/// Times each launch.
struct Timer : cuda::LaunchObserver {
  void beforeLaunch(const cuda::LaunchInfo &) override {
    begin = *cuda::Event::create(0);
    ASSERT_TRUE(begin.record(nullptr).ok());
  }
  void afterLaunch(const cuda::LaunchInfo &launch) override {
    end = *cuda::Event::create(0);
    ASSERT_TRUE(end.record(nullptr).ok());
    names += launch.kernel + std::string(" ");
    blocks = launch.grid[0];
    auto resources = cuda::kernelResources(launch);
    ASSERT_TRUE(resources.ok());
    registers = resources->registers;
  }
  cuda::Event begin, end;
  std::string names;
  uint32_t blocks = 0;
  int32_t registers = 0;
};

TEST(CUDAMeasurement, AnObserverTimesLaunches) {
  const standin::Kernel kernel("timed", 1);
  int64_t argument = 0;
  auto launch = [&](int64_t blocks) {
    return cuda::launchKernel(0, nullptr, kernel, blocks, &argument);
  };
  Timer timer;
  EXPECT_EQ(cuda::setLaunchObserver(&timer), nullptr);
  ASSERT_TRUE(launch(7).ok());
  ASSERT_TRUE(launch(0).ok()); // nothing is started
  EXPECT_EQ(cuda::setLaunchObserver(nullptr), &timer);
  ASSERT_TRUE(launch(8).ok());
  EXPECT_EQ(timer.names, "timed ");
  EXPECT_EQ(timer.blocks, 7u);
  EXPECT_EQ(timer.registers, 32);
  ASSERT_TRUE(timer.end.synchronize().ok());
  auto seconds = timer.end.secondsSince(timer.begin);
  ASSERT_TRUE(seconds.ok());
  EXPECT_NEAR(*seconds, 1e-3, 1e-9); // a millisecond a launch
}

TEST(CUDAMeasurement, Fill) {
  auto storage = cuda::allocate(16, 0);
  ASSERT_TRUE(storage.ok());
  ASSERT_TRUE(cuda::fill(0, nullptr, (*storage)->data, 7, 16).ok());
  EXPECT_EQ(static_cast<char *>((*storage)->data)[15], 7);
  Status wrong = cuda::fill(0, nullptr, (*storage)->data, 7, size_t(1) << 20);
  EXPECT_EQ(wrong.message(),
            "device memory cannot be written: unknown error (error 1)");
}

} // namespace
