//===- GraphTest.cpp - Reductions, contractions, shapes, indexing ---------===//

#include "ReferenceTest.h"

using namespace mlir;

namespace tc::reference {

using GraphTest = ReferenceTest;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, ReduceKinds) {
  Tensor x = floats("f32", {2, 3}, {1, -2, 3, 4, kNaN, 6});
  StringRef type = "tensor<2x3xf32> -> tensor<2xf32>";
  auto reduce = [&](StringRef kind) {
    return runOp(("tc.reduce " + kind + " %a0 dims [1] : " + type).str(), {x},
                 "tensor<2xf32>");
  };
  expectFloats(reduce("sum"), {2, kNaN});
  expectFloats(reduce("prod"), {-6, kNaN});
  expectFloats(reduce("max"), {3, kNaN});
  expectFloats(reduce("min"), {-2, kNaN});
}

TEST_F(GraphTest, ReduceSeveralDimsAndNoElements) {
  expectFloats(
      runOp(
          "tc.reduce sum %a0 dims [0, 2] : tensor<2x3x2xf32> -> tensor<3xf32>",
          {count("f32", {2, 3, 2})}, "tensor<3xf32>"),
      {0 + 1 + 6 + 7, 2 + 3 + 8 + 9, 4 + 5 + 10 + 11});
  Tensor empty(type("f32"), {2, 0});
  expectFloats(
      runOp("tc.reduce sum %a0 dims [1] : tensor<2x0xf32> -> tensor<2xf32>",
            {empty}, "tensor<2xf32>"),
      {0, 0});
  expectFloats(
      runOp("tc.reduce prod %a0 dims [1] : tensor<2x0xf32> -> tensor<2xf32>",
            {empty}, "tensor<2xf32>"),
      {1, 1});
  expectIntegers(
      runOp("tc.reduce all %a0 dims [1] : tensor<1x2xi1> -> tensor<1xi1>",
            {integers("i1", {1, 2}, {1, 0})}, "tensor<1xi1>"),
      {0});
}

TEST_F(GraphTest, MaxOfNoElementsIsAnError) {
  expectError(
      R"(func.func @f(%x: tensor<2x?xf32, #tc.sizes<[2, s0]>>) -> tensor<2xf32> {
    %r = tc.reduce max %x dims [1] : tensor<2x?xf32, #tc.sizes<[2, s0]>> -> tensor<2xf32>
    return %r : tensor<2xf32>
  })",
      {Tensor(type("f32"), {2, 0})},
      "'tc.reduce' op expects size 1 of 'x', which 'max' folds, of at least 1, "
      "but it is s0 = 0");
}

TEST_F(GraphTest, IntegerSumsWrapAtTheirWidth) {
  expectIntegers(
      runOp("tc.reduce sum %a0 dims [0] : tensor<2xi8> -> tensor<i8>",
            {integers("i8", {2}, {100, 100})}, "tensor<i8>"),
      {-56});
}

TEST_F(GraphTest, ArgReduceTakesTheFirst) {
  Tensor x = floats("f32", {3, 4}, {1, 5, 5, 2, 1, kNaN, 9, kNaN, 3, 3, 3, 3});
  expectIntegers(
      runOp("tc.arg_reduce argmax %a0 dim 1 : tensor<3x4xf32> -> tensor<3xi64>",
            {x}, "tensor<3xi64>"),
      {1, 1, 0});
  expectIntegers(
      runOp("tc.arg_reduce argmin %a0 dim 0 : tensor<3x4xf32> -> tensor<4xi64>",
            {x}, "tensor<4xi64>"),
      {0, 1, 2, 1});
}

TEST_F(GraphTest, Variance) {
  Tensor x = floats("f32", {1, 4}, {1, 2, 3, 4});
  expectFloats(runOp("tc.variance %a0 dims [1] correction 1.0 : "
                     "tensor<1x4xf32> -> tensor<1xf32>",
                     {x}, "tensor<1xf32>"),
               {double(float(5.0 / 3.0))});
  expectFloats(runOp("tc.variance %a0 dims [1] correction 4.0 : "
                     "tensor<1x4xf32> -> tensor<1xf32>",
                     {x}, "tensor<1xf32>"),
               {kInfinity});
}

