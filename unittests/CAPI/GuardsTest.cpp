//===- GuardsTest.cpp - Guards of captured functions in the C API ---------===//

#include "tc-c/Guards.h"
#include "gtest/gtest.h"
#include <string>

namespace {

std::string take(tc_error *error) {
  std::string text = tc_error_message(error);
  tc_error_free(error);
  return text;
}

const std::string head =
    R"mlir(func.func @guards(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>, %y: tensor<?xi64, #tc.sizes<[s0]>>)
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
)mlir";
const std::string x = " : tensor<?x?xf32, #tc.sizes<[s0, s1]>>\n",
                  y = " : tensor<?xi64, #tc.sizes<[s0]>>\n";
const std::string ranks = "tc.guard rank(%y) {value = 1 : i64}" + y +
                          "tc.guard rank(%x) {value = 2 : i64}" + x;

class Guards : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(take(tc_session_create(TC_C_API_VERSION, &session)), "");
  }
  void TearDown() override {
    tc_guards_free(guards);
    tc_session_free(session);
  }
  /// Reads these guards of x and y.
  std::string read(const std::string &body) {
    tc_guards_free(guards);
    guards = nullptr;
    const std::string text = head + body + "return\n}";
    return take(tc_guards_create(session, text.data(), text.size(), &guards));
  }
  /// Why a matrix and a vector miss; empty where all guards hold.
  std::string miss() {
    const tc_tensor tensors[2] = {
        {matrix, sizes, strides, rank, dtype, device, 0},
        {vector, sizes, &one, 1, TC_DTYPE_I64, TC_DEVICE_CPU, 0}};
    const int64_t number = tc_guards_check(guards, tensors);
    if (number < 0)
      return "";
    char *text = nullptr;
    EXPECT_EQ(take(tc_guards_describe_miss(guards, tensors, number, &text)),
              "");
    const std::string result = text ? text : "";
    tc_string_free(text);
    return result;
  }

  tc_session *session = nullptr;
  tc_guards *guards = nullptr;
  alignas(64) float matrix[64] = {};
  alignas(64) int64_t vector[8] = {};
  int64_t sizes[2] = {4, 6}, strides[2] = {6, 1}, one = 1;
  int32_t rank = 2, dtype = TC_DTYPE_F32, device = TC_DEVICE_CPU;
};

TEST_F(Guards, OfTensorsAreChecked) {
  ASSERT_EQ(read(ranks + "tc.guard dtype(%x) {value = f32}" + x +
                 "tc.guard device(%x) {value = \"cpu\"}" + x +
                 "tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64, "
                 "max = 8 : i64}" +
                 x +
                 "tc.guard size_multiple(%x) {dim = 1 : i64, divisor = 3 : "
                 "i64}" +
                 x + "tc.guard contiguous(%x) {}" + x +
                 "tc.guard alignment(%x) {divisor = 16 : i64}" + x +
                 "tc.guard no_alias(%x, %y) {} : tensor<?x?xf32, "
                 "#tc.sizes<[s0, s1]>>, tensor<?xi64, #tc.sizes<[s0]>>\n"),
            "");
  EXPECT_EQ(tc_guards_tensor_count(guards), 2);
  EXPECT_EQ(miss(), "");
  dtype = TC_DTYPE_I32;
  EXPECT_EQ(miss(), "the dtype of argument 0 is i32, expected f32");
  dtype = TC_DTYPE_F32;
  rank = 1;
  EXPECT_EQ(miss(), "the rank of argument 0 is 1, expected 2");
  rank = 2;
  device = TC_DEVICE_CUDA;
  EXPECT_EQ(miss(), "the device of argument 0 is cuda:0, expected cpu");
  device = TC_DEVICE_CPU;
  sizes[0] = 9;
  EXPECT_EQ(miss(), "size 0 of argument 0 is 9, expected at most 8");
  sizes[0] = 4;
  sizes[1] = 5;
  EXPECT_EQ(miss(), "size 1 of argument 0 is 5, expected a multiple of 3");
  sizes[1] = 6;
  strides[0] = 7;
  EXPECT_EQ(miss(),
            "the memory order of argument 0 is another, expected row-major");
}

TEST_F(Guards, OfExpressionsAreChecked) {
  ASSERT_EQ(
      read(ranks +
           "tc.guard stride(%x) {dim = 0 : i64, expr = #tc.expr<s1 + 1>}" + x +
           "tc.guard scalar() {expr = #tc.expr<s0 mod 4>, min = 0 : i64, max "
           "= 0 : i64, origin = \"a.py:3\"}\n"),
      "");
  EXPECT_EQ(miss(), "stride 0 of argument 0 is 6, expected 7 = s1 + 1");
  strides[0] = 7;
  EXPECT_EQ(miss(), "");
  sizes[0] = 6;
  EXPECT_EQ(miss(), "s0 mod 4 is 2, expected at most 0 (a.py:3)");
}

TEST_F(Guards, OfValuesAreTheCallers) {
  ASSERT_EQ(read(ranks +
                 "tc.guard scalar() {value = 1.5 : f64, origin = \"n\"}\n"
                 "tc.guard scalar() {value = [true, 3, \"a\"], origin = "
                 "\"m\"}\n"
                 "tc.guard scalar() {value = unit, origin = \"k\"}\n"
                 "tc.guard identity() {value = \"Parameter\", origin = "
                 "\"weight\"}\n"),
            "");
  ASSERT_EQ(tc_guards_value_count(guards), 4);
  EXPECT_STREQ(tc_guards_value(guards, 0)->value, "1.5");
  EXPECT_STREQ(tc_guards_value(guards, 1)->value, "[true, 3, \"a\"]");
  EXPECT_STREQ(tc_guards_value(guards, 2)->value, "null");
  EXPECT_STREQ(tc_guards_value(guards, 3)->origin, "weight");
  EXPECT_TRUE(tc_guards_value(guards, 3)->is_identity);
  EXPECT_EQ(tc_guards_value(guards, 4), nullptr);
}

TEST_F(Guards, ThatCannotBeReadAreErrors) {
  EXPECT_EQ(read(""),
            "argument 0 of the guards' function has no guard of its rank");
  EXPECT_EQ(read(ranks + "tc.guard scalar() {value = 1 : i64}\n"),
            "the guard scalar has no operand and no expr: expected both an "
            "origin and a value");
  EXPECT_EQ(read(ranks + "tc.guard device(%x) {value = \"tpu\"}" + x),
            "the guard device has the device 'tpu', expected cpu or cuda:N");
  EXPECT_EQ(read(ranks + "tc.guard scalar() {expr = #tc.expr<s2>}\n"),
            "the symbol 's2' of a guard is no size of an argument");
  EXPECT_EQ(read("tc.guard rank(%x) {value = 3 : i64}" + x),
            "the guard rank expects 3, but its operand has rank 2");
  EXPECT_NE(read("nothing").find("the guards cannot be read"),
            std::string::npos);
  EXPECT_EQ(take(tc_guards_create(session, "", 0, &guards)),
            "the module of guards has 0 functions, expected one");
  EXPECT_EQ(take(tc_guards_create(session, nullptr, 0, &guards)),
            "the argument 'text' is null, expected a value");
}

} // namespace
