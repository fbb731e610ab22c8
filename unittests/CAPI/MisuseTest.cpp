//===- MisuseTest.cpp - Arguments that the C API refuses ------------------===//

#include "tc-c/Compiler.h"
#include "gtest/gtest.h"
#include <climits>
#include <string>

namespace {

/// The message of an error, which is freed; empty for success.
std::string take(tc_error *error) {
  std::string text = tc_error_message(error);
  tc_error_free(error);
  return text;
}

std::string isNull(const char *name) {
  return std::string("the argument '") + name + "' is null, expected a value";
}

/// A session and a program of one input and one output.
class Misuse : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(take(tc_session_create(TC_C_API_VERSION, &session)), "");
    const std::string text =
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { %0 = tc.neg "
        "%x : tensor<2x3xf32> return %0 : tensor<2x3xf32> }";
    ASSERT_EQ(take(tc_compile_buffer(session, text.data(), text.size(), nullptr,
                                     nullptr, &program)),
              "");
    ASSERT_EQ(take(tc_array_create(TC_DTYPE_F32, 2, sizes, &array)), "");
  }
  void TearDown() override {
    tc_array_free(array);
    tc_program_free(program);
    tc_session_free(session);
  }
  std::string callRaw(tc_tensor input) {
    tc_array *output = nullptr;
    return take(tc_program_call_raw(program, 0, &input, 1, &output, 1));
  }

  int64_t sizes[2] = {2, 3}, strides[2] = {3, 1};
  tc_session *session = nullptr;
  tc_program *program = nullptr;
  tc_array *array = nullptr;
  float values[6] = {};
};

TEST_F(Misuse, ViewsOutsideOfTheMemoryAreRefused) {
  tc_array *view = nullptr;
  const int64_t sizes[] = {3, 2}, strides[] = {1, 3};
  auto makeView = [&](const tc_array *array, int32_t rank, int64_t offset) {
    return take(tc_array_view(array, rank, sizes, strides, offset, &view));
  };
  EXPECT_EQ(makeView(array, 2, 0), "");
  EXPECT_EQ(tc_array_descriptor(view).sizes[0], 3);
  EXPECT_EQ(tc_array_descriptor(view).data, tc_array_descriptor(array).data);
  tc_array_free(view);
  view = nullptr;
  EXPECT_EQ(makeView(array, 2, 1000)
                .find("a view of type 3x2xf32 at byte 4000 "
                      "reaches beyond the "),
            0u);
  EXPECT_EQ(makeView(array, 2, -1),
            "the offset of a view is -1 elements, expected one inside of the "
            "memory");
  EXPECT_EQ(makeView(array, 2, INT64_MAX),
            "the offset of a view is 9223372036854775807 elements, expected "
            "one inside of the memory");
  EXPECT_EQ(makeView(nullptr, 2, 0),
            "the argument 'array' is null, expected a value");
  EXPECT_NE(makeView(array, -1, 0), "");
  EXPECT_EQ(view, nullptr);
}

TEST_F(Misuse, NullObjectsHaveNoContent) {
  EXPECT_EQ(tc_error_code(nullptr), TC_STATUS_OK);
  EXPECT_STREQ(tc_error_code_name(nullptr), "ok");
  EXPECT_STREQ(tc_error_location(nullptr), "");
  EXPECT_EQ(tc_array_to_dlpack(nullptr), nullptr);
  EXPECT_EQ(tc_array_to_dlpack_unversioned(nullptr), nullptr);
  EXPECT_EQ(tc_array_descriptor(nullptr).data, nullptr);
  EXPECT_EQ(tc_array_share(nullptr), nullptr);
  EXPECT_EQ(tc_program_function_count(nullptr), 0);
  EXPECT_EQ(tc_program_function(nullptr, 0), nullptr);
  EXPECT_EQ(tc_program_parameter_count(nullptr), 0);
  EXPECT_EQ(tc_program_parameter(nullptr, 0), nullptr);
  EXPECT_EQ(tc_program_kernel_count(nullptr), 0);
  EXPECT_EQ(tc_program_kernel(nullptr, 0), nullptr);
  EXPECT_EQ(tc_program_timing_count(nullptr), 0);
  EXPECT_EQ(tc_program_timing(nullptr, 0), nullptr);
  tc_array_free(nullptr);
  tc_program_free(nullptr);
  tc_session_free(nullptr);
  tc_string_free(nullptr);
  tc_dlpack_release(nullptr);
  tc_dlpack_release_unversioned(nullptr);
}