TEST_F(GraphTest, Scan) {
  expectFloats(runOp("tc.scan sum %a0 dim 0 : tensor<3x2xf32>",
                     {count("f32", {3, 2})}, "tensor<3x2xf32>"),
               {0, 1, 2, 4, 6, 9});
  expectFloats(runOp("tc.scan max %a0 dim 0 : tensor<4xf32>",
                     {floats("f32", {4}, {1, 3, kNaN, 9})}, "tensor<4xf32>"),
               {1, 3, kNaN, kNaN});
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, MatrixProducts) {
  Tensor a = count("f32", {2, 3}, 1), b = count("f32", {3, 2}, 1);
  expectFloats(
      runOp(
          R"(tc.contract "mk,kn->mn" %a0, %a1 : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>)",
          {a, b}, "tensor<2x2xf32>"),
      {22, 28, 49, 64});
  expectFloats(
      runOp(
          R"(tc.contract "mk,kn->nm" %a0, %a1 : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>)",
          {a, b}, "tensor<2x2xf32>"),
      {22, 49, 28, 64});
  // A batch in the middle of the right operand.
  expectFloats(
      runOp(
          R"(tc.contract "bk,kb->b" %a0, %a1 : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2xf32>)",
          {a, b}, "tensor<2xf32>"),
      {1 * 1 + 2 * 3 + 3 * 5, 4 * 2 + 5 * 4 + 6 * 6});
}

TEST_F(GraphTest, ContractionOverNothingIsZero) {
  expectFloats(
      runOp(
          R"(tc.contract "mk,kn->mn" %a0, %a1 : tensor<2x0xf32>, tensor<0x1xf32> -> tensor<2x1xf32>)",
          {Tensor(type("f32"), {2, 0}), Tensor(type("f32"), {0, 1})},
          "tensor<2x1xf32>"),
      {0, 0});
}

TEST_F(GraphTest, LargeProductAgreesWithPlainLoops) {
  const int64_t m = 37, n = 300, k = 21;
  Tensor a = count("f64", {m, k}, -3, 0.25),
         b = count("f64", {n, k}, 5, -0.125);
  Tensor c = runOp(
      R"(tc.contract "mk,nk->mn" %a0, %a1 : tensor<37x21xf64>, tensor<300x21xf64> -> tensor<37x300xf64>)",
      {a, b}, "tensor<37x300xf64>");
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a.getDouble(i * k + l) * b.getDouble(j * k + l);
      ASSERT_DOUBLE_EQ(c.getDouble(i * n + j), sum) << i << " " << j;
    }
}

TEST_F(GraphTest, Convolution) {
  Tensor x = count("f32", {1, 1, 3, 3}),
         w = floats("f32", {1, 1, 2, 2}, {1, 2, 3, 4});
  expectFloats(runOp("tc.convolution %a0, %a1 stride [1, 1] padding [0, 0] "
                     "dilation [1, 1] : tensor<1x1x3x3xf32>, "
                     "tensor<1x1x2x2xf32> -> tensor<1x1x2x2xf32>",
                     {x, w}, "tensor<1x1x2x2xf32>"),
               {27, 37, 57, 67});
  expectFloats(runOp("tc.convolution %a0, %a1 stride [2, 2] padding [1, 1] "
                     "dilation [1, 1] : tensor<1x1x3x3xf32>, "
                     "tensor<1x1x2x2xf32> -> tensor<1x1x2x2xf32>",
                     {x, w}, "tensor<1x1x2x2xf32>"),
               {0, 3 * 1 + 4 * 2, 2 * 3 + 4 * 6, 67});
}

// Transposed: each input element spreads the kernel.
TEST_F(GraphTest, TransposedConvolution) {
  Tensor x = floats("f32", {1, 1, 3}, {1, 2, 3}),
         w = floats("f32", {1, 1, 2}, {10, 1});
  expectFloats(runOp("tc.convolution %a0, %a1 stride [2] padding [0] dilation "
                     "[1] {transposed} : tensor<1x1x3xf32>, "
                     "tensor<1x1x2xf32> -> tensor<1x1x6xf32>",
                     {x, w}, "tensor<1x1x6xf32>"),
               {10, 1, 20, 2, 30, 3});
}

