//===- ErrorBoundsTest.cpp - Results that the random tester accepts -------===//
//
// A bound is of use when right results are inside and wrong ones are not: the
// slips that generated code makes are bigger than it, and every way of rounding
// that is allowed is smaller.
//
//===----------------------------------------------------------------------===//

#include "ErrorBoundsTest.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

namespace {

TEST_F(ErrorBoundsTest, ADroppedElementOfASumIsWrong) {
  for (Type type : {Type(builder.getF32Type()), Type(builder.getF64Type()),
                    Type(builder.getF16Type()), Type(builder.getBF16Type())}) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    std::string text =
        "func.func @main(%x: tensor<100x" + name + ">) -> tensor<" + name +
        "> {\n  %r = tc.reduce sum %x dims [0] : tensor<100x" + name +
        "> -> tensor<" + name + ">\n  return %r : tensor<" + name + ">\n}";
    Tensor x = floats(type, 100, [](int64_t i) { return std::sin(1.0 + i); });
    Bounded sum = bound(text, x)[0];
    double exact = sum.value.floats()[0];
    EXPECT_TRUE(isRight(sum, 0, reference::roundToType(exact, type))) << name;
    for (int64_t dropped : {7, 50, 99})
      EXPECT_FALSE(isRight(
          sum, 0, reference::roundToType(exact - x.floats()[dropped], type)))
          << name << ", element " << dropped;
  }
}

TEST_F(ErrorBoundsTest, AnotherLaneIsWrong) {
  Tensor x = floats(builder.getBF16Type(), {4, 8},
                    [](int64_t i) { return std::cos(double(i)); });
  Bounded rows = bound(R"(
    func.func @main(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
      %s = tc.softmax %x dim 1 : tensor<4x8xbf16>
      %r = tc.layer_norm %s rank 2 eps 1.0e-5 : tensor<4x8xbf16>
      return %r : tensor<4x8xbf16>
    })",
                       x)[0];
  for (int64_t at = 0; at + 1 < 32; ++at) {
    double own = rows.value.floats()[at], next = rows.value.floats()[at + 1];
    EXPECT_TRUE(
        isRight(rows, at, reference::roundToType(own, builder.getBF16Type())));
    if (std::fabs(own - next) > 0.1)
      EXPECT_FALSE(isRight(rows, at, next)) << at;
  }
}

TEST_F(ErrorBoundsTest, WhatIsMovedIsTheSameToTheBit) {
  Tensor x = floats(builder.getF32Type(), {2, 2},
                    [](int64_t i) { return i == 1 ? -0.0 : 0.1 * double(i); });
  Bounded moved = bound(R"(
    func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %n = tc.transpose %x [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
      %r = tc.neg %n : tensor<2x2xf32>
      return %r : tensor<2x2xf32>
    })",
                        x)[0];
  EXPECT_TRUE(isRight(moved, 2, 0.0));
  EXPECT_FALSE(isRight(moved, 2, -0.0));
  EXPECT_FALSE(isRight(moved, 1, std::nextafter(-0.2f, 0.0f)));
}

TEST_F(ErrorBoundsTest, RoundingDecidesNothing) {
  // 3 * (1 / 3) is 1 or just below: its floor may be either, and so may what is
  // computed from it; other elements are known.
  Tensor x = floats(builder.getF32Type(), 2,
                    [](int64_t i) { return i == 0 ? 3.0 : 2.5; });
  auto results = bound(R"(
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>, tensor<i64>) {
      %i = tc.reciprocal %x : tensor<2xf32>
      %p = tc.mul %x, %i : tensor<2xf32>
      %h = tc.mul %p, %x : tensor<2xf32>
      %f = tc.floor %h : tensor<2xf32>
      %c = tc.lt %h, %x : tensor<2xf32>
      %a = tc.arg_reduce argmax %h dim 0 : tensor<2xf32> -> tensor<i64>
      return %f, %c, %a : tensor<2xf32>, tensor<2xi1>, tensor<i64>
    })",
                       x);
  EXPECT_TRUE(isRight(results[0], 0, 2));
  EXPECT_TRUE(isRight(results[0], 0, 3));
  EXPECT_FALSE(isRight(results[0], 0, 1));
  EXPECT_FALSE(isRight(results[0], 1, 3));
  EXPECT_TRUE(std::isinf(results[1].error[0]));
  EXPECT_EQ(results[2].error[0], 0);
}

