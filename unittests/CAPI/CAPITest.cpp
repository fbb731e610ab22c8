//===- CAPITest.cpp - The C API -------------------------------------------===//

#include "CompilerFromC.h"
#include "tc-c/Compiler.h"
#include "gtest/gtest.h"
#include <array>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

/// The message of an error, which is freed; empty for success.
static std::string take(tc_error *error) {
  std::string text = error ? tc_error_message(error) : "";
  tc_error_free(error);
  return text;
}

static std::string negate(const char *device, int64_t rows,
                          std::vector<float> &values) {
  std::vector<float> results(values.size());
  char message[1024];
  tc_test_negate(device, rows, values.data(), results.data(), message,
                 sizeof(message));
  values = results;
  return message;
}

TEST(CAPI, CompilesAndCallsFromC) {
  for (const char *device : {"cpu", "reference"}) {
    std::vector<float> values = {1, -2, 3, 4, 5, 6};
    EXPECT_EQ(negate(device, 2, values), "");
    EXPECT_EQ(values, (std::vector<float>{-1, 2, -3, -4, -5, -6})) << device;
  }
}

TEST(CAPI, FailedCallSaysWhy) {
  std::vector<float> values(27);
  EXPECT_EQ(negate("cpu", 9, values),
            "1 guard failed: s0, size 0 of input 0 (x), is 9, expected at most "
            "8");
  EXPECT_EQ(negate("tpu", 9, values),
            "4 invalid argument: the device is 'tpu', expected cpu, cuda, "
            "cuda:N with N from 0 to 63, or reference");
}

TEST(CAPI, DescribesAProgram) {
  char text[1024];
  tc_test_describe(text, sizeof(text));
  EXPECT_STREQ(text, "main(x: s0x3xf32) -> (s0x3xf32); x s0x3xf32 [-1 s0] "
                     "[3 3]; s0 in [1, 8]; pointwise");
}

TEST(CAPI, ManyThreadsCompileAndCall) {
  std::vector<std::thread> threads;
  std::array<std::string, 4> messages;
  std::array<std::vector<float>, 4> results;
  for (size_t i = 0; i < messages.size(); ++i)
    threads.emplace_back([&, i] {
      results[i] = {float(i), 1, 2};
      messages[i] = negate("cpu", 1, results[i]);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(messages[i], "");
    EXPECT_EQ(results[i], (std::vector<float>{-float(i), -1, -2}));
  }
}

TEST(CAPI, RefusesAnotherVersion) {
  tc_session *session = nullptr;
  EXPECT_EQ(take(tc_session_create(TC_C_API_VERSION + 1, &session)),
            "the caller was built for version " +
                std::to_string(TC_C_API_VERSION + 1) + " of TC's C API, TC " +
                tc_version() + " has version " +
                std::to_string(TC_C_API_VERSION));
  EXPECT_EQ(session, nullptr);
}

TEST(CAPI, ArraysShareMemory) {
  static int released = 0;
  float values[4] = {1, 2, 3, 4};
  int64_t sizes[] = {2, 2}, strides[] = {1, 2};
  tc_tensor descriptor = {values, sizes, strides, 2, TC_DTYPE_F32, 0, 0};
  tc_array *array = nullptr, *back = nullptr;
  ASSERT_EQ(take(tc_array_wrap(
                &descriptor, [](void *) { ++released; }, nullptr, &array)),
            "");
  ASSERT_EQ(take(tc_array_from_dlpack(tc_array_to_dlpack(array), &back)), "");
  tc_array_free(array);
  EXPECT_EQ(released, 0);
  tc_tensor view = tc_array_descriptor(back);
  EXPECT_EQ(view.data, values);
  EXPECT_EQ(view.strides[1], 2);

  tc_array *rows = nullptr;
  ASSERT_EQ(take(tc_array_create(TC_DTYPE_F32, 2, sizes, &rows)), "");
  ASSERT_EQ(take(tc_array_assign(rows, back)), "");
  const float *copied = static_cast<float *>(tc_array_descriptor(rows).data);
  EXPECT_EQ(copied[1], 3);
  EXPECT_EQ(copied[2], 2);
  tc_array_free(back);
  EXPECT_EQ(released, 1);
  tc_array_free(rows);
}

TEST(CAPI, BadArraysAreRefused) {
  tc_array *array = nullptr;
  int64_t sizes[] = {2, -2};
  EXPECT_EQ(take(tc_array_create(TC_DTYPE_F32, 17, sizes, &array)),
            "the rank is 17, expected 0 to 16");
  EXPECT_EQ(take(tc_array_create(99, 1, sizes, &array)),
            "the dtype is 99, expected 0 to 16");
  tc_tensor negative = {sizes, sizes, sizes, 2, TC_DTYPE_I64, 0, 0};
  EXPECT_EQ(take(tc_array_wrap(&negative, nullptr, nullptr, &array)),
            "the array 2x-2xi64 has sizes that are negative or too large");
  tc_tensor empty = {nullptr, sizes, sizes, 1, TC_DTYPE_I64, 0, 0};
  EXPECT_EQ(take(tc_array_wrap(&empty, nullptr, nullptr, &array)),
            "the array 2xi64 has no data");
  EXPECT_EQ(array, nullptr);
}

TEST(CAPI, NewerOptionsAreRefused) {
  tc_session *session = nullptr;
  ASSERT_EQ(take(tc_session_create(TC_C_API_VERSION, &session)), "");
  tc_compile_options options = {};
  options.size = sizeof(options) + 8;
  tc_program *program = nullptr;
  std::string message =
      take(tc_compile_buffer(session, "", 0, "none", &options, &program));
  EXPECT_EQ(message, "tc_compile_options has " +
                         std::to_string(sizeof(options) + 8) +
                         " bytes, this library knows " +
                         std::to_string(sizeof(options)));
  tc_session_free(session);
}

TEST(CAPI, ModesThatAreNotKnown) {
  tc_session *session = nullptr;
  ASSERT_EQ(take(tc_session_create(TC_C_API_VERSION, &session)), "");
  tc_compile_options options = {};
  options.size = sizeof(options);
  options.mode = "defualt";
  tc_program *program = nullptr;
  EXPECT_EQ(take(tc_compile_buffer(session, "", 0, "none", &options, &program)),
            "the mode is 'defualt', expected default or reduce-overhead; did "
            "you mean 'default'?");
  tc_session_free(session);
}

/// Nothing but the C API is visible, so that other libraries with an LLVM of
/// their own can be in the process.
TEST(CAPI, HidesLLVM) {
  void *library = dlopen("libTCCompiler.so", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  Dl_info here = {}, found = {};
  ASSERT_NE(dladdr(reinterpret_cast<void *>(tc_session_create), &here), 0);
  // A function of LLVM's headers that is inlined into every user of them.
  if (void *address =
          dlsym(library, "_ZN4llvm15SmallVectorBaseIjE8grow_podEPvmm"))
    if (dladdr(address, &found))
      EXPECT_STRNE(here.dli_fname, found.dli_fname);
  EXPECT_EQ(
      dlsym(library, "_ZN2tc7compileEN4mlir8ModuleOpERKNS_14CompileOptionsE"),
      nullptr);
  dlclose(library);
}
