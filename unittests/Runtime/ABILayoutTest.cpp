//===- ABILayoutTest.cpp - The layout that emitted code relies on ---------===//
//
// Emitted code addresses fields by number, and artefacts outlive the compiler
// that made them: fields never move, new ones are appended.
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/ABI.h"
#include "gtest/gtest.h"

#include <cstddef>

extern "C" uint64_t tcTestSizeOfCall(void);

namespace {

TEST(ABI, Tensor) {
  EXPECT_EQ(offsetof(tc_tensor, data), 0u);
  EXPECT_EQ(offsetof(tc_tensor, sizes), 8u);
  EXPECT_EQ(offsetof(tc_tensor, strides), 16u);
  EXPECT_EQ(offsetof(tc_tensor, rank), 24u);
  EXPECT_EQ(offsetof(tc_tensor, dtype), 28u);
  EXPECT_EQ(offsetof(tc_tensor, device_kind), 32u);
  EXPECT_EQ(offsetof(tc_tensor, device_index), 36u);
  EXPECT_EQ(sizeof(tc_tensor), 40u);
}

TEST(ABI, RuntimeTable) {
  EXPECT_EQ(offsetof(tc_runtime_api, size), 0u);
  EXPECT_EQ(offsetof(tc_runtime_api, parallel_for), 8u);
  EXPECT_EQ(offsetof(tc_runtime_api, allocate_output), 16u);
  EXPECT_EQ(offsetof(tc_runtime_api, allocate_arena), 24u);
  EXPECT_EQ(offsetof(tc_runtime_api, report_error), 32u);
  EXPECT_EQ(offsetof(tc_runtime_api, profile_begin), 40u);
  EXPECT_EQ(offsetof(tc_runtime_api, profile_end), 48u);
  EXPECT_EQ(offsetof(tc_runtime_api, report_mismatch), 56u);
  EXPECT_EQ(offsetof(tc_runtime_api, launch_kernel), 64u);
  EXPECT_EQ(offsetof(tc_runtime_api, kernel_status), 72u);
  EXPECT_EQ(offsetof(tc_runtime_api, read_kernel_status), 80u);
  EXPECT_EQ(offsetof(tc_runtime_api, device_constant), 88u);
  EXPECT_EQ(offsetof(tc_runtime_api, allocate_counters), 128u);
  EXPECT_EQ(offsetof(tc_runtime_api, multiply_matrices), 136u);
  EXPECT_EQ(offsetof(tc_runtime_api, kernel_failures), 144u);
  EXPECT_EQ(offsetof(tc_runtime_api, convolve), 152u);
}

TEST(ABI, KernelFailures) {
  EXPECT_EQ(offsetof(tc_kernel_failures, handles), 8u);
  EXPECT_EQ(offsetof(tc_kernel_failures, count), 16u);
  EXPECT_EQ(offsetof(tc_kernel_failures, message), 24u);
  EXPECT_EQ(offsetof(tc_kernel_failures, locations), 40u);
}

TEST(ABI, Call) {
  EXPECT_EQ(offsetof(tc_call, size), 0u);
  EXPECT_EQ(offsetof(tc_call, version), 8u);
  EXPECT_EQ(offsetof(tc_call, input_count), 12u);
  EXPECT_EQ(offsetof(tc_call, output_count), 16u);
  EXPECT_EQ(offsetof(tc_call, parameter_count), 20u);
  EXPECT_EQ(offsetof(tc_call, api), 24u);
  EXPECT_EQ(offsetof(tc_call, runtime_state), 32u);
  EXPECT_EQ(offsetof(tc_call, inputs), 40u);
  EXPECT_EQ(offsetof(tc_call, outputs), 48u);
  EXPECT_EQ(offsetof(tc_call, parameters), 56u);
  EXPECT_EQ(offsetof(tc_call, arena), 64u);
  EXPECT_EQ(offsetof(tc_call, arena_bytes), 72u);
  EXPECT_EQ(offsetof(tc_call, stream), 80u);
  EXPECT_EQ(tcTestSizeOfCall(), sizeof(tc_call));
}

} // namespace