// A number rounded to zero has the sign of its operand, which may be either.
TEST_F(ErrorBoundsTest, SignOfARoundedZero) {
  Bounded near = boundOfSums("tc.round", {{0.25, -0.25}});
  EXPECT_TRUE(isRight(near, 0, 0.0));
  EXPECT_TRUE(isRight(near, 0, -0.0));
  EXPECT_FALSE(isRight(near, 0, 1.0));
  Bounded far = boundOfSums("tc.round", {{0.25, 0.125}});
  EXPECT_TRUE(isRight(far, 0, 0.0));
  EXPECT_FALSE(isRight(far, 0, -0.0));
}

// The cosine of 1e-4 is a little below 1, and 1 when it is rounded to bf16.
TEST_F(ErrorBoundsTest, WhatIsWithinTheBoundMayBeEqual) {
  for (const char *op : {"tc.eq", "tc.ne"}) {
    auto compared = [&](double y) {
      return bound(
          std::string("func.func @main(%x: tensor<1xbf16>, %y: "
                      "tensor<1xbf16>) -> tensor<1xi1> {\n"
                      "  %c = tc.cos %x : tensor<1xbf16>\n  %r = ") +
              op +
              " %c, %y : tensor<1xbf16>\n"
              "  return %r : tensor<1xi1>\n}",
          {floats(builder.getBF16Type(), 1, [](int64_t) { return 0x1p-13; }),
           floats(builder.getBF16Type(), 1, [&](int64_t) { return y; })})[0];
    };
    EXPECT_TRUE(isUnknown(compared(1))) << op;
    EXPECT_FALSE(isUnknown(compared(0.96875))) << op;
    EXPECT_FALSE(isUnknown(compared(1.03125))) << op;
  }
}

TEST_F(ErrorBoundsTest, WhereATypeHasNoInfinityItIsNaN) {
  Tensor x = floats(builder.getF32Type(), 2,
                    [](int64_t i) { return i == 0 ? -HUGE_VAL : 1.0; });
  auto results = bound(R"(
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf8E4M3FN>, tensor<2xf8E5M2>) {
      %n = tc.cast %x : tensor<2xf32> to tensor<2xf8E4M3FN>
      %i = tc.cast %x : tensor<2xf32> to tensor<2xf8E5M2>
      return %n, %i : tensor<2xf8E4M3FN>, tensor<2xf8E5M2>
    })",
                       x);
  EXPECT_TRUE(isRight(results[0], 0, std::nan("")));
  EXPECT_FALSE(isRight(results[0], 1, std::nan("")));
  EXPECT_FALSE(isRight(results[1], 0, std::nan("")));
  EXPECT_TRUE(isRight(results[1], 0, -HUGE_VAL));
}

TEST_F(ErrorBoundsTest, CancellationWidensTheBound) {
  Tensor x = floats(builder.getF32Type(), 1, [](int64_t) { return 1000.1; });
  Bounded rest = bound(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %e = tc.log %x : tensor<1xf32>
      %y = tc.exp %e : tensor<1xf32>
      %r = tc.sub %y, %x : tensor<1xf32>
      return %r : tensor<1xf32>
    })",
                       x)[0];
  EXPECT_TRUE(isRight(rest, 0, 1e-3));
  EXPECT_FALSE(isRight(rest, 0, 0.1));
}

