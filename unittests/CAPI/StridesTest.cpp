//===- StridesTest.cpp - Strided inputs in the C API ----------------------===//

#include "tc-c/Compiler.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

namespace {

std::string take(tc_error *error) {
  std::string text = tc_error_message(error);
  tc_error_free(error);
  return text;
}

/// A program that negates the first columns of a matrix of s0 rows.
class Strides : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(take(tc_session_create(TC_C_API_VERSION, &session)), "");
    const std::string text = R"mlir(
func.func @main(%x: tensor<?x3xf32, #tc.sizes<[s0, 3]>> {tc.strides = [#tc.expr<s0 + 3>, #tc.expr<1>]}) -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 8>]} {
  %0 = tc.neg %x : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
  return %0 : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
})mlir";
    ASSERT_EQ(take(tc_compile_buffer(session, text.data(), text.size(), nullptr,
                                     nullptr, &program)),
              "");
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(i);
  }
  void TearDown() override {
    tc_program_free(program);
    tc_session_free(session);
  }
  /// A matrix of 2 x 3 values.
  tc_tensor describe(int64_t rowStride, int64_t columnStride) {
    strides[0] = rowStride;
    strides[1] = columnStride;
    return {values.data(), sizes, strides, 2, TC_DTYPE_F32, TC_DEVICE_CPU, 0};
  }
  /// What the program makes of it.
  std::vector<float> negate(tc_tensor input, bool isRaw) {
    tc_array *output = nullptr, *array = nullptr;
    EXPECT_EQ(take(tc_array_wrap(&input, nullptr, nullptr, &array)), "");
    EXPECT_EQ(take(isRaw
                       ? tc_program_call_raw(program, 0, &input, 1, &output, 1)
                       : tc_program_call(program, 0, &array, 1, &output, 1)),
              "");
    std::vector<float> result;
    if (output)
      result.assign(static_cast<float *>(tc_array_descriptor(output).data),
                    static_cast<float *>(tc_array_descriptor(output).data) + 6);
    tc_array_free(array);
    tc_array_free(output);
    return result;
  }

  int64_t sizes[2] = {2, 3}, strides[2] = {};
  std::vector<float> values = std::vector<float>(16);
  tc_session *session = nullptr;
  tc_program *program = nullptr;
};

TEST_F(Strides, AreDescribed) {
  const tc_function_info *function = tc_program_function(program, 0);
  EXPECT_STREQ(function->signature,
               "main(s0x3xf32 strides [s0 + 3, 1]) -> (s0x3xf32)");
  ASSERT_NE(function->inputs[0].stride_texts, nullptr);
  EXPECT_STREQ(function->inputs[0].stride_texts[0], "s0 + 3");
  EXPECT_STREQ(function->inputs[0].stride_texts[1], "1");
  EXPECT_EQ(function->outputs[0].stride_texts, nullptr);
}

TEST_F(Strides, AnyLayoutCanBeCalled) {
  for (bool isRaw : {false, true}) {
    EXPECT_EQ(negate(describe(5, 1), isRaw),
              (std::vector<float>{0, -1, -2, -5, -6, -7}));
    EXPECT_EQ(negate(describe(3, 1), isRaw),
              (std::vector<float>{0, -1, -2, -3, -4, -5}));
    EXPECT_EQ(negate(describe(1, 4), isRaw),
              (std::vector<float>{0, -4, -8, -1, -5, -9}));
    EXPECT_EQ(negate(describe(0, 1), isRaw),
              (std::vector<float>{0, -1, -2, 0, -1, -2}));
  }
}

TEST_F(Strides, ThoseThatAreExpected) {
  tc_array *array = nullptr;
  tc_tensor input = describe(3, 1);
  ASSERT_EQ(take(tc_array_wrap(&input, nullptr, nullptr, &array)), "");
  int64_t expected[2] = {};
  EXPECT_EQ(
      take(tc_program_expected_strides(program, 0, &array, 1, 0, expected)),
      "");
  EXPECT_EQ(expected[0], 5);
  EXPECT_EQ(expected[1], 1);
  EXPECT_EQ(
      take(tc_program_expected_strides(program, 0, &array, 1, 1, expected)),
      "the input is 1, expected one of 1");
  EXPECT_EQ(
      take(tc_program_expected_strides(program, 0, &array, 1, 0, nullptr)),
      "the argument 'strides' is null, expected a value");
  tc_array_free(array);
  int64_t size = 6;
  ASSERT_EQ(take(tc_array_create(TC_DTYPE_F32, 1, &size, &array)), "");
  EXPECT_EQ(
      take(tc_program_expected_strides(program, 0, &array, 1, 0, expected)),
      "the inputs have other ranks than those of main(s0x3xf32 strides "
      "[s0 + 3, 1]) -> (s0x3xf32)");
  tc_array_free(array);
}

