//===- CompositeTest.cpp - Norms, attention, pooling, sorting, random -----===//

#include "ReferenceTest.h"
#include "TC/Reference/ScalarFunctions.h"

using namespace mlir;

namespace tc::reference {

using CompositeTest = ReferenceTest;

TEST_F(CompositeTest, Softmax) {
  Tensor x = floats("f32", {2, 2}, {1000, 1000, -kInfinity, -kInfinity});
  expectFloats(
      runOp("tc.softmax %a0 dim 1 : tensor<2x2xf32>", {x}, "tensor<2x2xf32>"),
      {0.5, 0.5, kNaN, kNaN});
  Tensor y = floats("f64", {2, 1}, {0, std::log(3.0)});
  expectFloats(
      runOp("tc.softmax %a0 dim 0 : tensor<2x1xf64>", {y}, "tensor<2x1xf64>"),
      {0.25, 0.75}, 1e-15);
  expectFloats(runOp("tc.log_softmax %a0 dim 0 : tensor<2x1xf64>", {y},
                     "tensor<2x1xf64>"),
               {std::log(0.25), std::log(0.75)}, 1e-15);
}

TEST_F(CompositeTest, Norms) {
  Tensor x = floats("f64", {1, 4}, {1, 2, 3, 4});
  double scale = 1 / std::sqrt(1.25);
  expectFloats(runOp("tc.layer_norm %a0 rank 1 eps 0.0 : tensor<1x4xf64>", {x},
                     "tensor<1x4xf64>"),
               {-1.5 * scale, -0.5 * scale, 0.5 * scale, 1.5 * scale}, 1e-14);
  double root = 1 / std::sqrt(7.5);
  expectFloats(runOp("tc.rms_norm %a0 weight %a1 : tensor<4xf64> rank 1 eps "
                     "0.0 : tensor<1x4xf64>",
                     {x, floats("f64", {4}, {1, 2, 1, 1})}, "tensor<1x4xf64>"),
               {root, 4 * root, 3 * root, 4 * root}, 1e-14);
  expectFloats(runOp("tc.group_norm %a0 groups 2 eps 0.0 : tensor<1x4xf64>",
                     {x}, "tensor<1x4xf64>"),
               {-1, 1, -1, 1}, 1e-14);
  expectFloats(runOp("tc.batch_norm %a0 mean %a1 variance %a2 eps 0.0 : "
                     "tensor<1x4xf64>, tensor<4xf64>, tensor<4xf64>",
                     {x, floats("f64", {4}, {0, 1, 2, 3}),
                      floats("f64", {4}, {1, 4, 0.25, 1})},
                     "tensor<1x4xf64>"),
               {1, 0.5, 2, 1}, 1e-14);
}

TEST_F(CompositeTest, Attention) {
  // Two queries, two keys; scores 0 give means of the values.
  Tensor q = floats("f64", {1, 2, 1}, {0, 0}),
         k = floats("f64", {1, 2, 1}, {1, 2}),
         v = floats("f64", {1, 2, 1}, {10, 30});
  StringRef types = " : tensor<1x2x1xf64>, tensor<1x2x1xf64>, "
                    "tensor<1x2x1xf64> -> tensor<1x2x1xf64>";
  auto attend = [&](StringRef options, std::vector<Tensor> more = {}) {
    std::vector<Tensor> arguments{q, k, v};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runOp(("tc.attention %a0, %a1, %a2 " + options + types).str(),
                 arguments, "tensor<1x2x1xf64>");
  };
  expectFloats(attend("scale 1.0"), {20, 20});
  expectFloats(attend("scale 1.0 {causal}"), {10, 20});
  Tensor keep = integers("i1", {2, 2}, {0, 0, 0, 1});
  expectFloats(attend("mask %a3 : tensor<2x2xi1> scale 1.0", {keep}), {0, 30});
  Tensor added =
      floats("f64", {2, 2}, {-kInfinity, -kInfinity, 0, std::log(3.0)});
  expectFloats(attend("mask %a3 : tensor<2x2xf64> scale 1.0", {added}), {0, 25},
               1e-13);
}

TEST_F(CompositeTest, GroupedQueries) {
  Tensor q(type("f64"), {1, 4, 1, 1}), k(type("f64"), {1, 2, 1, 1}),
      v = floats("f64", {1, 2, 1, 1}, {5, 7});
  expectFloats(runOp("tc.attention %a0, %a1, %a2 scale 1.0 : "
                     "tensor<1x4x1x1xf64>, tensor<1x2x1x1xf64>, "
                     "tensor<1x2x1x1xf64> -> tensor<1x4x1x1xf64>",
                     {q, k, v}, "tensor<1x4x1x1xf64>"),
               {5, 5, 7, 7});
}

TEST_F(CompositeTest, Pools) {
  Tensor x = count("f32", {1, 1, 4});
  auto results = run(R"(
func.func @f(%x: tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x2xi64>) {
  %v, %i = tc.max_pool %x kernel [3] stride [2] padding [1] dilation [1] : tensor<1x1x4xf32> -> tensor<1x1x2xf32>, tensor<1x1x2xi64>
  return %v, %i : tensor<1x1x2xf32>, tensor<1x1x2xi64>
})",
                     {x});
  expectFloats(results[0], {1, 3});
  expectIntegers(results[1], {1, 3});
  auto average = [&](StringRef attributes) {
    return runOp(("tc.avg_pool %a0 kernel [3] stride [2] padding [1] " +
                  attributes + " : tensor<1x1x4xf32> -> tensor<1x1x2xf32>")
                     .str(),
                 {x}, "tensor<1x1x2xf32>");
  };
  expectFloats(average(""), {double(float(1.0 / 3)), 2});
  expectFloats(average("{exclude_padding}"), {0.5, 2});
  expectFloats(average("{divisor = 2 : i64}"), {0.5, 3});
  expectFloats(
      runOp("tc.adaptive_avg_pool %a0 : tensor<1x1x4xf32> -> tensor<1x1x3xf32>",
            {x}, "tensor<1x1x3xf32>"),
      {0.5, 1.5, 2.5});
}

