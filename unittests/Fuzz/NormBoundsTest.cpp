//===- NormBoundsTest.cpp - Which results of norms are right --------------===//
//
// Norms and variances computed in f32, in several orders, are within their
// bounds; those of a dropped or another element do not.
//
//===----------------------------------------------------------------------===//

#include "ErrorBoundsTest.h"
#include <random>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

namespace {

/// How a sum is ordered, and a sum of squared deviations found.
enum class Order { Forward, Lanes, Welford };

/// Mean, and mean square of deviations from it, of numbers in f32.
std::pair<float, float> getStatistics(ArrayRef<float> x, Order order) {
  if (order == Order::Welford) {
    float mean = 0, squares = 0, count = 0;
    for (float value : x) {
      count += 1;
      float difference = value - mean;
      mean += difference / count;
      squares += difference * (value - mean);
    }
    return {mean, squares / count};
  }
  auto sum = [&](function_ref<float(float)> term) {
    size_t lanes = order == Order::Lanes ? 4 : 1;
    SmallVector<float> sums(lanes, 0.0f);
    for (size_t i = 0; i < x.size(); ++i)
      sums[i % lanes] += term(x[i]);
    float total = 0;
    for (float lane : sums)
      total += lane;
    return total;
  };
  float mean = sum([](float v) { return v; }) / float(x.size());
  float squares = sum([&](float v) { return (v - mean) * (v - mean); });
  return {mean, squares / float(x.size())};
}

class NormBoundsTest : public ErrorBoundsTest {
protected:
  /// `op` on operands of f32 vectors of the same length.
  Bounded boundOfVectors(StringRef op, StringRef attributes,
                         ArrayRef<std::vector<float>> operands) {
    std::string type = "tensor<" + std::to_string(operands[0].size()) + "xf32>";
    static constexpr const char *names[] = {"", " weight ", " bias "};
    std::string parameters, uses;
    std::vector<Tensor> arguments;
    for (auto [index, operand] : llvm::enumerate(operands)) {
      std::string name = "%a" + std::to_string(index);
      parameters += (index ? ", " : "") + name + ": " + type;
      uses += names[index] + name + (index ? " : " + type : "");
      arguments.push_back(floats(builder.getF32Type(), operand.size(),
                                 [&](int64_t i) { return operand[i]; }));
    }
    return bound("func.func @main(" + parameters + ") -> " + type +
                     " {\n  %r = " + op.str() + " " + uses + " " +
                     attributes.str() + " : " + type +
                     "\n  return %r : " + type + "\n}",
                 arguments)[0];
  }

  std::vector<float> draw(size_t count, float center, float width) {
    std::uniform_real_distribution<float> distribution(center - width,
                                                       center + width);
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(distribution(engine));
    return values;
  }