// The zeros around x and between its elements are multiplied too.
TEST_F(GraphTest, ConvolutionOfInfiniteWeights) {
  Tensor x = floats("f32", {1, 1, 3}, {1, 2, 3}),
         w = floats("f32", {1, 1, 2}, {kInfinity, 1});
  expectFloats(runOp("tc.convolution %a0, %a1 stride [1] padding [1] dilation "
                     "[1] : tensor<1x1x3xf32>, "
                     "tensor<1x1x2xf32> -> tensor<1x1x4xf32>",
                     {x, w}, "tensor<1x1x4xf32>"),
               {kNaN, kInfinity, kInfinity, kInfinity});
  expectFloats(runOp("tc.convolution %a0, %a1 stride [2] padding [0] dilation "
                     "[1] {transposed} : tensor<1x1x3xf32>, "
                     "tensor<1x1x2xf32> -> tensor<1x1x6xf32>",
                     {x, w}, "tensor<1x1x6xf32>"),
               {kInfinity, kNaN, kInfinity, kNaN, kInfinity, kNaN});
}

TEST_F(GraphTest, GroupedConvolution) {
  Tensor x = floats("f32", {1, 2, 2}, {1, 2, 3, 4}),
         w = floats("f32", {2, 1, 1}, {10, 100});
  expectFloats(
      runOp("tc.convolution %a0, %a1 stride [1] padding [0] dilation [1] "
            "{groups = 2 : i64} : "
            "tensor<1x2x2xf32>, tensor<2x1x1xf32> -> tensor<1x2x2xf32>",
            {x, w}, "tensor<1x2x2xf32>"),
      {10, 20, 300, 400});
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, Views) {
  Tensor x = count("f32", {2, 3});
  expectFloats(
      runOp("tc.transpose %a0 [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>", {x},
            "tensor<3x2xf32>"),
      {0, 3, 1, 4, 2, 5});
  expectFloats(
      runOp("tc.broadcast %a0 dims [1] : tensor<3xf32> -> tensor<2x3xf32>",
            {count("f32", {3})}, "tensor<2x3xf32>"),
      {0, 1, 2, 0, 1, 2});
  expectFloats(runOp("tc.reshape %a0 : tensor<2x3xf32> -> tensor<3x2xf32>", {x},
                     "tensor<3x2xf32>"),
               {0, 1, 2, 3, 4, 5});
  expectFloats(runOp("tc.slice %a0 offsets <[0, 2]> strides [1, -1] : "
                     "tensor<2x3xf32> -> tensor<2x3xf32>",
                     {x}, "tensor<2x3xf32>"),
               {2, 1, 0, 5, 4, 3});
  expectFloats(runOp("tc.concat %a0, %a1 dim 1 : tensor<2x3xf32>, "
                     "tensor<2x1xf32> -> tensor<2x4xf32>",
                     {x, count("f32", {2, 1}, 10)}, "tensor<2x4xf32>"),
               {0, 1, 2, 10, 3, 4, 5, 11});
}

TEST_F(GraphTest, Pad) {
  Tensor x = count("f32", {4});
  auto pad = [&](StringRef mode, StringRef value) {
    return runOp(("tc.pad " + mode + " %a0 low [2] high [1] " + value +
                  " : tensor<4xf32> -> tensor<7xf32>")
                     .str(),
                 {x}, "tensor<7xf32>");
  };
  expectFloats(pad("constant", "value -1.0 : f32"), {-1, -1, 0, 1, 2, 3, -1});
  expectFloats(pad("reflect", ""), {2, 1, 0, 1, 2, 3, 2});
  expectFloats(pad("replicate", ""), {0, 0, 0, 1, 2, 3, 3});
  expectFloats(pad("circular", ""), {2, 3, 0, 1, 2, 3, 0});
  expectFloats(runOp("tc.pad constant %a0 low [-1] high [-1] value 0.0 : f32 : "
                     "tensor<4xf32> -> tensor<2xf32>",
                     {x}, "tensor<2xf32>"),
               {1, 2});
}

