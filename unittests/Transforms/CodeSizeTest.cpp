//===- CodeSizeTest.cpp - Code grows in proportion to the graph -----------===//
//
// Chains and sums of row operations fuse until a kernel's code is long enough:
// twice the ops are about twice the kernels, and not one kernel of four times
// the code.
//
//===----------------------------------------------------------------------===//

#include "TC/Analysis/CodeSize.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Compiler/Compiler.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tc;

namespace {

constexpr const char *kType = "tensor<32x96xf32>";

/// One step of a chain: the text that makes value number `index + 1` of the one
/// before.
struct Chain {
  const char *name;
  std::string (*step)(const std::string &from, const std::string &to);
};

void PrintTo(const Chain &chain, std::ostream *os) { *os << chain.name; }

const Chain kChains[] = {
    {"softmaxes",
     [](const std::string &from, const std::string &to) {
       return to + " = tc.softmax " + from + " dim 1 : " + kType + "\n";
     }},
    {"norms",
     [](const std::string &from, const std::string &to) {
       return to + " = tc.layer_norm " + from +
              " rank 1 eps 1.0e-5 : " + kType + "\n";
     }},
    {"differences",
     [](const std::string &from, const std::string &to) {
       return to + "_m = tc.reduce max " + from + " dims [1] : " + kType +
              " -> tensor<32xf32>\n" + to + "_b = tc.broadcast " + to +
              "_m dims [0] : tensor<32xf32> -> " + kType + "\n" + to +
              " = tc.sub " + from + ", " + to + "_b : " + kType + "\n";
     }},
    {"pointwise",
     [](const std::string &from, const std::string &to) {
       return to + "_a = tc.mul " + from + ", %x0 : " + kType + "\n" + to +
              " = tc.add " + to + "_a, %x0 : " + kType + "\n";
     }},
};

class CodeSizeTest : public ::testing::TestWithParam<Chain> {
protected:
  void SetUp() override {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Weighted operations in the code of all kernels of a chain.
  double getCode(int length) {
    std::string text =
        std::string("func.func @main(%x0: ") + kType + ") -> " + kType + " {\n";
    for (int i = 0; i < length; ++i)
      text += GetParam().step("%x" + std::to_string(i),
                              "%x" + std::to_string(i + 1));
    text += "return %x" + std::to_string(length) + " : " + kType + "\n}\n";
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return -1;
    CompileOptions options;
    options.target = "cpu:x86-64-v3";
    if (llvm::Error error = runPhases(*module, Phase::Fuse, options)) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return -1;
    }
    double code = 0;
    for (KernelOp kernel : getOutermostKernels(*module)) {
      double own = estimateCode(kernel, 100 * kMostCode);
      EXPECT_LE(own, 1.5 * kMostCode) << kernel.getName().str();
      code += own;
    }
    return code;
  }

  DialectRegistry registry;
  MLIRContext context;
};

TEST_P(CodeSizeTest, GrowsWithTheGraph) {
  double once = getCode(150), twice = getCode(300);
  EXPECT_GT(once, 0);
  EXPECT_LE(twice, 2.5 * once);
}

INSTANTIATE_TEST_SUITE_P(All, CodeSizeTest, ::testing::ValuesIn(kChains),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