TEST_F(Strides, OutputsMayBeInTheCallersMemory) {
  const int64_t sizes[] = {4, 3}, few = 5, zero = 0, six = 6, two = 2;
  tc_array *all = nullptr, *memory = nullptr, *output = nullptr;
  ASSERT_EQ(take(tc_array_create(TC_DTYPE_F32, 2, sizes, &all)), "");
  tc_tensor input = describe(5, 1);
  auto call = [&](int64_t number, const tc_array *array, int64_t count) {
    const tc_output_memory given{number, array, /*input=*/-1};
    return take(tc_program_call_raw_on_stream(program, 0, /*stream=*/nullptr,
                                              /*allocator=*/nullptr, &given,
                                              count, &input, 1, &output, 1));
  };
  // Large enough.
  const int64_t one = 1;
  ASSERT_EQ(take(tc_array_view(all, 1, &six, &one, 0, &memory)), "");
  ASSERT_EQ(call(0, memory, 1), "");
  EXPECT_EQ(tc_array_descriptor(output).data, tc_array_descriptor(all).data);
  tc_array_free(memory);
  tc_array_free(all);
  // The output holds it.
  EXPECT_EQ(static_cast<float *>(tc_array_descriptor(output).data)[5], -7);
  tc_array_free(output);
  // Too small.
  ASSERT_EQ(take(tc_array_create(TC_DTYPE_F32, 1, &few, &memory)), "");
  ASSERT_EQ(call(0, memory, 1), "");
  EXPECT_NE(tc_array_descriptor(output).data, tc_array_descriptor(memory).data);
  tc_array_free(output);
  EXPECT_EQ(call(1, memory, 1),
            "memory is given for output 1, expected one of 1");
  EXPECT_EQ(call(-1, memory, 1),
            "memory is given for output -1, expected one of 1");
  EXPECT_EQ(call(0, nullptr, 1),
            "output 0 is expected over input -1, expected one of 1");
  EXPECT_EQ(call(0, memory, -1),
            "the argument 'memory' has -1 entries, expected at least 0");
  tc_array *repeated = nullptr;
  ASSERT_EQ(take(tc_array_view(memory, 1, &two, &zero, 0, &repeated)), "");
  EXPECT_EQ(call(0, repeated, 1),
            "the memory of output 0 is no row-major array");
  tc_array_free(repeated);
  tc_array_free(memory);
}

TEST(Overwrites, OutputsOverTheirInputsAreNoArrays) {
  tc_session *session = nullptr;
  tc_program *program = nullptr;
  ASSERT_EQ(take(tc_session_create(TC_C_API_VERSION, &session)), "");
  // The first output may go over its input, the second one may not.
  const std::string text = R"mlir(
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>)
    -> (tensor<3xf32> {tc.may_overwrite = 0 : i64}, tensor<3xf32>) {
  %0 = tc.neg %x : tensor<3xf32>
  %1 = tc.add %y, %y : tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
})mlir";
  ASSERT_EQ(take(tc_compile_buffer(session, text.data(), text.size(), nullptr,
                                   nullptr, &program)),
            "");
  float x[] = {1, 2, 3}, y[] = {4, 5, 6};
  int64_t size = 3, stride = 1;
  const tc_tensor inputs[] = {
      {x, &size, &stride, 1, TC_DTYPE_F32, TC_DEVICE_CPU, 0},
      {y, &size, &stride, 1, TC_DTYPE_F32, TC_DEVICE_CPU, 0}};
  const tc_output_memory expected[] = {{0, nullptr, 0}, {1, nullptr, 1}};
  tc_array *outputs[2] = {};
  ASSERT_EQ(take(tc_program_call_raw_on_stream(program, 0, /*stream=*/nullptr,
                                               /*allocator=*/nullptr, expected,
                                               2, inputs, 2, outputs, 2)),
            "");
  EXPECT_EQ(outputs[0], nullptr);
  EXPECT_EQ(x[2], -3);
  // It may not be written over y.
  ASSERT_NE(outputs[1], nullptr);
  EXPECT_EQ(static_cast<float *>(tc_array_descriptor(outputs[1]).data)[2], 12);
  EXPECT_EQ(y[2], 6);
  tc_array_free(outputs[1]);
  // Nobody says where the first one is expected.
  ASSERT_EQ(take(tc_program_call_raw_on_stream(program, 0, /*stream=*/nullptr,
                                               /*allocator=*/nullptr, nullptr,
                                               0, inputs, 2, outputs, 2)),
            "");
  ASSERT_NE(outputs[0], nullptr);
  EXPECT_EQ(tc_array_descriptor(outputs[0]).data, x);
  tc_array_free(outputs[0]);
  tc_array_free(outputs[1]);
  tc_program_free(program);
  tc_session_free(session);
}

} // namespace