  std::mt19937 engine{7};
};

// From rows around 0 to rows whose mean is 1e5 times their deviation.
TEST_F(NormBoundsTest, EveryOrderOfALayerNormIsRight) {
  for (size_t count : {1, 2, 3, 17, 130})
    for (float center : {0.0f, 1.0f, -30.0f, 1e3f})
      for (float width : {0.0f, 0.01f, 1.0f, 1e4f}) {
        auto x = draw(count, center, width), weight = draw(count, 1, 1),
             bias = draw(count, 0, 2);
        Bounded norm = boundOfVectors("tc.layer_norm", "rank 1 eps 1.0e-5",
                                      {x, weight, bias});
        for (Order order : {Order::Forward, Order::Lanes, Order::Welford}) {
          auto [mean, variance] = getStatistics(x, order);
          float scale = 1 / std::sqrt(variance + 1e-5f);
          for (size_t i = 0; i < count; ++i)
            EXPECT_TRUE(
                isRight(norm, i, (x[i] - mean) * scale * weight[i] + bias[i]))
                << count << " numbers around " << center << " +- " << width
                << ", order " << int(order) << ", element " << i;
        }
      }
}

TEST_F(NormBoundsTest, EveryOrderOfAVarianceIsRight) {
  for (size_t count : {1, 2, 3, 17, 130})
    for (float center : {0.0f, 1.0f, 1e3f})
      for (float width : {0.01f, 1.0f, 1e4f}) {
        auto x = draw(count, center, width);
        std::string size = std::to_string(count);
        Bounded variance = bound(
            "func.func @main(%x: tensor<" + size +
                "xf32>) -> tensor<f32> {\n  %r = tc.variance %x dims [0] "
                "correction 0.0 : tensor<" +
                size + "xf32> -> tensor<f32>\n  return %r : tensor<f32>\n}",
            floats(builder.getF32Type(), count,
                   [&](int64_t i) { return x[i]; }))[0];
        for (Order order : {Order::Forward, Order::Lanes, Order::Welford})
          EXPECT_TRUE(isRight(variance, 0, getStatistics(x, order).second))
              << count << " numbers around " << center << " +- " << width
              << ", order " << int(order);
      }
}

// A statistic that leaves one element out, counts one too many, or has another
// eps; a weight of another element.
TEST_F(NormBoundsTest, SlipsOfANormAreWrong) {
  auto x = draw(40, 0.5f, 1), weight = draw(40, 2, 1);
  Bounded layer =
      boundOfVectors("tc.layer_norm", "rank 1 eps 1.0e-2", {x, weight});
  Bounded rms = boundOfVectors("tc.rms_norm", "rank 1 eps 1.0e-2", {x, weight});
  auto normalize = [&](ArrayRef<float> of, double extra, double eps, size_t at,
                       size_t weightAt) {
    auto [mean, variance] = getStatistics(of, Order::Forward);
    double squares = variance * double(of.size()) / (double(of.size()) + extra);
    return (x[at] - mean) / std::sqrt(squares + eps) * weight[weightAt];
  };
  ArrayRef<float> all(x), fewer = all.drop_back();
  for (size_t i = 0; i < 39; ++i) {
    EXPECT_TRUE(isRight(layer, i, normalize(all, 0, 1e-2, i, i)));
    EXPECT_FALSE(isRight(layer, i, normalize(fewer, 0, 1e-2, i, i)));
    EXPECT_FALSE(isRight(layer, i, normalize(all, -1, 1e-2, i, i)));
    EXPECT_FALSE(isRight(layer, i, normalize(all, 0, 1e-5, i, i)));
    EXPECT_FALSE(isRight(layer, i, normalize(all, 0, 1e-2, i, i + 1)));
    double value = rms.value.floats()[i];
    EXPECT_TRUE(isRight(rms, i, float(value)));
    EXPECT_FALSE(isRight(rms, i, value * std::sqrt(39.0 / 40)));
  }
}

// Of two numbers one is normalised to -1, but for what eps makes of it. The
// same value is the weight and the bias, each of which is rounded on its own.
TEST_F(NormBoundsTest, ABiasMayCancelTheResult) {
  auto pair = [&](double first, double second) {
    return floats(builder.getF32Type(), 2,
                  [=](int64_t i) { return i ? second : first; });
  };
  Bounded rest = bound(R"(
    func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
      %e = tc.exp %w : tensor<2xf32>
      %r = tc.layer_norm %x weight %e : tensor<2xf32> bias %e : tensor<2xf32> rank 1 eps 1.0e-5 : tensor<2xf32>
      return %r : tensor<2xf32>
    })",
                       {pair(3000, 500), pair(0, -1)})[0];
  ASSERT_GT(rest.value.floats()[1], 0);
  ASSERT_LT(rest.value.floats()[1], 1e-11);
  EXPECT_TRUE(isRight(rest, 1, 0));
  EXPECT_TRUE(isRight(rest, 1, -0x1p-24));
  EXPECT_FALSE(isRight(rest, 1, 1e-4));
  EXPECT_FALSE(isRight(rest, 0, 2 + 1e-4));
}

// 1e-45 / 30 is 0 in f32, and 0 times infinity NaN.
TEST_F(NormBoundsTest, WhatMayRoundToZeroTimesInfinityIsAnyNumber) {
  float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> tiny{60, -1e-45f, 2}, few{60, -1e-30f, 2},
      weight{1, infinity, 1};
  for (bool isTiny : {true, false}) {
    Bounded norm = boundOfVectors("tc.rms_norm", "rank 1 eps 1.0e-2",
                                  {isTiny ? tiny : few, weight});
    EXPECT_EQ(norm.value.floats()[1], -HUGE_VAL);
    EXPECT_EQ(isRight(norm, 1, std::nan("")), isTiny);
    EXPECT_TRUE(isRight(norm, 1, -HUGE_VAL));
    EXPECT_FALSE(isRight(norm, 0, std::nan("")));
    EXPECT_FALSE(isRight(norm, 2, std::nan("")));
  }
  // An element that is equal to the mean, and one that is far from it.
  Bounded layer = boundOfVectors("tc.layer_norm", "rank 1 eps 1.0e-2",
                                 {{1, 2, 3}, {infinity, infinity, 1}});
  EXPECT_FALSE(isRight(layer, 0, std::nan("")));
  EXPECT_TRUE(isRight(layer, 1, std::nan("")));
  EXPECT_TRUE(isRight(layer, 1, -HUGE_VAL));
  EXPECT_FALSE(isRight(layer, 2, std::nan("")));
}

