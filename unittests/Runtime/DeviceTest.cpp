//===- DeviceTest.cpp - Tests of listing devices --------------------------===//

#include "TC/Runtime/Device.h"
#include "gtest/gtest.h"

using namespace tc::runtime;

namespace {

TEST(Device, TheCPUComesFirst) {
  const auto &devices = listDevices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].kind, TC_DEVICE_CPU);
  EXPECT_EQ(devices[0].target, "cpu");
  EXPECT_GT(devices[0].memoryBytes, 0u);
  EXPECT_GE(devices[0].computeUnits, 1u);
#if defined(__x86_64__)
  EXPECT_NE(devices[0].features, "");
#endif
  for (size_t i = 1; i < devices.size(); ++i) {
    EXPECT_EQ(devices[i].kind, TC_DEVICE_CUDA);
    EXPECT_EQ(devices[i].target.find("cuda:sm_"), 0u);
  }
}

} // namespace
