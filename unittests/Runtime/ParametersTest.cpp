//===- ParametersTest.cpp - Tests of parameters and preparation -----------===//

#include "TC/Runtime/Parameters.h"
#include "PreparedParameters.h"
#include "TC/Runtime/MappedFile.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

/// @tc.prepare by hand: output 0 is twice parameter 0, of four elements.
int32_t prepareTwice(tc_call *call) {
  const auto *from = static_cast<const float *>(call->parameters[0]);
  const int64_t size = 4;
  if (from[0] < 0)
    return call->api->report_error(call, TC_STATUS_INVALID_ARGUMENT,
                                   "negative weight", nullptr);
  if (int32_t status =
          call->api->allocate_output(call, 0, TC_DTYPE_F32, 1, &size))
    return status;
  auto *to = static_cast<float *>(call->outputs[0].data);
  for (int i = 0; i < 4; ++i)
    to[i] = 2 * from[i];
  return TC_STATUS_OK;
}

Tensor weights(float first) {
  std::vector<float> values(4);
  std::iota(values.begin(), values.end(), first);
  return *Tensor::copyOf<float>(DType::F32, Sizes{4}, values);
}

const float *prepared(const ParameterValues &values) {
  return static_cast<const float *>(values.addresses[2]);
}

TEST(Parameters, PreparesWhenFirstAskedAndAfterAChange) {
  Parameters parameters({weights(1), weights(5)}, useOfTwo(prepareTwice));
  EXPECT_EQ(parameters.count(), 2u);
  EXPECT_EQ(parameters.statistics().runs, 0);
  auto first = parameters.current();
  ASSERT_TRUE(first.ok()) << first.error().toString();
  ASSERT_EQ((*first)->addresses.size(), 3u);
  EXPECT_EQ(prepared(**first)[3], 8);
  EXPECT_EQ((*first)->addresses[0], nullptr) << "no call reads it";
  EXPECT_EQ(static_cast<float *>((*first)->addresses[1])[0], 5);
  EXPECT_EQ(parameters.statistics().bytes, 16u);
  EXPECT_EQ(parameters.statistics().released, 16u);

  ASSERT_TRUE(parameters.current().ok());
  EXPECT_EQ(parameters.statistics().runs, 1);
  // A change of a parameter that @tc.prepare does not read keeps its results.
  ASSERT_TRUE(parameters.replace(1, weights(9)).ok());
  auto second = parameters.current();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(static_cast<float *>((*second)->addresses[1])[0], 9);
  EXPECT_EQ(parameters.statistics().runs, 1);

  ASSERT_TRUE(parameters.replace(0, weights(10)).ok());
  auto third = parameters.current();
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(parameters.statistics().runs, 2);
  EXPECT_EQ(prepared(**third)[0], 20);
  EXPECT_EQ(prepared(**first)[0], 2) << "calls in flight keep theirs";
}

TEST(Parameters, UpdatesByAddressAndVersion) {
  const Tensor shared = weights(1);
  Parameters parameters({shared, weights(5)}, useOfTwo(prepareTwice));
  ASSERT_TRUE(parameters.current().ok());
  ASSERT_TRUE(parameters.update(0, shared, 0).ok());
  ASSERT_TRUE(parameters.current().ok());
  EXPECT_EQ(parameters.statistics().runs, 1) << "nothing has changed";

  shared.dataAs<float>()[0] = 50;
  ASSERT_TRUE(parameters.update(0, shared, 1).ok());
  auto values = parameters.current();
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(prepared(**values)[0], 100) << "written in place";
  ASSERT_TRUE(parameters.update(0, weights(7), 1).ok());
  values = parameters.current();
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(prepared(**values)[0], 14) << "other memory";
}

