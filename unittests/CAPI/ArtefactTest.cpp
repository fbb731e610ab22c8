//===- ArtefactTest.cpp - Artefacts in the C API --------------------------===//

#include "tc-c/Artefact.h"
#include "../Runtime/TemporaryFolder.h"
#include "tc-c/Compiler.h"
#include "gtest/gtest.h"
#include <string>

namespace {

/// The message of an error, which is freed; empty for success.
std::string take(tc_error *error) {
  std::string text = tc_error_message(error);
  tc_error_free(error);
  return text;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// A program in a file, and loaded from it.
class ArtefactInC : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(take(tc_session_create(TC_C_API_VERSION, &session)), "");
    const std::string text =
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { %0 = tc.neg "
        "%x : tensor<2x3xf32> return %0 : tensor<2x3xf32> }";
    ASSERT_EQ(take(tc_compile_buffer(session, text.data(), text.size(), nullptr,
                                     nullptr, &program)),
              "");
    const char *targets[] = {"cpu", "cuda:sm_90a"};
    ASSERT_EQ(take(tc_program_save(program, path.c_str(), nullptr, targets, 2)),
              "");
    ASSERT_EQ(take(tc_artefact_load(path.c_str(), nullptr, &artefact)), "");
  }
  void TearDown() override {
    tc_artefact_free(artefact);
    tc_program_free(program);
    tc_session_free(session);
  }

  /// An array of 1 to 6 with these strides.
  tc_array *wrap(int64_t outer, int64_t inner) {
    static float values[] = {1, 2, 3, 4, 5, 6};
    int64_t sizes[] = {2, 3}, strides[] = {outer, inner};
    tc_tensor tensor = {values,       sizes,         strides, 2,
                        TC_DTYPE_F32, TC_DEVICE_CPU, 0};
    tc_array *array = nullptr;
    EXPECT_EQ(take(tc_array_wrap(&tensor, nullptr, nullptr, &array)), "");
    return array;
  }

  /// Elements of the result in its order, as text.
  std::string call(tc_array *input) {
    tc_array *output = nullptr;
    std::string text =
        take(tc_artefact_call(artefact, 0, &input, 1, &output, 1));
    if (output)
      for (int i = 0; i < 6; ++i)
        text += std::to_string(int(static_cast<const float *>(
                    tc_array_descriptor(output).data)[i])) +
                " ";
    tc_array_free(output);
    tc_array_free(input);
    return text;
  }

  TemporaryFolder folder;
  const std::string path = folder.path("m.tca");
  tc_session *session = nullptr;
  tc_program *program = nullptr;
  tc_artefact *artefact = nullptr;
};

TEST_F(ArtefactInC, IsDescribedAndCalled) {
  EXPECT_STREQ(tc_artefact_target(artefact), "cpu");
  EXPECT_EQ(tc_artefact_function_count(artefact), 1);
  EXPECT_STREQ(tc_artefact_function(artefact, 0)->signature,
               "main(2x3xf32) -> (2x3xf32)");
  EXPECT_EQ(tc_artefact_parameter_count(artefact), 0);
  EXPECT_EQ(call(wrap(3, 1)), "-1 -2 -3 -4 -5 -6 ");
  EXPECT_EQ(call(wrap(1, 2)), "-1 -3 -5 -2 -4 -6 "); // which is copied
}

TEST_F(ArtefactInC, LoadsFromMemoryThatGoesAway) {
  tc_artefact_free(artefact);
  artefact = nullptr;
  {
    const std::string content = folder.read("m.tca");
    ASSERT_EQ(take(tc_artefact_load_buffer(content.data(), content.size(), "m",
                                           nullptr, &artefact)),
              "");
  }
  EXPECT_EQ(call(wrap(3, 1)), "-1 -2 -3 -4 -5 -6 ");
}

TEST_F(ArtefactInC, KeepsWhatIsSaidOfVersions) {
  EXPECT_STREQ(tc_program_versions(program), "");
  EXPECT_STREQ(tc_program_versions(nullptr), "");
  EXPECT_TRUE(
      contains(take(tc_program_set_versions(nullptr, "{}")), "program"));
  EXPECT_TRUE(
      contains(take(tc_program_set_versions(program, nullptr)), "versions"));
  ASSERT_EQ(take(tc_program_set_versions(program, "{\"version\": 1}")), "");
  ASSERT_EQ(take(tc_program_save(program, path.c_str(), nullptr, nullptr, 0)),
            "");
  tc_program *loaded = nullptr;
  ASSERT_EQ(take(tc_program_load(session, path.c_str(), nullptr, &loaded)), "");
  EXPECT_STREQ(tc_program_versions(loaded), "{\"version\": 1}");
  tc_program_free(loaded);
}

TEST_F(ArtefactInC, IsAProgramOfTheCompilersLibraryAsWell) {
  tc_program *loaded = nullptr;
  ASSERT_EQ(take(tc_program_load(session, path.c_str(), nullptr, &loaded)), "");
  EXPECT_EQ(tc_program_cuda_device(loaded), -1);
  EXPECT_EQ(tc_program_kernel_count(loaded), tc_program_kernel_count(program));
  char *text = nullptr;
  EXPECT_TRUE(contains(take(tc_program_ir(loaded, nullptr, &text)),
                       "was loaded from an artefact"));
  tc_program_free(loaded);
  tc_compile_options options = {};
  options.size = sizeof(options);
  options.target = "cpu:x86-64";
  EXPECT_TRUE(
      contains(take(tc_program_load(session, path.c_str(), &options, &loaded)),
               "expected no target"));
}

TEST_F(ArtefactInC, WrongArgumentsAreNamed) {
  tc_array *input = wrap(3, 1), *output = nullptr;
  EXPECT_TRUE(
      contains(take(tc_artefact_call(artefact, 1, &input, 1, &output, 1)),
               "there is no number 1"));
  EXPECT_TRUE(
      contains(take(tc_artefact_call(artefact, 0, &input, 0, &output, 1)),
               "has 1 inputs, the call has 0"));
  EXPECT_TRUE(
      contains(take(tc_artefact_call(artefact, 0, &input, 1, &output, 2)),
               "has 1 outputs, the call has 2"));
  EXPECT_TRUE(
      contains(take(tc_artefact_call(nullptr, 0, &input, 1, &output, 1)),
               "'artefact' is null"));
  EXPECT_TRUE(contains(take(tc_artefact_set_parameter(artefact, "w", input)),
                       "no parameter 'w'"));
  tc_array_free(input);
  int64_t index = 0;
  EXPECT_TRUE(contains(take(tc_artefact_find_function(artefact, "f", &index)),
                       "the artefact has no function 'f'; it has main"));
  tc_artefact *other = nullptr;
  EXPECT_TRUE(contains(take(tc_artefact_load(nullptr, nullptr, &other)),
                       "'path' is null"));
  tc_artefact_options options = {};
  options.size = sizeof(options) + 8;
  EXPECT_TRUE(contains(take(tc_artefact_load(path.c_str(), &options, &other)),
                       "tc_artefact_options has"));
  options.size = sizeof(options);
  options.device = "gpu";
  EXPECT_TRUE(contains(take(tc_artefact_load(path.c_str(), &options, &other)),
                       "expected cpu, cuda or cuda:N"));
  EXPECT_EQ(tc_artefact_function_count(nullptr), 0);
  EXPECT_EQ(tc_artefact_function(nullptr, 0), nullptr);
  EXPECT_EQ(tc_artefact_parameter(artefact, 0), nullptr);
  tc_artefact_free(nullptr);
}

} // namespace
