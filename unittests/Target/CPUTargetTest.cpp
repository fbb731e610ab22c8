//===- CPUTargetTest.cpp - Tests of a target's features -------------------===//

#include "TC/Target/CPU/CPUTarget.h"
#include "TC/Analysis/MachineModel.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace tc;

namespace {

CPUTarget parsed(llvm::StringRef text) {
  auto target = CPUTarget::parse(text);
  EXPECT_TRUE(bool(target)) << llvm::toString(target.takeError());
  return target ? *target : CPUTarget();
}

std::string errorOf(llvm::StringRef text) {
  auto target = CPUTarget::parse(text);
  return target ? "" : llvm::toString(target.takeError());
}

MachineModel modelOf(llvm::StringRef text) {
  mlir::MLIRContext context;
  context.loadDialect<TCDialect>();
  return MachineModel::get(parsed(text).toAttribute(&context));
}

TEST(CPUTarget, KnowsFeatures) {
  EXPECT_TRUE(parsed("cpu:znver4").hasFeature("avx512bf16"));
  EXPECT_FALSE(parsed("cpu:x86-64-v3").hasFeature("avx512f"));
  EXPECT_TRUE(CPUTarget::host().featuresMissingOnHost().empty());
}

// Features that a chip implies and those named after it count alike, in both
// directions.
TEST(CPUTarget, TakesCapabilitiesFromChipAndFeaturesTogether) {
  CPUCapabilities implied = parsed("cpu:sapphirerapids").capabilities();
  EXPECT_EQ(implied.vectorBits, 512u);
  EXPECT_TRUE(implied.hasBF16Dot);
  EXPECT_TRUE(implied.hasBF16Tiles);

  // The chip that a hypervisor may report, with the features that CPUID adds.
  CPUCapabilities masked =
      parsed("cpu:rocketlake:+avx512bf16,+amx-bf16,+amx-tile").capabilities();
  EXPECT_EQ(masked.vectorBits, 512u);
  EXPECT_TRUE(masked.hasBF16Dot);
  EXPECT_TRUE(masked.hasBF16Tiles);

  CPUCapabilities less =
      parsed("cpu:sapphirerapids:-amx-bf16,-avx512f").capabilities();
  EXPECT_EQ(less.vectorBits, 256u);
  EXPECT_FALSE(less.hasBF16Dot);
  EXPECT_FALSE(less.hasBF16Tiles);
  // AVX-512 without instructions on 128 and 256 bits is none for TC.
  EXPECT_FALSE(parsed("cpu:x86-64-v4:-avx512vl").capabilities().hasAvx512);
}

TEST(CPUTarget, KnowsTheLevelsOfX86) {
  CPUCapabilities sse2 = parsed("cpu:x86-64").capabilities(),
                  sse42 = parsed("cpu:x86-64-v2").capabilities(),
                  avx2 = parsed("cpu:x86-64-v3").capabilities(),
                  avx512 = parsed("cpu:x86-64-v4").capabilities();
  EXPECT_EQ(sse2.vectorBits, 128u);
  EXPECT_FALSE(sse2.hasFMA || sse2.hasF16Conversion);
  EXPECT_EQ(sse42.vectorBits, 128u);
  EXPECT_FALSE(sse42.hasFMA || sse42.hasF16Conversion);
  EXPECT_EQ(avx2.vectorBits, 256u);
  EXPECT_EQ(avx2.vectorRegisters, 16u);
  EXPECT_TRUE(avx2.hasFMA && avx2.hasF16Conversion);
  EXPECT_EQ(avx512.vectorBits, 512u);
  EXPECT_EQ(avx512.vectorRegisters, 32u);
  EXPECT_FALSE(avx512.hasBF16Dot || avx512.hasBF16Tiles);
}

// A chip's preference for vectors of 256 bits is not asked.
TEST(MachineModel, HasVectorsOf512BitsWhereTheyAre) {
  for (const char *text : {"cpu:skylake-avx512", "cpu:rocketlake",
                           "cpu:x86-64-v4:+prefer-256-bit", "cpu:znver5"})
    EXPECT_EQ(modelOf(text).vectorBits, 512) << text;
  EXPECT_TRUE(
      modelOf("cpu:rocketlake:+avx512bf16,+amx-bf16,+amx-tile").hasBF16Tiles);
}

TEST(CPUTarget, RefusesUnknownNamesWithTheNearest) {
  EXPECT_EQ(errorOf("cpu:sapphirapids"),
            "the target names the cpu 'sapphirapids', which LLVM does not know "
            "for " +
                CPUTarget::host().triple +
                " (did you mean 'sapphirerapids'?); for example x86-64-v3, "
                "znver4 or host");
  EXPECT_EQ(errorOf("cpu:x86-64-v3:+avx512fp17"),
            "the target names the feature 'avx512fp17', which LLVM does not "
            "know for " +
                CPUTarget::host().triple + " (did you mean 'avx512fp16'?)");
  EXPECT_EQ(errorOf("cpu:x86-64-v3:avx512f"),
            "the target has the feature 'avx512f', expected +avx512f or "
            "-avx512f");
}

TEST(CPUTarget, RefusesChipsWithoutTheArchitecturesInstructions) {
  for (const char *text : {"cpu:i386", "cpu:pentium4", "cpu:x86-64:-64bit"})
    EXPECT_NE(errorOf(text).find("lacks 64bit, which all code for "),
              std::string::npos)
        << text;
  EXPECT_NE(errorOf("cpu:x86-64:-sse2").find("lacks sse2"), std::string::npos);
}

// Nothing of the operating system's, of cryptography or of hints is needed to
// run code.
TEST(CPUTarget, AsksTheHostForWhatCodeCanUseOnly) {
  CPUTarget host = CPUTarget::host();
  std::string all = "+enqcmd,+pku,+waitpkg,+uintr,+sha512,+sm3,+sm4,+kl";
  host.features += (host.features.empty() ? "" : ",") + all;
  EXPECT_TRUE(host.featuresMissingOnHost().empty());
  for (const char *used : {"xop", "avx512fp16"})
    if (!host.hasFeature(used)) {
      CPUTarget other = host;
      other.features += std::string(",+") + used;
      EXPECT_TRUE(llvm::is_contained(other.featuresMissingOnHost(), used));
    }
}

} // namespace