TEST_F(NormBoundsTest, ABatchNormKnowsItsChannels) {
  auto batchNorm = [&](ArrayRef<double> variance, ArrayRef<double> weight) {
    auto channels = [&](ArrayRef<double> values) {
      return floats(builder.getF32Type(), 2,
                    [=](int64_t i) { return values[i]; });
    };
    return bound(R"(
    func.func @main(%x: tensor<1x2x2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<1x2x2xf32> {
      %r = tc.batch_norm %x mean %m variance %v weight %w : tensor<2xf32> eps 0.0 : tensor<1x2x2xf32>, tensor<2xf32>, tensor<2xf32>
      return %r : tensor<1x2x2xf32>
    })",
                 {floats(builder.getF32Type(), {1, 2, 2},
                         [](int64_t i) { return 1.5 * double(i); }),
                  channels({0, 0}), channels(variance), channels(weight)})[0];
  };
  // The quotient of the second channel is 1e-50, which f32 has as 0.
  Bounded norm = batchNorm({4, 1e20}, {1, 1e-40});
  EXPECT_FALSE(norm.hasUnknown());
  EXPECT_TRUE(isRight(norm, 1, 0.75));
  EXPECT_FALSE(isRight(norm, 1, 1.5));
  EXPECT_TRUE(isRight(norm, 3, 0));
  EXPECT_FALSE(isRight(norm, 3, 1e-40));
  // By a root of 0 it is infinite, and 0 times that is NaN.
  norm = batchNorm({0, 1}, {1, 1});
  EXPECT_TRUE(isRight(norm, 0, std::nan("")));
  EXPECT_TRUE(isRight(norm, 2, 3));
  EXPECT_FALSE(norm.hasUnknown());
  // A variance below 0 has no root.
  norm = batchNorm({1, -1}, {1, 1});
  EXPECT_TRUE(isRight(norm, 3, std::nan("")));
  EXPECT_FALSE(norm.hasUnknown());
}

TEST_F(NormBoundsTest, AGroupNormKnowsItsChannels) {
  Tensor x = floats(builder.getF32Type(), {2, 4, 3},
                    [](int64_t i) { return std::sin(double(i)); });
  Tensor weight = floats(builder.getF32Type(), 4,
                         [](int64_t i) { return i == 2 ? HUGE_VAL : 1.0; });
  Bounded norm = bound(R"(
    func.func @main(%x: tensor<2x4x3xf32>, %w: tensor<4xf32>) -> tensor<2x4x3xf32> {
      %r = tc.group_norm %x weight %w : tensor<4xf32> groups 2 eps 1.0e-5 : tensor<2x4x3xf32>
      return %r : tensor<2x4x3xf32>
    })",
                       {x, weight})[0];
  EXPECT_FALSE(norm.hasUnknown());
  for (int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(std::isinf(norm.value.floats()[i]), i / 3 % 4 == 2) << i;
  double value = norm.value.floats()[4];
  EXPECT_TRUE(isRight(norm, 4, float(value)));
  EXPECT_FALSE(isRight(norm, 4, value + 1e-4));
}

// The square of 1e20 is infinite in f32; that of 1e18 is not.
TEST_F(NormBoundsTest, WhatOverflowsInTheTypeOfArithmeticIsAnyNumber) {
  EXPECT_TRUE(isUnknown(
      boundOfVectors("tc.rms_norm", "rank 1 eps 1.0e-2", {{1e20f, 1}})));
  EXPECT_FALSE(isUnknown(
      boundOfVectors("tc.rms_norm", "rank 1 eps 1.0e-2", {{1e18f, 1}})));
  EXPECT_TRUE(isUnknown(boundOfVectors("tc.layer_norm", "rank 1 eps 1.0e-2",
                                       {{3e38f, 3e38f, 1}})));
}

// 0 / 0 of one number, 0.5 / 0 and 0 / 1 of two.
TEST_F(NormBoundsTest, AVarianceOfFewNumbersDividesByZero) {
  auto variance = [&](ArrayRef<double> values, StringRef correction) {
    std::string type = "tensor<" + std::to_string(values.size()) + "xf32>";
    return bound("func.func @main(%x: " + type +
                     ") -> tensor<f32> {\n  %r = tc.variance %x dims [0] "
                     "correction " +
                     correction.str() + " : " + type +
                     " -> tensor<f32>\n  return %r : tensor<f32>\n}",
                 floats(builder.getF32Type(), values.size(),
                        [=](int64_t i) { return values[i]; }))[0];
  };
  EXPECT_FALSE(isRight(variance(7, "1.0"), 0, 0));
  EXPECT_TRUE(isRight(variance(7, "1.0"), 0, std::nan("")));
  EXPECT_FALSE(isRight(variance({1, 2}, "2.0"), 0, std::nan("")));
  EXPECT_TRUE(isRight(variance({1, 2}, "3.0"), 0, HUGE_VAL));
  EXPECT_FALSE(isUnknown(variance({1, 1}, "1.0")));
  EXPECT_FALSE(isRight(variance({1, 1}, "1.0"), 0, 1e-4));
}

} // namespace
