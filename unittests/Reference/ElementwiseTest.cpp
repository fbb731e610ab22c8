//===- ElementwiseTest.cpp - Ops of the elementwise table -----------------===//

#include "ReferenceTest.h"
#include "TC/Reference/ScalarFunctions.h"

using namespace mlir;

namespace tc::reference {

using ElementwiseTest = ReferenceTest;

TEST_F(ElementwiseTest, FloatFunctions) {
  Tensor x = floats("f32", {4}, {0.0, 1.0, -1.0, kNaN});
  expectFloats(runOp("tc.exp %a0 : tensor<4xf32>", {x}, "tensor<4xf32>"),
               {1.0, double(std::exp(1.0f)), double(std::exp(-1.0f)), kNaN});
  expectFloats(runOp("tc.sqrt %a0 : tensor<4xf32>", {x}, "tensor<4xf32>"),
               {0.0, 1.0, kNaN, kNaN});
  expectFloats(runOp("tc.relu %a0 : tensor<4xf32>", {x}, "tensor<4xf32>"),
               {0.0, 1.0, 0.0, kNaN});
  expectFloats(runOp("tc.sign %a0 : tensor<4xf32>", {x}, "tensor<4xf32>"),
               {0.0, 1.0, -1.0, 0.0});
}

TEST_F(ElementwiseTest, DoublePrecisionDoesNotRound) {
  Tensor x = floats("bf16", {1}, {1.0}),
         y = floats("bf16", {1}, {0.0009765625});
  StringRef add = "tc.add %a0, %a1 : tensor<1xbf16>";
  expectFloats(runOp(add, {x, y}, "tensor<1xbf16>"), {1.0});
  expectFloats(runOp(add, {x, y}, "tensor<1xbf16>", Precision::Double),
               {1.0009765625});
}

TEST_F(ElementwiseTest, HalfOverflowsToInfinity) {
  Tensor x = floats("f16", {2}, {60000, -60000});
  expectFloats(runOp("tc.add %a0, %a0 : tensor<2xf16>", {x}, "tensor<2xf16>"),
               {kInfinity, -kInfinity});
}

TEST_F(ElementwiseTest, IntegersWrap) {
  Tensor x = integers("i8", {3}, {127, -128, -128}),
         y = integers("i8", {3}, {1, -1, 2});
  expectIntegers(
      runOp("tc.add %a0, %a1 : tensor<3xi8>", {x, y}, "tensor<3xi8>"),
      {-128, 127, -126});
  expectIntegers(
      runOp("tc.mul %a0, %a1 : tensor<3xi8>", {x, y}, "tensor<3xi8>"),
      {127, -128, 0});
  expectIntegers(runOp("tc.neg %a0 : tensor<3xi8>", {x}, "tensor<3xi8>"),
                 {-127, -128, -128});
  expectIntegers(runOp("tc.abs %a0 : tensor<3xi8>", {x}, "tensor<3xi8>"),
                 {127, -128, -128});
  expectIntegers(
      runOp("tc.floor_div %a0, %a1 : tensor<3xi8>", {x, y}, "tensor<3xi8>"),
      {127, -128, -64});
  Tensor u = integers("ui8", {2}, {250, 3}), v = integers("ui8", {2}, {10, 5});
  expectIntegers(
      runOp("tc.add %a0, %a1 : tensor<2xui8>", {u, v}, "tensor<2xui8>"),
      {4, 8});
  expectIntegers(
      runOp("tc.sub %a0, %a1 : tensor<2xui8>", {u, v}, "tensor<2xui8>"),
      {240, 254});
}

// Values from Python's // and %.
TEST_F(ElementwiseTest, Division) {
  Tensor x = integers("i64", {5}, {7, -7, 7, -7, 5}),
         y = integers("i64", {5}, {2, 2, -2, -2, 0});
  expectIntegers(
      runOp("tc.floor_div %a0, %a1 : tensor<5xi64>", {x, y}, "tensor<5xi64>"),
      {3, -4, -4, 3, 0});
  expectIntegers(
      runOp("tc.trunc_div %a0, %a1 : tensor<5xi64>", {x, y}, "tensor<5xi64>"),
      {3, -3, -3, 3, 0});
  expectIntegers(
      runOp("tc.remainder %a0, %a1 : tensor<5xi64>", {x, y}, "tensor<5xi64>"),
      {1, 1, -1, -1, 0});
  expectIntegers(
      runOp("tc.fmod %a0, %a1 : tensor<5xi64>", {x, y}, "tensor<5xi64>"),
      {1, -1, 1, -1, 0});
  Tensor a = floats("f64", {5}, {1.0, -1.0, 6.0, 1.0, -0.5}),
         b = floats("f64", {5}, {0.1, 0.1, 0.0, -kInfinity, 2.0});
  expectFloats(
      runOp("tc.floor_div %a0, %a1 : tensor<5xf64>", {a, b}, "tensor<5xf64>"),
      {9.0, -10.0, kInfinity, -1.0, -1.0});
  expectFloats(
      runOp("tc.remainder %a0, %a1 : tensor<5xf64>", {a, b}, "tensor<5xf64>"),
      {0.09999999999999995, 5.551115123125783e-17, kNaN, -kInfinity, 1.5},
      1e-16);
}

TEST_F(ElementwiseTest, ExtremesAndNaN) {
  Tensor x = floats("f32", {4}, {1, kNaN, -0.0, 3}),
         y = floats("f32", {4}, {2, 0, 0.0, kNaN});
  expectFloats(
      runOp("tc.maximum %a0, %a1 : tensor<4xf32>", {x, y}, "tensor<4xf32>"),
      {2, kNaN, 0, kNaN});
  expectFloats(
      runOp("tc.fmax %a0, %a1 : tensor<4xf32>", {x, y}, "tensor<4xf32>"),
      {2, 0, 0, 3});
  EXPECT_FALSE(std::signbit(
      runOp("tc.maximum %a0, %a1 : tensor<4xf32>", {x, y}, "tensor<4xf32>")
          .getDouble(2)));
  EXPECT_TRUE(std::signbit(
      runOp("tc.minimum %a0, %a1 : tensor<4xf32>", {x, y}, "tensor<4xf32>")
          .getDouble(2)));
  expectIntegers(
      runOp("tc.ne %a0, %a1 : tensor<4xf32>", {x, y}, "tensor<4xi1>"),
      {1, 1, 0, 1});
  expectIntegers(
      runOp("tc.le %a0, %a1 : tensor<4xf32>", {x, y}, "tensor<4xi1>"),
      {1, 0, 1, 0});
}

TEST_F(ElementwiseTest, ShiftsAndBits) {
  Tensor x = integers("i8", {5}, {1, -128, -128, 5, 5}),
         y = integers("i8", {5}, {7, 1, 100, 9, -1});
  expectIntegers(
      runOp("tc.shift_left %a0, %a1 : tensor<5xi8>", {x, y}, "tensor<5xi8>"),
      {-128, 0, 0, 0, 0});
  expectIntegers(
      runOp("tc.shift_right %a0, %a1 : tensor<5xi8>", {x, y}, "tensor<5xi8>"),
      {0, -64, -1, 0, 0});
  Tensor b = integers("i1", {2}, {0, 1});
  expectIntegers(
      runOp("tc.bitwise_not %a0 : tensor<2xi1>", {b}, "tensor<2xi1>"), {1, 0});
}

TEST_F(ElementwiseTest, IntegerPower) {
  Tensor x = integers("i64", {6}, {3, 2, -1, -1, 2, 0}),
         y = integers("i64", {6}, {4, 64, -3, -2, -1, 0});
  expectIntegers(
      runOp("tc.pow %a0, %a1 : tensor<6xi64>", {x, y}, "tensor<6xi64>"),
      {81, 0, -1, 1, 0, 1});
}

TEST_F(ElementwiseTest, Casts) {
  Tensor x = floats("f32", {5}, {1.9, -1.9, 0.0, kNaN, 300.0});
  expectIntegers(runOp("tc.cast %a0 : tensor<5xf32> to tensor<5xi64>", {x},
                       "tensor<5xi64>"),
                 {1, -1, 0, 0, 300});
  expectIntegers(
      runOp("tc.cast %a0 : tensor<5xf32> to tensor<5xi1>", {x}, "tensor<5xi1>"),
      {1, 1, 0, 1, 1});
  expectIntegers(runOp("tc.cast %a0 : tensor<5xf32> to tensor<5xui8>", {x},
                       "tensor<5xui8>"),
                 {1, 255, 0, 0, 44});
  Tensor large = integers("i64", {2}, {16777217, -1});
  expectFloats(runOp("tc.cast %a0 : tensor<2xi64> to tensor<2xf32>", {large},
                     "tensor<2xf32>"),
               {16777216, -1});
  expectIntegers(runOp("tc.cast %a0 : tensor<2xi64> to tensor<2xui8>", {large},
                       "tensor<2xui8>"),
                 {1, 255});
}

TEST_F(ElementwiseTest, SelectIgnoresTheOtherValue) {
  Tensor c = integers("i1", {2}, {1, 0}), x = floats("f32", {2}, {1, kNaN}),
         y = floats("f32", {2}, {kNaN, 2});
  expectFloats(runOp("tc.select %a0, %a1, %a2 : tensor<2xi1>, tensor<2xf32>",
                     {c, x, y}, "tensor<2xf32>"),
               {1, 2});
}

TEST_F(ElementwiseTest, ZeroSizeAndScalar) {
  EXPECT_EQ(runOp("tc.exp %a0 : tensor<2x0xf32>", {floats("f32", {2, 0}, {})},
                  "tensor<2x0xf32>")
                .getElementCount(),
            0);
  expectFloats(runOp("tc.neg %a0 : tensor<f32>", {floats("f32", {}, {2})},
                     "tensor<f32>"),
               {-2});
}

TEST(ScalarFunctionsTest, ErfinvInvertsErf) {
  for (double y :
       {0.0, 1e-10, 0.1, -0.5, 0.7, 0.71, 0.99, -0.999999, 0.999999999999})
    EXPECT_NEAR(std::erf(scalar::erfinv(y)), y, 4e-16) << y;
  EXPECT_EQ(scalar::erfinv(1.0), kInfinity);
  EXPECT_TRUE(std::isnan(scalar::erfinv(1.5)));
}

// Known-answer tests of Random123 (kat_vectors, philox4x32 10).
TEST(ScalarFunctionsTest, PhiloxKnownAnswers) {
  const uint32_t zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (uint64_t word = 0; word < 4; ++word)
    EXPECT_EQ(scalar::philoxWord(0, 0, word), zeros[word]);
}

} // namespace tc::reference
