//===- ArtefactTest.cpp - From a module to a file and back ----------------===//

#include "TC/Runtime/Artefact.h"
#include "../Runtime/TemporaryFolder.h"
#include "TC/Compiler/CompileArtefact.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runtime/CPUFeatures.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace tc;
using runtime::Artefact;
using runtime::Tensor;

namespace {

/// y = exp(x) * w, where w is a file.
constexpr const char *kProgram = R"mlir(
tc.parameter_source @w : tensor<4xf32> {file = "w.bin", offset = 0 : i64, role = "parameter"}
func.func @main(%x: tensor<?x4xf32, #tc.sizes<[n, 4]>>) -> tensor<?x4xf32, #tc.sizes<[n, 4]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 1000>]} {
  %w = tc.parameter @w : tensor<4xf32>
  %all = tc.broadcast %w dims [1] : tensor<4xf32> -> tensor<?x4xf32, #tc.sizes<[n, 4]>>
  %e = tc.exp %x : tensor<?x4xf32, #tc.sizes<[n, 4]>>
  %y = tc.mul %e, %all : tensor<?x4xf32, #tc.sizes<[n, 4]>>
  return %y : tensor<?x4xf32, #tc.sizes<[n, 4]>>
}
)mlir";

/// y = (x @ w) with a weight that is packed ahead of the calls.
constexpr const char *kProduct = R"mlir(
tc.parameter_source @w : tensor<64x64xf32> {file = "w.bin", offset = 0 : i64, role = "parameter"}
func.func @main(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %w = tc.parameter @w : tensor<64x64xf32>
  %y = tc.contract "ik,jk->ij" %x, %w : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}
)mlir";

std::string bytesOf(const std::vector<float> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(float));
}

class ArtefactTest : public ::testing::Test {
protected:
  ArtefactTest() : context(registry()) {}

  static DialectRegistry &registry() {
    static DialectRegistry dialects;
    static bool filled = (registerDialects(dialects), true);
    (void)filled;
    return dialects;
  }

  /// What went wrong; empty for success.
  std::string write(const char *program, std::vector<std::string> targets,
                    const std::string &prepared = "") {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(program, &context);
    if (!module)
      return "the program cannot be read";
    return llvm::toString(compileArtefact(*module, targets, CompileOptions(),
                                          {path(), prepared, folder.path("")})
                              .takeError());
  }
  std::string path() const { return folder.path("m.tca"); }

  std::vector<float> call(const Artefact &artefact, std::vector<int64_t> sizes,
                          const std::vector<float> &values) {
    auto input = Tensor::copyOf<float>(runtime::DType::F32, sizes, values);
    auto outputs = artefact.call(0, {&*input, 1});
    if (!outputs.ok()) {
      ADD_FAILURE() << outputs.error().message();
      return {};
    }
    const Tensor &output = outputs->at(0);
    return {output.dataAs<float>(),
            output.dataAs<float>() + output.elementCount()};
  }

  MLIRContext context;
  TemporaryFolder folder;
};

TEST_F(ArtefactTest, RunsWithWeightsOfItsDirectory) {
  ASSERT_EQ(write(kProgram, {"cpu"}), "");
  folder.write("w.bin", bytesOf({1, 2, 3, 4}));
  auto artefact = Artefact::load(path(), {});
  ASSERT_TRUE(artefact.ok()) << artefact.error().message();
  EXPECT_EQ((*artefact)->target(), "cpu");
  EXPECT_EQ((*artefact)->manifest().functions.at(0).name, "main");
  std::vector<float> y = call(**artefact, {2, 4}, {0, 1, 2, 3, -1, -2, -3, -4});
  ASSERT_EQ(y.size(), 8u);
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(y[size_t(i)], float(i % 4 + 1) * std::exp(i < 4 ? i : 3 - i),
                1e-4);
}

TEST_F(ArtefactTest, PreparesWeightsAndTakesNewOnes) {
  ASSERT_EQ(write(kProduct, {"cpu"}), "");
  std::vector<float> identity(64 * 64), x(32 * 64);
  for (size_t i = 0; i < 64; ++i)
    identity[i * 64 + i] = 1;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 37);
  folder.write("w.bin", bytesOf(identity));
  auto artefact = Artefact::load(path(), {});
  ASSERT_TRUE(artefact.ok()) << artefact.error().message();
  EXPECT_EQ(call(**artefact, {32, 64}, x), x);
  auto zeros =
      Tensor::zeros(runtime::DType::F32, std::array<int64_t, 2>{64, 64});
  ASSERT_TRUE((*artefact)->setParameter("w", *zeros).ok());
  EXPECT_EQ(call(**artefact, {32, 64}, x), std::vector<float>(x.size()));
}