// A sum is right to a few of its roundings: that of 1e4 and -1e4 may be above
// or below 0.
TEST_F(ErrorBoundsTest, APoleWithinTheBoundIsAnyNumber) {
  std::pair<double, double> zero(1e4, -1e4), three(3, 0);
  for (const char *op : {"tc.reciprocal", "tc.log", "tc.lgamma"}) {
    EXPECT_TRUE(isUnknown(boundOfSums(op, zero))) << op;
    EXPECT_FALSE(isUnknown(boundOfSums(op, three))) << op;
  }
  for (const char *op :
       {"tc.div", "tc.floor_div", "tc.trunc_div", "tc.fmod", "tc.remainder"}) {
    EXPECT_TRUE(isUnknown(boundOfSums(op, {three, zero}))) << op;
    EXPECT_FALSE(isUnknown(boundOfSums(op, {zero, three}))) << op;
  }
  EXPECT_TRUE(isUnknown(boundOfSums("tc.lgamma", {{-1e4, 9998}})));
  EXPECT_FALSE(isUnknown(boundOfSums("tc.lgamma", {{-1e4, 9998.5}})));
  // Where the tangent is off by more than half a period, and at 7850.5 pi.
  EXPECT_TRUE(isUnknown(boundOfSums("tc.tan", {{1e8, 0.5}})));
  EXPECT_TRUE(isUnknown(boundOfSums("tc.tan", {{24000, 663.0731}})));
  EXPECT_FALSE(isUnknown(boundOfSums("tc.tan", {{24000, 661.5}})));
  // A negative number has powers of integers alone.
  EXPECT_TRUE(isUnknown(boundOfSums("tc.pow", {{-1.25, 0}, {1e4, -9999}})));
  EXPECT_FALSE(isUnknown(boundOfSums("tc.pow", {{-1.25, 0}, {1e4, -9998.5}})));
  EXPECT_FALSE(isUnknown(boundOfSums("tc.pow", {{1.25, 0}, {1e4, -9999}})));
}

TEST_F(ErrorBoundsTest, OverManyPeriodsASineIsAnyOfItsValues) {
  Bounded sine = boundOfSums("tc.sin", {{1e9, 0.5}});
  EXPECT_TRUE(isRight(sine, 0, -1));
  EXPECT_TRUE(isRight(sine, 0, 1));
  EXPECT_FALSE(isRight(sine, 0, 3.1));
}

TEST_F(ErrorBoundsTest, AQuotientIsRoundedBeforeItsFractionIsCut) {
  auto quotient = [&](const char *op, double x, double y) {
    return bound(
        std::string("func.func @main(%x: tensor<1xf32>, %y: "
                    "tensor<1xf32>) -> tensor<1xf32> {\n  %r = ") +
            op +
            " %x, %y : tensor<1xf32>\n  return %r : "
            "tensor<1xf32>\n}",
        {floats(builder.getF32Type(), 1, [&](int64_t) { return x; }),
         floats(builder.getF32Type(), 1, [&](int64_t) { return y; })})[0];
  };
  // In f32 the second is 74127 times 0.99999999.
  double y = 1.1f, below = std::nextafter(float(74127 * y), 0.0f);
  ASSERT_LT(below / y, 74127);
  Bounded cut = quotient("tc.trunc_div", below, y);
  EXPECT_TRUE(isRight(cut, 0, 74126));
  EXPECT_TRUE(isRight(cut, 0, 74127));
  EXPECT_FALSE(isRight(cut, 0, 74124));
  // The remainder is exact.
  EXPECT_FALSE(isRight(quotient("tc.floor_div", below, y), 0, 74127));
  EXPECT_FALSE(isRight(quotient("tc.trunc_div", 74126.5 * y, y), 0, 74127));
}

TEST_F(ErrorBoundsTest, AFactorBelowNormalNumbersIsRoundedToThem) {
  Tensor x = floats(builder.getF64Type(), 1, [](int64_t) { return -37.7; });
  Bounded tail = bound(R"(
    func.func @main(%x: tensor<1xf64>) -> tensor<1xf64> {
      %r = tc.gelu %x : tensor<1xf64>
      return %r : tensor<1xf64>
    })",
                       x)[0];
  double value = tail.value.floats()[0];
  ASSERT_LT(value, 0);
  ASSERT_GT(value, -0x1p-1022);
  EXPECT_TRUE(isRight(tail, 0, value + 40 * 0x1p-1074));
  EXPECT_FALSE(isRight(tail, 0, value + 0x1p-1060));
  // The interpreter divides by the exponential, which is infinite here.
  auto divided = [&](StringRef op) {
    return bound(
        "func.func @main(%x: tensor<1xf64>) -> tensor<1xf64> {\n  %r = " +
            op.str() + " %x : tensor<1xf64>\n  return %r : tensor<1xf64>\n}",
        floats(builder.getF64Type(), 1, [](int64_t) { return -720.0; }))[0];
  };
  EXPECT_TRUE(isRight(divided("tc.silu"), 0, -720 * std::exp(-720)));
  EXPECT_FALSE(isRight(divided("tc.silu"), 0, -0x1p-1000));
  EXPECT_TRUE(isRight(divided("tc.sigmoid"), 0, std::exp(-720)));
  EXPECT_FALSE(isRight(divided("tc.sigmoid"), 0, 0x1p-1020));
}

