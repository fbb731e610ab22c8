//===- AttentionBoundsTest.cpp - Which results of attention are right -----===//

#include "ErrorBoundsTest.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

namespace {

class AttentionBoundsTest : public ErrorBoundsTest {
protected:
  /// One query of one element, two keys, values of two elements.
  Bounded attend(Type type, double query, ArrayRef<double> keys,
                 ArrayRef<double> values) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    auto tensor = [&](StringRef sizes) {
      return ("tensor<" + sizes + "x" + name + ">").str();
    };
    std::string q = tensor("1x1"), k = tensor("2x1"), v = tensor("2x2"),
                result = tensor("1x2");
    auto make = [&](ArrayRef<int64_t> sizes, ArrayRef<double> elements) {
      return floats(type, sizes, [=](int64_t i) { return elements[i]; });
    };
    return bound(
        "func.func @main(%q: " + q + ", %k: " + k + ", %v: " + v + ") -> " +
            result + " {\n  %r = tc.attention %q, %k, %v scale 1.0 : " + q +
            ", " + k + ", " + v + " -> " + result +
            "\n  return %r : " + result + "\n}",
        {make({1, 1}, query), make({2, 1}, keys), make({2, 2}, values)})[0];
  }
};

// exp(-90) is 2^-130: in f32 it may be 0, and 0 times infinity is NaN.
TEST_F(AttentionBoundsTest, AWeightThatMayBeZeroTimesInfinityIsAnyNumber) {
  double values[] = {1, 2, HUGE_VAL, 3};
  Bounded tiny = attend(builder.getF32Type(), 1, {0, -90}, values);
  EXPECT_EQ(tiny.value.floats()[0], HUGE_VAL);
  EXPECT_TRUE(isRight(tiny, 0, std::nan("")));
  EXPECT_TRUE(isRight(tiny, 1, 2));
  EXPECT_FALSE(isRight(tiny, 1, 3));
  Bounded small = attend(builder.getF32Type(), 1, {0, -60}, values);
  EXPECT_EQ(small.value.floats()[0], HUGE_VAL);
  EXPECT_FALSE(isRight(small, 0, std::nan("")));
  EXPECT_FALSE(isUnknown(attend(builder.getF64Type(), 1, {0, -90}, values)));
  // Times a large number it is lost without a trace.
  Bounded large = attend(builder.getF32Type(), 1, {0, -89}, {1, 2, 3e38, 3});
  EXPECT_TRUE(isRight(large, 0, 1));
  EXPECT_FALSE(isUnknown(large));
}

// Scores of minus infinity have weights of 0, those of NaN make all NaN.
TEST_F(AttentionBoundsTest, PairsOfBF16LoseWhatIsBelowNormalNumbers) {
  double values[] = {1, 2, 3, 4};
  auto attendTo = [&](Type type, double key) {
    return attend(type, HUGE_VAL, {-key, -HUGE_VAL}, values);
  };
  // Both scores are minus infinity: what is not kept counts as 0.
  EXPECT_TRUE(isUnknown(attendTo(builder.getBF16Type(), 0x1p-130)));
  EXPECT_FALSE(isUnknown(attendTo(builder.getBF16Type(), 0x1p-120)));
  EXPECT_FALSE(isUnknown(attendTo(builder.getF32Type(), 0x1p-130)));
}

// Scaled before they are summed up, products need not overflow.
TEST_F(AttentionBoundsTest, ScoresThatOverflowAreAnyNumbers) {
  for (auto [query, key] : {std::pair(1.5e308, 1.5e308), {1.5e308, 1.5}})
    EXPECT_TRUE(
        isUnknown(attend(builder.getF64Type(), query, {key, 1}, {1, 2, 3, 4})));
}

// Queries, keys and values are the same tensor, each off on its own.
TEST_F(AttentionBoundsTest, OneValueMayBeAllOperands) {
  Tensor x = floats(builder.getF32Type(), {2, 2},
                    [](int64_t i) { return 0.5 * double(i); });
  auto results = bound(R"(
    func.func @main(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
      %a = tc.attention %x, %x, %x scale 1.0 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
      %e = tc.exp %x : tensor<2x2xf32>
      %c = tc.contract "ik,jk->ij" %e, %e : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
      return %a, %c : tensor<2x2xf32>, tensor<2x2xf32>
    })",
                       x);
  for (const Bounded &result : results)
    for (int64_t i = 0; i < 4; ++i) {
      double value = result.value.floats()[i];
      EXPECT_TRUE(isRight(result, i, value * (1 + 0x1p-20))) << i;
      EXPECT_FALSE(isRight(result, i, value * (1 + 1e-4))) << i;
    }
}

/// The log-sum-exp of an attention whose operands are one tensor, and
/// gradients.
constexpr const char *kGradients = R"(
    func.func @main(%x: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
      %a, %l = tc.attention %x, %x, %x scale 1.0 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>, tensor<2xf32>
      %p = tc.reduce sum %a dims [1] : tensor<2x2xf32> -> tensor<2xf32>
      %g:3 = tc.attention_backward %x, %x, %x, %x, %l, %p scale 1.0 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<2x2xf32>
      return %l, %g#0, %g#1, %g#2 : tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
    })";

TEST_F(AttentionBoundsTest, LogSumExpAndGradientsAreKnownToAFewUnits) {
  auto results =
      bound(kGradients, floats(builder.getF32Type(), {2, 2},
                               [](int64_t i) { return 0.5 * double(i + 1); }));
  ASSERT_EQ(results.size(), 4u);
  for (const Bounded &result : results)
    for (int64_t i = 0; i < result.value.getElementCount(); ++i) {
      double value = result.value.floats()[i];
      SCOPED_TRACE(testing::Message()
                   << value << " within " << result.error[i]);
      EXPECT_TRUE(isRight(result, i, value * (1 + 0x1p-23))) << i;
      EXPECT_FALSE(isRight(result, i, value * (1 + 1e-3))) << i;
    }
}

// 1e30 squared is more than f32 holds.
TEST_F(AttentionBoundsTest, GradientsOfScoresThatOverflowAreAnyNumbers) {
  for (const Bounded &result :
       bound(kGradients, floats(builder.getF32Type(), {2, 2},
                                [](int64_t i) { return 1e30 + double(i); })))
    EXPECT_TRUE(isUnknown(result));
}

} // namespace