/// Prepared values of zeros in a file, which only other weights do not use.
TEST_F(ArtefactTest, PreparedValuesOfTheSameWeightsComeFromTheirFile) {
  std::vector<float> ones(64 * 64, 1), twos(64 * 64, 2), x(32 * 64, 1);
  folder.write("w.bin", bytesOf(ones));
  ASSERT_EQ(write(kProduct, {"cpu"}, folder.path("w.prepared")), "");
  const std::string prepared = folder.read("w.prepared");
  ASSERT_GE(prepared.size(), ones.size() * sizeof(float));
  folder.write("w.prepared", std::string(prepared.size(), 0));
  auto artefact = Artefact::load(path(), {});
  ASSERT_TRUE(artefact.ok()) << artefact.error().message();
  EXPECT_EQ(call(**artefact, {32, 64}, x), std::vector<float>(x.size(), 0));
  folder.write("w.bin", bytesOf(twos));
  auto other = Artefact::load(path(), {});
  EXPECT_EQ(call(**other, {32, 64}, x), std::vector<float>(x.size(), 128));
}

TEST_F(ArtefactTest, TheTargetWithTheMostFeaturesIsChosen) {
  if (!runtime::missingCPUFeatures({"avx2"}).empty())
    GTEST_SKIP() << "the machine has no AVX2";
  ASSERT_EQ(write(kProgram, {"cpu:x86-64", "cpu:x86-64-v3", "cpu:x86-64-v2"}),
            "");
  folder.write("w.bin", bytesOf({1, 2, 3, 4}));
  auto artefact = Artefact::load(path(), {});
  ASSERT_TRUE(artefact.ok()) << artefact.error().message();
  EXPECT_EQ((*artefact)->target(), "cpu:x86-64-v3");
}

TEST_F(ArtefactTest, AMachineThatFitsNoTargetIsToldWhatItLacks) {
  ASSERT_EQ(write(kProgram, {"cpu:x86-64:+xop"}), "");
  folder.write("w.bin", bytesOf({1, 2, 3, 4}));
  auto artefact = Artefact::load(path(), {});
  if (artefact.ok())
    GTEST_SKIP() << "the machine has XOP";
  EXPECT_NE(artefact.error().message().find("xop"), std::string::npos)
      << artefact.error().message();
}

TEST_F(ArtefactTest, AMissingWeightIsNamed) {
  ASSERT_EQ(write(kProgram, {"cpu"}), "");
  auto artefact = Artefact::load(path(), {});
  ASSERT_FALSE(artefact.ok());
  EXPECT_NE(artefact.error().message().find("parameter 'w'"),
            std::string::npos);
}

TEST_F(ArtefactTest, CodeForAGPUStaysWhereThereIsACPU) {
  ASSERT_EQ(write(kProgram, {"cuda:sm_90a", "cpu", "cuda:sm_80"}), "");
  folder.write("w.bin", bytesOf({1, 2, 3, 4}));
  auto artefact = Artefact::load(path(), {});
  ASSERT_TRUE(artefact.ok()) << artefact.error().message();
  EXPECT_EQ((*artefact)->target(), "cpu");
}

TEST_F(ArtefactTest, TargetsWithoutCodeAreRefused) {
  EXPECT_NE(
      write(kProgram, {"cpu:aarch64:cortex-a76"}).find("is not of x86-64"),
      std::string::npos);
  EXPECT_NE(write(kProgram, {"cpu", "cpu"}).find("given twice"),
            std::string::npos);
  EXPECT_NE(write(kProgram, {}).find("no target"), std::string::npos);
}

/// What the runtime asks the machine for is what LLVM says that it has.
TEST_F(ArtefactTest, TheRuntimeFindsTheFeaturesOfThisMachine) {
  EXPECT_EQ(
      runtime::missingCPUFeatures(CPUTarget::host().instructionFeatures()),
      std::vector<std::string>());
}

} // namespace
