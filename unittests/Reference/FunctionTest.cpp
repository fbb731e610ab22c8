//===- FunctionTest.cpp - Symbols, guards, parameters, control flow -------===//

#include "ReferenceTest.h"

using namespace mlir;

namespace tc::reference {

using FunctionTest = ReferenceTest;

static constexpr const char *kSymbolic = R"(
func.func @f(%x: tensor<?x2xf32, #tc.sizes<[s0 * 2, 2]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<i64>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 8>, #tc.symbol<"s1", min = 0, max = 100, divisor = 4>]} {
  %r = tc.size_value <s0 * 10 + s1> : tensor<i64>
  return %r : tensor<i64>
})";

TEST_F(FunctionTest, SymbolsAreBoundFromSizes) {
  expectIntegers(run(kSymbolic, {count("f32", {6, 2}), count("f32", {8})})[0],
                 {38});
}

TEST_F(FunctionTest, SizesThatDoNotFitAreErrors) {
  expectError(kSymbolic, {count("f32", {20, 2}), count("f32", {8})},
              "symbol s0 is 10 by the sizes of the arguments; expected a value "
              "in [2, 8]");
  expectError(
      kSymbolic, {count("f32", {6, 2}), count("f32", {6})},
      "symbol s1 is 6 by the sizes of the arguments; expected a multiple of 4");
  expectError(kSymbolic, {count("f32", {6, 3}), count("f32", {8})},
              "dimension 1 of argument 0 of @f has size 3; expected 2");
  expectError(kSymbolic, {count("f64", {6, 2}), count("f32", {8})},
              "argument 0 of @f is tensor<6x2xf64>");
  expectError(kSymbolic, {count("f32", {6, 2})},
              "function @f takes 2 arguments, but 1 are given");
}

TEST_F(FunctionTest, GuardsNameWhatTheyMissed) {
  StringRef text = R"(
func.func @f(%x: tensor<?x2xf32, #tc.sizes<[s0, 2]>>) -> tensor<?x2xf32, #tc.sizes<[s0, 2]>> {
  tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64, max = 4 : i64, origin = "range_constraints"} : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
  tc.guard dtype(%x) {value = f32} : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
  tc.guard contiguous(%x) : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
  return %x : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
})";
  expectFloats(run(text, {count("f32", {2, 2})})[0], {0, 1, 2, 3});
  expectError(text, {count("f32", {5, 2})},
              "'tc.guard' op size_range of dimension 0 missed: expected at "
              "most 4, but it is 5 (from range_constraints)");
}

TEST_F(FunctionTest, GuardOnSizesAlone) {
  StringRef text = R"(
func.func @f(%x: tensor<?xf32, #tc.sizes<[s0]>>) {
  tc.guard scalar() {expr = #tc.expr<s0 floordiv 2>, min = 2 : i64, max = 3 : i64}
  return
})";
  run(text, {count("f32", {5})});
  expectError(text, {count("f32", {8})},
              "'tc.guard' op scalar missed: expected at most 3, but it is 4");
}

TEST_F(FunctionTest, IfTakesOneBranch) {
  StringRef text = R"(
func.func @f(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %r = tc.if %c : tensor<i1> -> tensor<2xf32> {
    %n = tc.neg %x : tensor<2xf32>
    tc.yield %n : tensor<2xf32>
  } else {
    tc.yield %x : tensor<2xf32>
  }
  return %r : tensor<2xf32>
})";
  Tensor x = count("f32", {2}, 1);
  expectFloats(run(text, {integers("i1", {}, {1}), x})[0], {-1, -2});
  expectFloats(run(text, {integers("i1", {}, {0}), x})[0], {1, 2});
}

TEST_F(FunctionTest, CallsAndParameters) {
  StringRef text = R"(
tc.parameter_source @w : tensor<2xf32> {file = "none", offset = 0 : i64, role = "parameter"}
func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = tc.parameter @w : tensor<2xf32>
  %r = tc.mul %x, %w : tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = func.call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
})";
  expectError(text, {count("f32", {2})},
              "needs the parameter @w, and no parameters are given");
  options.parameter = [&](ParameterSourceOp source) -> FailureOr<Tensor> {
    EXPECT_EQ(source.getSymName(), "w");
    return floats("f32", {2}, {10, 100});
  };
  expectFloats(run(text, {count("f32", {2}, 1)})[0], {10, 200});
}

TEST_F(FunctionTest, CapturedCallsCannotBeRun) {
  expectError(R"(
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = tc.aten "aten.neg.default"(%x) {self = #tc.operand<0>} : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
})",
              {count("f32", {2})},
              "'tc.aten' op is a captured call of 'aten.neg.default'");
}

TEST_F(FunctionTest, UnboundSymbolIsAnError) {
  expectError(R"(
func.func @f() -> tensor<i64> {
  %r = tc.size_value <u0> : tensor<i64>
  return %r : tensor<i64>
})",
              {}, "uses the size expression 'u0', which has no value");
}

} // namespace tc::reference
