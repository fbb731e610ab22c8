//===- ParametersOnCUDATest.cpp - Tests of weights on a device ------------===//

#include "PreparedParameters.h"
#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "gtest/gtest.h"

#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

/// @tc.prepare by hand, on the memory that stands in for a device's: output 0
/// is one element, twice the first of parameter 0.
int32_t prepareTwice(tc_call *call) {
  const int64_t size = 1;
  if (int32_t status =
          call->api->allocate_output(call, 0, TC_DTYPE_F32, 1, &size))
    return status;
  *static_cast<float *>(call->outputs[0].data) =
      2 * *static_cast<const float *>(call->parameters[0]);
  return TC_STATUS_OK;
}

float getPrepared(const ParameterValues &values) {
  return *static_cast<const float *>(values.addresses[2]);
}

/// A parameter of 40 MB that @tc.prepare alone reads, and one of calls.
struct LargeParametersOnCUDA {
  static constexpr int64_t size = 10'000'000;
  static constexpr int32_t device = 2;

  static Tensor makeValue(float value) {
    return *Tensor::copyOf<float>(DType::F32, Sizes{size},
                                  std::vector<float>(size, value));
  }
  static ParameterUse use() {
    ParameterUse use = useOfTwo(prepareTwice);
    use.device = TC_DEVICE_CUDA;
    use.deviceIndex = device;
    return use;
  }
  Parameters parameters{{makeValue(3), makeValue(5)}, use()};
};

TEST(ParametersOnCUDA, HaveNoCopyOfWhatOnlyPrepareReads) {
  const standin::Setting little("STAND_IN_MEMORY", "70000000");
  LargeParametersOnCUDA large;
  const standin::Log log;
  auto values = large.parameters.current();
  ASSERT_TRUE(values.ok()) << values.error().toString();
  EXPECT_EQ(getPrepared(**values), 6);
  EXPECT_EQ((*values)->addresses[0], nullptr);
  EXPECT_EQ((*values)->parameters[1].deviceKind(), TC_DEVICE_CUDA);
  EXPECT_EQ(static_cast<float *>((*values)->addresses[1])[0], 5);
  EXPECT_EQ(log.count("cuMemcpyHtoD"), 2);
}

TEST(ParametersOnCUDA, TakeNewValuesOfTheHostAndOfTheirDevice) {
  LargeParametersOnCUDA large;
  Parameters &parameters = large.parameters;
  ASSERT_TRUE(parameters.current().ok());
  ASSERT_TRUE(parameters.replace(0, large.makeValue(7)).ok());
  auto ofHost = parameters.current();
  ASSERT_TRUE(ofHost.ok());
  EXPECT_EQ(getPrepared(**ofHost), 14);
  auto own = cuda::copyToDevice(large.makeValue(8), large.device),
       other = cuda::copyToDevice(large.makeValue(9), 0);
  ASSERT_TRUE(own.ok() && other.ok());
  ASSERT_TRUE(parameters.replace(1, *own).ok());
  auto ofDevice = parameters.current();
  ASSERT_TRUE(ofDevice.ok());
  EXPECT_EQ((*ofDevice)->addresses[1], own->data()) << "it is not copied";
  EXPECT_EQ(parameters.replace(1, *other).message(),
            "a parameter is on CUDA device 0, expected device 2, where the "
            "program runs");
}

} // namespace