TEST(Parameters, ReadsStridedTensorsInOrder) {
  std::vector<float> raw = {1, 0, 2, 0, 3, 0, 4, 0};
  const Tensor all = *Tensor::copyOf<float>(DType::F32, Sizes{8}, raw);
  const Tensor every =
      *Tensor::view(all.storage(), DType::F32, Sizes{4}, Sizes{2});
  Parameters parameters({every, weights(0)}, useOfTwo(prepareTwice));
  auto values = parameters.current();
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(prepared(**values)[2], 6);
}

TEST(Parameters, ReportsWhatFails) {
  Parameters parameters({weights(-1), weights(5)}, useOfTwo(prepareTwice));
  auto failed = parameters.current();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message(), "negative weight");
  const Tensor other = *Tensor::zeros(DType::F32, Sizes{5});
  EXPECT_EQ(parameters.replace(0, other).message(),
            "the new value of parameter 0 is 5xf32, expected 4xf32");
  EXPECT_EQ(parameters.replace(2, other).message(),
            "there is no parameter 2 of 2");
  ASSERT_TRUE(parameters.replace(0, weights(1)).ok());
  EXPECT_TRUE(parameters.current().ok()) << "a new value may do";
}

TEST(Parameters, NeedNoPreparation) {
  ParameterUse use;
  use.readByCalls = {true};
  use.readByPrepare = {false};
  Parameters parameters({weights(3)}, use);
  auto values = parameters.current();
  ASSERT_TRUE(values.ok());
  ASSERT_EQ((*values)->addresses.size(), 1u);
  EXPECT_EQ(static_cast<float *>((*values)->addresses[0])[0], 3);
}

TEST(Parameters, DroppedPagesAreReadAgain) {
  TemporaryFolder folder;
  auto mapped = mapFile(folder.write("weights.bin", std::string(1 << 16, 'w')));
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(bytesOf(*mapped)[5000], 'w');
  dropMappedPages(*mapped, (*mapped)->data, (*mapped)->bytes);
  EXPECT_EQ(bytesOf(*mapped)[5000], 'w');
  // Memory without a file behind it keeps its content.
  const Tensor owned = weights(1);
  dropMappedPages(owned.storage(), owned.storage()->data,
                  owned.storage()->bytes);
  EXPECT_EQ(owned.dataAs<float>()[0], 1);
}

/// @tc.prepare by hand: output 0 is parameter 0, of 4 Mi elements.
int32_t prepareCopy(tc_call *call) {
  const int64_t size = 4 << 20;
  if (int32_t status =
          call->api->allocate_output(call, 0, TC_DTYPE_F32, 1, &size))
    return status;
  const auto *from = static_cast<const float *>(call->parameters[0]);
  std::copy_n(from, size, static_cast<float *>(call->outputs[0].data));
  return TC_STATUS_OK;
}

/// Bytes of mapped files that this process has in memory.
int64_t residentFileBytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("RssFile:"))
      return std::stoll(line.substr(8)) * 1024;
  return -1;
}

TEST(Parameters, MappedWeightsAreHeldOnceWhenPrepared) {
  TemporaryFolder folder;
  constexpr int64_t kBytes = 16 << 20;
  auto mapped = mapFile(folder.write("weights.bin", std::string(kBytes, '\0')));
  ASSERT_TRUE(mapped.ok());
  ParameterUse use;
  use.prepare = prepareCopy;
  use.outputCount = 1;
  use.prepared = {0};
  use.readByPrepare = {true};
  use.readByCalls = {false};
  const int64_t before = residentFileBytes();
  if (before < 0)
    GTEST_SKIP() << "the system does not say what is resident";
  Parameters parameters(
      {*Tensor::view(*mapped, DType::F32, Sizes{kBytes / 4}, Sizes{1}, 0)},
      use);
  auto values = parameters.current();
  ASSERT_TRUE(values.ok()) << values.error().toString();
  EXPECT_EQ(parameters.statistics().bytes, uint64_t(kBytes));
  EXPECT_EQ((*values)->prepared[0].byteCount(), size_t(kBytes));
  EXPECT_LT(residentFileBytes() - before, kBytes / 8)
      << "the file's pages should have been given back";
}

} // namespace