TEST_F(ErrorBoundsTest, ScoresAreOffInOppositeDirections) {
  // The two largest scores of a row, computed with an error of about 1e-3.
  Tensor x = floats(builder.getF32Type(), {1, 3}, [](int64_t i) {
    return i == 2 ? 9950.0 : 10000.0 + 0.5 * double(i);
  });
  Bounded weights = bound(R"(
    func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
      %e = tc.mul %x, %x : tensor<1x3xf32>
      %y = tc.div %e, %x : tensor<1x3xf32>
      %r = tc.softmax %y dim 1 : tensor<1x3xf32>
      return %r : tensor<1x3xf32>
    })",
                          x)[0];
  double value = weights.value.floats()[0];
  EXPECT_NEAR(value, 0.3775, 1e-4);
  EXPECT_TRUE(isRight(weights, 0, value * (1 + 1e-3)));
  EXPECT_TRUE(isRight(weights, 0, value * (1 - 1e-3)));
  EXPECT_FALSE(isRight(weights, 0, value * (1 + 5e-2)));
  EXPECT_FALSE(isRight(weights, 2, 1e-3));
}

TEST_F(ErrorBoundsTest, PairsOfBF16LoseWhatIsBelowNormalNumbers) {
  Tensor x = floats(builder.getBF16Type(), {1, 2},
                    [](int64_t i) { return i ? 1.0 : HUGE_VAL; });
  auto multiply = [&](double weight) {
    return bound(R"(
    func.func @main(%x: tensor<1x2xbf16>, %w: tensor<2x1xbf16>) -> tensor<1x1xbf16> {
      %r = tc.contract "ik,kj->ij" %x, %w : tensor<1x2xbf16>, tensor<2x1xbf16> -> tensor<1x1xbf16>
      return %r : tensor<1x1xbf16>
    })",
                 {x, floats(builder.getBF16Type(), {2, 1},
                            [&](int64_t) { return weight; })})[0];
  };
  EXPECT_TRUE(isUnknown(multiply(0x1p-130)));
  EXPECT_FALSE(isUnknown(multiply(0x1p-120)));
}

// A window of 200 elements, of which 127 do not change a sum of 2^24 when they
// are added one by one.
TEST_F(ErrorBoundsTest, AWindowIsASumOfItsElements) {
  Tensor x = floats(builder.getF32Type(), {1, 1, 400}, [](int64_t i) {
    return i % 200 == 0 ? 0x1p24 : i % 200 < 128 ? 1.0 : 0.0;
  });
  Bounded mean = bound(R"(
    func.func @main(%x: tensor<1x1x400xf32>) -> tensor<1x1x2xf32> {
      %r = tc.adaptive_avg_pool %x : tensor<1x1x400xf32> -> tensor<1x1x2xf32>
      return %r : tensor<1x1x2xf32>
    })",
                       x)[0];
  EXPECT_TRUE(isRight(mean, 0, 0x1p24 / 200));
  EXPECT_TRUE(isRight(mean, 1, (0x1p24 + 127) / 200));
  EXPECT_FALSE(isRight(mean, 0, 0x1p24 / 199));
}

