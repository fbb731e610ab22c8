//===- OpByOpMemoryTest.cpp - Memory of a graph that runs op by op --------===//

#include "TC/Runner/OpByOpMemory.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tc;
using Results = OpByOpMemory::Results;

namespace {
class OpByOpMemoryTest : public ::testing::Test {
protected:
  OpByOpMemoryTest() { context.loadDialect<TCDialect, func::FuncDialect>(); }

  /// The peak of the body of @f; symbols are `symbol`.
  std::optional<int64_t> peak(const std::string &body, Results results,
                              std::optional<int64_t> symbol = std::nullopt) {
    auto module = parseSourceString<ModuleOp>(body, &context);
    EXPECT_TRUE(module);
    if (!module)
      return std::nullopt;
    auto function = module->lookupSymbol<func::FuncOp>("f");
    return OpByOpMemory(function.front())
        .getPeakBytes([&](StringRef) { return symbol; }, results);
  }

  MLIRContext context;
};
} // namespace

// 64 x 16 f32 is 4096 bytes.
TEST_F(OpByOpMemoryTest, FreesAfterTheLastUse) {
  const char *chain = R"mlir(
    func.func @f(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
      %a = tc.exp %x : tensor<64x16xf32>
      %b = tc.neg %a : tensor<64x16xf32>
      %c = tc.exp %b : tensor<64x16xf32>
      return %c : tensor<64x16xf32>
    })mlir";
  EXPECT_EQ(peak(chain, Results::Counted), 2 * 4096);
  EXPECT_EQ(peak(chain, Results::NotCounted), 2 * 4096);
  const char *kept = R"mlir(
    func.func @f(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
      %a = tc.exp %x : tensor<64x16xf32>
      %b = tc.neg %a : tensor<64x16xf32>
      %c = tc.exp %b : tensor<64x16xf32>
      %d = tc.add %c, %a : tensor<64x16xf32>
      return %d : tensor<64x16xf32>
    })mlir";
  EXPECT_EQ(peak(kept, Results::Counted), 3 * 4096);
}

TEST_F(OpByOpMemoryTest, ResultsLiveToTheEnd) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<64x16xf32>) -> (tensor<64x16xf32>, tensor<64x16xf32>) {
      %a = tc.exp %x : tensor<64x16xf32>
      %b = tc.neg %a : tensor<64x16xf32>
      %c = tc.neg %b : tensor<64x16xf32>
      return %a, %c : tensor<64x16xf32>, tensor<64x16xf32>
    })mlir";
  EXPECT_EQ(peak(text, Results::Counted), 3 * 4096);
  EXPECT_EQ(peak(text, Results::NotCounted), 4096);
}

TEST_F(OpByOpMemoryTest, ArgumentsAndSmallTensors) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<64x16xf32>) -> tensor<f32> {
      %a = tc.reduce sum %x dims [0, 1] : tensor<64x16xf32> -> tensor<f32>
      return %a : tensor<f32>
    })mlir";
  EXPECT_EQ(peak(text, Results::Counted), 64);
  EXPECT_EQ(peak(text, Results::NotCounted), 0);
}

TEST_F(OpByOpMemoryTest, ViewsKeepTheirTensorAlive) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<64x16xf32>) -> tensor<64x64xf32> {
      %a = tc.exp %x : tensor<64x16xf32>
      %v = tc.transpose %a [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
      %r = tc.reshape %v : tensor<16x64xf32> -> tensor<1024xf32>
      %s = tc.reshape %r : tensor<1024xf32> -> tensor<16x64xf32>
      %b = tc.neg %x : tensor<64x16xf32>
      %c = tc.contract "ij,jk->ik" %b, %s : tensor<64x16xf32>, tensor<16x64xf32> -> tensor<64x64xf32>
      return %c : tensor<64x64xf32>
    })mlir";
  EXPECT_EQ(peak(text, Results::Counted), 2 * 4096 + 4 * 4096);
  EXPECT_EQ(peak(text, Results::NotCounted), 2 * 4096);
}

TEST_F(OpByOpMemoryTest, CapturedCalls) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<64x16xf32>) -> tensor<64x16xf16> {
      %a = tc.aten "aten.exp.default"(%x) {self = #tc.operand<0>} : (tensor<64x16xf32>) -> tensor<64x16xf32>
      %v = tc.aten "aten.permute.default"(%a) {self = #tc.operand<0>, dims = [1, 0]} : (tensor<64x16xf32>) -> tensor<16x64xf32>
      %d = tc.aten "aten.dropout.default"(%v) {input = #tc.operand<0>, p = 0.1, train = false} : (tensor<16x64xf32>) -> tensor<16x64xf32>
      %same = tc.aten "aten.to.dtype"(%d) {self = #tc.operand<0>, dtype = f32} : (tensor<16x64xf32>) -> tensor<16x64xf32>
      %p:2 = tc.aten "aten.split.Tensor"(%same) {self = #tc.operand<0>, split_size = 8, dim = 0} : (tensor<16x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>)
      %e = tc.aten "aten.clone.default"(%x) {self = #tc.operand<0>} : (tensor<64x16xf32>) -> tensor<64x16xf32>
      %s = tc.aten "aten.sum.default"(%p#1) {self = #tc.operand<0>} : (tensor<8x64xf32>) -> tensor<f32>
      %h = tc.aten "aten.to.dtype"(%e) {self = #tc.operand<0>, dtype = f16} : (tensor<64x16xf32>) -> tensor<64x16xf16>
      return %h : tensor<64x16xf16>
    })mlir";
  // %a lives through the sum of one of its parts; the cast allocates.
  EXPECT_EQ(peak(text, Results::Counted), 2 * 4096 + 64);
}

TEST_F(OpByOpMemoryTest, DropoutThatTrainsAllocates) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {
      %d = tc.aten "aten.dropout.default"(%x) {input = #tc.operand<0>, p = 0.1, train = true} : (tensor<64x16xf32>) -> tensor<64x16xf32>
      return %d : tensor<64x16xf32>
    })mlir";
  EXPECT_EQ(peak(text, Results::Counted), 4096);
}

TEST_F(OpByOpMemoryTest, SizesOfSymbols) {
  const char *text = R"mlir(
    func.func @f(%x: tensor<?x16xf32, #tc.sizes<[s0, 16]>>) -> tensor<?x16xf32, #tc.sizes<[s0, 16]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
      %a = tc.exp %x : tensor<?x16xf32, #tc.sizes<[s0, 16]>>
      %b = tc.neg %a : tensor<?x16xf32, #tc.sizes<[s0, 16]>>
      return %b : tensor<?x16xf32, #tc.sizes<[s0, 16]>>
    })mlir";
  EXPECT_EQ(peak(text, Results::Counted, 3), 2 * 3 * 64);
  EXPECT_EQ(peak(text, Results::Counted, 0), 0);
  EXPECT_EQ(peak(text, Results::Counted), std::nullopt);
}
