//===- FusionMeaningTest.cpp - Fusion keeps what a module means -----------===//
//
// Runs every function of the tests of the phase `fuse` through the reference
// interpreter, before and after a pipeline, on random arguments.
//
//===----------------------------------------------------------------------===//

#include "ModuleMeaning.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tc;
using reference::Tensor;

namespace {

/// A lit test and the pipeline that it is run through.
struct FusionCase {
  const char *file, *pipeline;
};

constexpr const char *kFusePipeline =
    "convert-tc-to-kernel,tc-fuse-reshapes,tc-split-dimensions,"
    "tc-fuse-elementwise,tc-fuse-epilogue,tc-fuse-prologue,tc-fuse-reshapes,"
    "tc-split-dimensions,tc-fuse-epilogue,tc-fuse-siblings,"
    "tc-eliminate-dead-outputs,tc-collapse-dimensions,canonicalize,"
    "tc-classify-kernels,tc-assign-schedules,tc-verify-fuse";

class FusionMeaning : public ::testing::Test {
protected:
  FusionMeaning() {
    context.loadDialect<TCDialect, func::FuncDialect>();
    [[maybe_unused]] static bool registered = (registerPasses(), true);
  }

  /// Every symbol is 4.
  static int64_t getSize(SizeExpr size) {
    return *size.evaluate([](StringRef) { return std::optional(4); });
  }

  /// Results of every function, in order.
  void run(ModuleOp module, std::vector<Tensor> &all) {
    engine.seed(7);
    reference::Options options;
    options.precision = reference::Precision::Double;
    for (auto function : module.getOps<func::FuncOp>()) {
      std::vector<Tensor> arguments;
      for (Type type : function.getArgumentTypes())
        arguments.push_back(
            makeRandom(cast<RankedTensorType>(type), {}, getSize, engine));
      auto results = reference::evaluateFunction(function, arguments, options);
      ASSERT_TRUE(succeeded(results)) << function.getName().str();
      all.insert(all.end(), results->begin(), results->end());
    }
  }

  /// Runs the pipeline on the module.
  void expectSameAfter(ModuleOp module, StringRef pipeline) {
    std::vector<Tensor> before, after;
    run(module, before);
    PassManager manager(&context);
    ASSERT_TRUE(succeeded(parsePassPipeline(pipeline, manager)));
    ASSERT_TRUE(succeeded(manager.run(module)));
    run(module, after);
    ASSERT_FALSE(before.empty());
    ASSERT_EQ(before.size(), after.size());
    for (size_t index = 0; index < before.size(); ++index) {
      SCOPED_TRACE("result " + std::to_string(index));
      expectSame(before[index], after[index], 1e-5);
    }
  }

  MLIRContext context;
  std::mt19937 engine;
};

class FusionMeaningTest : public FusionMeaning,
                          public ::testing::WithParamInterface<FusionCase> {};

TEST_P(FusionMeaningTest, ResultsStayTheSame) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      std::string(TC_SOURCE_ROOT) + "/test/" + GetParam().file + ".mlir",
      &context);
  ASSERT_TRUE(module);
  expectSameAfter(*module, GetParam().pipeline);
}

// Longer than what goes into its consumers in one round.
TEST_F(FusionMeaning, LongChainsAreOneKernel) {
  std::string text =
      "func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = tc.sub %x, %y : tensor<4xf32>\n";
  constexpr int count = 700;
  for (int i = 0; i < count; ++i)
    text += "  %" + std::to_string(i + 1) + " = tc." +
            (i % 3 ? "maximum %" : "sub %") + std::to_string(i) +
            (i % 2 ? ", %x" : ", %y") + " : tensor<4xf32>\n";
  text += "  return %" + std::to_string(count) + " : tensor<4xf32>\n}\n";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(module);
  expectSameAfter(*module, "convert-tc-to-kernel,tc-fuse-elementwise");
  size_t kernels = 0;
  module->walk([&](KernelOp) { ++kernels; });
  EXPECT_EQ(kernels, 1u);
}

constexpr FusionCase kCases[] = {
    {"Conversion/TCToKernel/convert-tc-to-kernel", "convert-tc-to-kernel"},
    {"Conversion/TCToKernel/convert-tc-to-kernel", kFusePipeline},
    {"Conversion/TCToKernel/composites", "convert-tc-to-kernel"},
    {"Conversion/TCToKernel/composites", kFusePipeline},
    {"Transforms/fuse-workloads", kFusePipeline},
    {"Transforms/fuse-views", kFusePipeline},
    {"Transforms/fuse-elementwise", "tc-fuse-elementwise"},
    {"Transforms/fuse-prologue", "tc-fuse-prologue"},
    {"Transforms/fuse-epilogue", "tc-fuse-epilogue"},
    {"Transforms/fuse-siblings", "tc-fuse-siblings"},
    {"Transforms/fuse-reshapes", "tc-fuse-reshapes"},
    {"Transforms/split-dimensions", "tc-split-dimensions"},
    {"Transforms/collapse-dimensions", "tc-collapse-dimensions"},
    {"Transforms/classify-kernels", "tc-classify-kernels"},
    {"Transforms/eliminate-dead-outputs", "tc-eliminate-dead-outputs"},
};

INSTANTIATE_TEST_SUITE_P(All, FusionMeaningTest, ::testing::ValuesIn(kCases));

} // namespace