TEST_F(Misuse, NumbersOutOfRange) {
  for (int64_t index : {INT64_C(-1), INT64_C(1) << 40, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(tc_program_function(program, index), nullptr);
    EXPECT_EQ(tc_program_parameter(program, index), nullptr);
    EXPECT_EQ(tc_program_kernel(program, index), nullptr);
    EXPECT_EQ(tc_program_timing(program, index), nullptr);
    EXPECT_EQ(tc_phase_name(index), nullptr);
    tc_array *output = nullptr;
    EXPECT_EQ(take(tc_program_call(program, index, &array, 1, &output, 1)),
              "the program has 1 functions, there is no number " +
                  std::to_string(index));
    EXPECT_EQ(take(tc_program_call(program, 0, &array, index, &output, 1)),
              "'main' has 1 inputs, the call has " + std::to_string(index));
    EXPECT_EQ(take(tc_program_call_raw(program, 0, nullptr, index, &output, 1)),
              "'main' has 1 inputs, the call has " + std::to_string(index));
    EXPECT_EQ(take(tc_program_call(program, 0, &array, 1, &output, index)),
              "'main' has 1 outputs, the call has " + std::to_string(index));
  }
}

TEST_F(Misuse, NullArgumentsOfCalls) {
  tc_array *output = nullptr, *none = nullptr;
  char *text = nullptr;
  int64_t index;
  EXPECT_EQ(take(tc_session_create(TC_C_API_VERSION, nullptr)),
            isNull("result"));
  EXPECT_EQ(take(tc_compile_file(session, nullptr, nullptr, &program)),
            isNull("path"));
  EXPECT_EQ(take(tc_compile_file(nullptr, "x", nullptr, &program)),
            isNull("session"));
  EXPECT_EQ(take(tc_compile_file(session, "x", nullptr, nullptr)),
            isNull("result"));
  EXPECT_EQ(take(tc_compile_buffer(session, nullptr, 8, "x", nullptr, nullptr)),
            isNull("data"));
  EXPECT_EQ(take(tc_program_find_function(nullptr, "main", &index)),
            isNull("program"));
  EXPECT_EQ(take(tc_program_find_function(program, nullptr, nullptr)),
            isNull("index"));
  EXPECT_EQ(take(tc_program_ir(nullptr, nullptr, &text)), isNull("program"));
  EXPECT_EQ(take(tc_program_ir(program, nullptr, nullptr)), isNull("text"));
  EXPECT_EQ(take(tc_program_call(nullptr, 0, &array, 1, &output, 1)),
            isNull("program"));
  EXPECT_EQ(take(tc_program_call(program, 0, nullptr, 1, &output, 1)),
            isNull("inputs"));
  EXPECT_EQ(take(tc_program_call(program, 0, &none, 1, &output, 1)),
            "input 0 is null, expected an array");
  EXPECT_EQ(take(tc_program_call(program, 0, &array, 1, nullptr, 1)),
            isNull("outputs"));
  EXPECT_EQ(take(tc_program_call_raw(program, 0, nullptr, 1, &output, 1)),
            isNull("inputs"));
  EXPECT_EQ(take(tc_program_explain(program, 0, &none, 1, &text)),
            "input 0 is null, expected an array");
  EXPECT_EQ(take(tc_program_explain(program, 0, &array, 1, nullptr)),
            isNull("text"));
  EXPECT_EQ(take(tc_program_code(nullptr, "llvm", &text)), isNull("program"));
  EXPECT_EQ(take(tc_program_code(program, nullptr, &text)), isNull("kind"));
  EXPECT_EQ(take(tc_program_code(program, "llvm", nullptr)), isNull("text"));
  EXPECT_EQ(take(tc_program_code(program, "bitcode", &text)),
            "there is no code of kind 'bitcode', expected llvm or assembly");
  EXPECT_EQ(take(tc_program_report(nullptr, &text)), isNull("program"));
  EXPECT_EQ(take(tc_program_report(program, nullptr)), isNull("text"));
  EXPECT_EQ(take(tc_program_set_parameter(nullptr, "w", array)),
            isNull("program"));
  EXPECT_EQ(take(tc_program_set_parameter(program, nullptr, array)),
            isNull("name"));
  EXPECT_EQ(take(tc_program_set_parameter(program, "w", nullptr)),
            isNull("value"));
}

TEST_F(Misuse, NullArgumentsOfArrays) {
  tc_array *made = nullptr;
  EXPECT_EQ(take(tc_array_create(TC_DTYPE_F32, 2, nullptr, &made)),
            isNull("sizes"));
  EXPECT_EQ(take(tc_array_create(TC_DTYPE_F32, 2, sizes, nullptr)),
            isNull("result"));
  EXPECT_EQ(take(tc_array_wrap(nullptr, nullptr, nullptr, &made)),
            isNull("descriptor"));
  EXPECT_EQ(take(tc_array_from_dlpack(nullptr, &made)), isNull("tensor"));
  EXPECT_EQ(take(tc_array_from_dlpack_unversioned(nullptr, &made)),
            isNull("tensor"));
  EXPECT_EQ(take(tc_array_assign(nullptr, array)), isNull("target"));
  EXPECT_EQ(take(tc_array_assign(array, nullptr)), isNull("source"));
  EXPECT_EQ(take(tc_array_check_writable(nullptr)), isNull("array"));
}

TEST_F(Misuse, Descriptors) {
  const tc_tensor good = {values, sizes, strides, 2, TC_DTYPE_F32, 0, 0};
  EXPECT_EQ(callRaw(good), "");
  tc_tensor bad = good;
  bad.strides = nullptr;
  EXPECT_EQ(callRaw(bad), isNull("strides"));
  bad = good;
  bad.sizes = nullptr;
  EXPECT_EQ(callRaw(bad), isNull("sizes"));
  bad = good;
  bad.data = nullptr;
  EXPECT_EQ(callRaw(bad), "the array 2x3xf32 has no data");
  bad = good;
  bad.rank = INT32_MIN;
  EXPECT_EQ(callRaw(bad), "the rank is -2147483648, expected 0 to 16");
  bad = good;
  bad.dtype = -1;
  EXPECT_EQ(callRaw(bad), "the dtype is -1, expected 0 to 16");
  bad = good;
  bad.device_kind = 9;
  EXPECT_EQ(callRaw(bad), "the device kind is 9, expected 0 (CPU) or 1 (CUDA)");
  int64_t huge[2] = {INT64_MAX, INT64_MAX};
  bad = good;
  bad.sizes = huge;
  EXPECT_EQ(callRaw(bad),
            "the array 9223372036854775807x9223372036854775807xf32"
            " has sizes that are negative or too large");
  bad = good;
  bad.strides = huge;
  EXPECT_EQ(callRaw(bad), "the array 2x3xf32 has strides that are too large");
}

TEST_F(Misuse, Options) {
  tc_compile_options options = {};
  tc_program *made = nullptr;
  auto compile = [&] {
    return take(
        tc_compile_buffer(session, "module {}", 9, "x", &options, &made));
  };
  EXPECT_EQ(compile(), "tc_compile_options has 0 bytes, this library knows " +
                           std::to_string(sizeof(options)));
  options.size = sizeof(options);
  options.parameter_count = -1;
  EXPECT_EQ(compile(),
            "the argument 'parameters' has -1 entries, expected at least 0");
  options.parameter_count = 1;
  EXPECT_EQ(compile(), isNull("parameters"));
  const char *none[] = {nullptr};
  options.parameter_count = 0;
  options.specialize = none;
  options.specialize_count = 1;
  EXPECT_EQ(compile(), isNull("specialize"));
}

TEST_F(Misuse, ElementsThatShareMemoryAreNotWritten) {
  int64_t expanded[2] = {0, 1};
  tc_tensor descriptor = {values, sizes, expanded, 2, TC_DTYPE_F32, 0, 0};
  tc_array *shared = nullptr;
  ASSERT_EQ(take(tc_array_wrap(&descriptor, nullptr, nullptr, &shared)), "");
  EXPECT_EQ(take(tc_array_assign(shared, array)),
            "the array 2x3xf32 cannot be written: several of its elements are "
            "one place in memory, as after an expansion; give a copy of it");
  tc_array_free(shared);
}

} // namespace