TEST_F(GraphTest, Constants) {
  expectFloats(run(R"(func.func @f() -> tensor<2xbf16> {
    %r = tc.constant dense<[1.0, 2.5]> : tensor<2xbf16>
    return %r : tensor<2xbf16>
  })",
                   {})[0],
               {1, 2.5});
  expectIntegers(runOp("tc.iota dim 0 start 3 step -2 : tensor<3x2xi64>", {},
                       "tensor<3x2xi64>"),
                 {3, 3, 1, 1, -1, -1});
  expectIntegers(
      runOp("tc.full 250 : ui8 -> tensor<2xui8>", {}, "tensor<2xui8>"),
      {250, 250});
  expectIntegers(runOp("tc.full true -> tensor<2xi1>", {}, "tensor<2xi1>"),
                 {1, 1});
}

TEST_F(GraphTest, EmptyHoldsNothingUseful) {
  expectFloats(runOp("tc.empty : tensor<2xf32>", {}, "tensor<2xf32>"),
               {kNaN, kNaN});
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

TEST_F(GraphTest, GatherAndScatter) {
  Tensor x = count("f32", {2, 3}),
         index = integers("i64", {2, 2}, {2, 0, 1, 1});
  expectFloats(runOp("tc.gather %a0[%a1] dim 1 : tensor<2x3xf32>, "
                     "tensor<2x2xi64> -> tensor<2x2xf32>",
                     {x, index}, "tensor<2x2xf32>"),
               {2, 0, 4, 4});
  Tensor updates = floats("f32", {2, 2}, {10, 20, 30, 40});
  StringRef types = " : tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x2xf32>";
  auto scatter = [&](StringRef combine) {
    return runOp(
        ("tc.scatter " + combine + " %a0[%a1] = %a2 dim 1" + types).str(),
        {x, index, updates}, "tensor<2x3xf32>");
  };
  expectFloats(scatter("replace"), {20, 1, 10, 3, 40, 5});
  expectFloats(scatter("sum"), {20, 1, 12, 3, 74, 5});
  expectFloats(scatter("max"), {20, 1, 10, 3, 40, 5});
}

TEST_F(GraphTest, AdvancedIndexing) {
  Tensor x = count("f32", {2, 3, 2}), rows = integers("i64", {2}, {-1, 0});
  expectFloats(runOp("tc.index_tensors %a0[%a1] dims [1] : tensor<2x3x2xf32>, "
                     "tensor<2xi64> -> tensor<2x2x2xf32>",
                     {x, rows}, "tensor<2x2x2xf32>"),
               {4, 5, 0, 1, 10, 11, 6, 7});
  Tensor first = integers("i64", {3}, {0, 1, 1}),
         second = integers("i64", {3}, {2, 0, 2});
  expectFloats(runOp("tc.index_tensors %a0[%a1, %a2] dims [0, 1] : "
                     "tensor<2x3x2xf32>, tensor<3xi64>, tensor<3xi64> -> "
                     "tensor<3x2xf32>",
                     {x, first, second}, "tensor<3x2xf32>"),
               {4, 5, 6, 7, 10, 11});
  expectFloats(
      runOp("tc.index_put sum %a0[%a1] = %a2 dims [0] : tensor<2x2xf32>, "
            "tensor<3x2xf32>, tensor<3xi64>",
            {count("f32", {2, 2}), first, count("f32", {3, 2}, 10, 10)},
            "tensor<2x2xf32>"),
      {10, 21, 2 + 30 + 50, 3 + 40 + 60});
}

TEST_F(GraphTest, IndexOutOfRangeIsAnError) {
  StringRef text =
      R"(func.func @f(%x: tensor<2x3xf32>, %i: tensor<1xi64>) -> tensor<1x3xf32> {
    %r = tc.index_tensors %x[%i] dims [0] : tensor<2x3xf32>, tensor<1xi64> -> tensor<1x3xf32>
    return %r : tensor<1x3xf32>
  })";
  expectError(text, {count("f32", {2, 3}), integers("i64", {1}, {2})},
              "'tc.index_tensors' op has index 2 out of range for dimension 0 "
              "of size 2");
  expectError(text, {count("f32", {2, 3}), integers("i64", {1}, {-3})},
              "has index -3 out of range");
}

} // namespace tc::reference
