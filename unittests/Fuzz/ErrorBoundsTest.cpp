//===- ErrorBoundsTest.cpp - What the random tester takes for right -------===//
//
// A bound is of use when right results are inside and wrong ones are not: the
// slips that generated code makes are bigger than it, and every way of rounding
// that is allowed is smaller.
//
//===----------------------------------------------------------------------===//

#include "TC/Fuzz/ErrorBounds.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

namespace {

class ErrorBoundsTest : public ::testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The bounded results of the only function of `text`.
  SmallVector<Bounded> bound(StringRef text, ArrayRef<Tensor> arguments) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    auto function = *module->getOps<func::FuncOp>().begin();
    auto results = boundErrors(function, arguments, {});
    EXPECT_TRUE(succeeded(results));
    return succeeded(results) ? *results : SmallVector<Bounded>();
  }

  Tensor floats(Type type, ArrayRef<int64_t> sizes,
                function_ref<double(int64_t)> make) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(make(i));
    return Tensor::fromDoubles(type, sizes, values);
  }

  /// The expected tensor, rounded to its type, with one element changed.
  static Tensor changed(const Bounded &expected, int64_t at, double value) {
    Tensor result = expected.value.clone();
    reference::wrapToType(result.words(), result.getElementCount(),
                          result.getElementType());
    result.data<double>()[at] = value;
    return result;
  }

  static bool isRight(const Bounded &expected, int64_t at, double value) {
    return !compare(changed(expected, at, value), expected);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Builder builder{&context};
};

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

} // namespace