// 1 / 1e-40 is infinite in f32, 1 / 1e-38 is not, and 0 / 1e-40 is 0.
TEST_F(ErrorBoundsTest, ADivisionBySmallNumbersMayOverflow) {
  EXPECT_TRUE(isUnknown(boundOfSums("tc.div", {{1, 0}, {1e-40, 0}})));
  Bounded large = boundOfSums("tc.div", {{1, 0}, {1e-38, 0}});
  EXPECT_FALSE(isUnknown(large));
  EXPECT_FALSE(isRight(large, 0, HUGE_VAL));
  Bounded zero = boundOfSums("tc.div", {{0, 0}, {1e-38, 0}});
  EXPECT_TRUE(isRight(zero, 0, 0));
  EXPECT_FALSE(isRight(zero, 0, std::nan("")));
  // The divisor is right to a few units of 1e-45, which is the smallest number.
  EXPECT_TRUE(isUnknown(boundOfSums("tc.div", {{1e-30, 0}, {1e-45, 0}})));
}

// The second factor is an argument or the sum of two, about 1e-45 or 0.
TEST_F(ErrorBoundsTest, AContractionOfInfinitiesKnowsZeros) {
  auto multiply = [&](bool isComputed, double number) {
    std::string factor = isComputed ? "%s" : "%y";
    return bound("func.func @main(%x: tensor<1x2xf32>, %y: tensor<2x1xf32>) -> "
                 "tensor<1x1xf32> {\n"
                 "  %s = tc.add %y, %y : tensor<2x1xf32>\n"
                 "  %r = tc.contract \"ik,kj->ij\" %x, " +
                     factor +
                     " : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>\n"
                     "  return %r : tensor<1x1xf32>\n}",
                 {floats(builder.getF32Type(), {1, 2},
                         [](int64_t i) { return i ? 1.0 : HUGE_VAL; }),
                  floats(builder.getF32Type(), {2, 1},
                         [&](int64_t i) { return i ? 1.0 : number; })})[0];
  };
  EXPECT_TRUE(isRight(multiply(false, 0x1p-149), 0, HUGE_VAL));
  EXPECT_FALSE(isRight(multiply(false, 0x1p-149), 0, std::nan("")));
  EXPECT_TRUE(isRight(multiply(false, 0), 0, std::nan("")));
  EXPECT_FALSE(isRight(multiply(false, 0), 0, 1));
  EXPECT_TRUE(isUnknown(multiply(true, 0x1p-149)));
}

// exp(-90) may be computed as 0, and 0 times infinity is NaN.
TEST_F(ErrorBoundsTest, AWeightThatMayBeZeroTimesInfinityIsAnyNumber) {
  auto weigh = [&](double second) {
    auto pair = [&](double first, double last) {
      return floats(builder.getF32Type(), 2,
                    [=](int64_t i) { return i ? last : first; });
    };
    return bound(R"(
    func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %s = tc.softmax %x dim 0 : tensor<2xf32>
      %r = tc.mul %s, %y : tensor<2xf32>
      return %r : tensor<2xf32>
    })",
                 {pair(0, second), pair(2, HUGE_VAL)})[0];
  };
  EXPECT_TRUE(isRight(weigh(-90), 1, std::nan("")));
  EXPECT_FALSE(isRight(weigh(-60), 1, std::nan("")));
  EXPECT_TRUE(isRight(weigh(-60), 1, HUGE_VAL));
  // A weight of minus infinity is 0.
  EXPECT_TRUE(isRight(weigh(-HUGE_VAL), 1, std::nan("")));
  EXPECT_TRUE(isRight(weigh(-HUGE_VAL), 0, 2));
  EXPECT_FALSE(isRight(weigh(-HUGE_VAL), 0, 2.01));
}

// In f64 the first weight is just below 1, in f32 it is 1: trunc gives 0 or 1,
// and the gelu of 1 is rounded to f32.
TEST_F(ErrorBoundsTest, AStepDecidesWhatIsRounded) {
  Bounded result = bound(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %s = tc.softmax %x dim 0 : tensor<2xf32>
      %t = tc.trunc %s : tensor<2xf32>
      %r = tc.gelu_tanh %t : tensor<2xf32>
      return %r : tensor<2xf32>
    })",
                         floats(builder.getF32Type(), 2,
                                [](int64_t i) { return i ? -30.0 : 0.0; }))[0];
  EXPECT_TRUE(isRight(result, 0, 0));
  EXPECT_TRUE(isRight(result, 0, 0.841192007f));
  EXPECT_FALSE(isRight(result, 0, 0.85));
  EXPECT_FALSE(isRight(result, 1, 0.1));
}

} // namespace