TEST_F(CompositeTest, Resample) {
  Tensor x = floats("f32", {1, 1, 2}, {0, 4});
  expectFloats(
      runOp("tc.resample nearest %a0 : tensor<1x1x2xf32> -> tensor<1x1x4xf32>",
            {x}, "tensor<1x1x4xf32>"),
      {0, 0, 4, 4});
  expectFloats(
      runOp("tc.resample linear %a0 : tensor<1x1x2xf32> -> tensor<1x1x4xf32>",
            {x}, "tensor<1x1x4xf32>"),
      {0, 1, 3, 4});
  expectFloats(runOp("tc.resample linear %a0 {align_corners} : "
                     "tensor<1x1x2xf32> -> tensor<1x1x5xf32>",
                     {x}, "tensor<1x1x5xf32>"),
               {0, 1, 2, 3, 4});
}

TEST_F(CompositeTest, SortIsStableAndNaNIsLargest) {
  StringRef text = R"(
func.func @f(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xi64>, tensor<5xi64>, tensor<2xf32>, tensor<2xi64>) {
  %v, %i = tc.sort %x dim 0 : tensor<5xf32> -> tensor<5xf32>, tensor<5xi64>
  %w, %j = tc.sort %x dim 0 {descending} : tensor<5xf32> -> tensor<5xf32>, tensor<5xi64>
  %t, %k = tc.topk %x dim 0 k 2 : tensor<5xf32> -> tensor<2xf32>, tensor<2xi64>
  return %v, %i, %j, %t, %k : tensor<5xf32>, tensor<5xi64>, tensor<5xi64>, tensor<2xf32>, tensor<2xi64>
})";
  auto results = run(text, {floats("f32", {5}, {2, kNaN, 1, 2, kInfinity})});
  ASSERT_EQ(results.size(), 5u);
  expectFloats(results[0], {1, 2, 2, kInfinity, kNaN});
  expectIntegers(results[1], {2, 0, 3, 4, 1});
  expectIntegers(results[2], {1, 4, 0, 3, 2});
  expectFloats(results[3], {kNaN, kInfinity});
  expectIntegers(results[4], {1, 4});
}

TEST_F(CompositeTest, RandomFollowsThePhiloxWords) {
  std::vector<Tensor> state{integers("i64", {}, {42}),
                            integers("i64", {}, {7})};
  Tensor uniform = runOp("tc.random uniform %a0, %a1 : tensor<i64>, "
                         "tensor<i64> -> tensor<1000xf32>",
                         state, "tensor<1000xf32>");
  EXPECT_EQ(uniform.getDouble(5),
            double(scalar::philoxWord(42, 7, 5) >> 8) / 16777216.0);
  double sum = 0;
  for (double value : uniform.floats()) {
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.03);
  Tensor normal = runOp("tc.random normal %a0, %a1 : tensor<i64>, tensor<i64> "
                        "-> tensor<1000xf64>",
                        state, "tensor<1000xf64>");
  double mean = 0, squares = 0;
  for (double value : normal.floats()) {
    mean += value / 1000;
    squares += value * value / 1000;
  }
  EXPECT_NEAR(mean, 0, 0.1);
  EXPECT_NEAR(squares, 1, 0.15);
}

} // namespace tc::reference
