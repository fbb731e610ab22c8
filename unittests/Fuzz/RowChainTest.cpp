//===- RowChainTest.cpp - Chains of row operations, native ----------------===//
//
// Norms, softmaxes and statistics over differing dimensions fuse into kernels
// whose stages need each other's results at other points of one domain. Chains
// of them are compiled and compared with the interpreter on one thread and on
// several.
//
//===----------------------------------------------------------------------===//

#include "TC/Fuzz/Check.h"
#include "TC/Fuzz/RowChains.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {

/// How many chains of each kind: TC_TEST_FULL=1 asks for many.
int getChainCount() {
  const char *full = std::getenv("TC_TEST_FULL");
  return full && full[0] == '1' ? 60 : 12;
}

class RowChainTest : public ::testing::TestWithParam<const char *> {
protected:
  void check(uint64_t seed, bool symbolic, bool extreme = false) {
    SampleOptions options;
    options.element = parseType(GetParam(), &context);
    options.symbolicSizes = symbolic;
    options.extremeSymbols = extreme;
    options.views = false;
    options.largestSize = 300;
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    Sampler sampler(*module, "main", seed, options);
    ASSERT_TRUE(addRowChain(sampler, 1 + int64_t(seed % 6)));
    SampledFunction function = sampler.finish();
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    CheckOptions check;
    check.threads = {1, 2, 5};
    for (const Finding &finding : checkModule(*module, function, seed, check))
      ADD_FAILURE() << "seed " << seed << ": " << finding.message << "\n"
                    << text;
  }

  void SetUp() override {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  DialectRegistry registry;
  MLIRContext context;
};

TEST_P(RowChainTest, StaticSizes) {
  for (int seed = 0; seed < getChainCount(); ++seed)
    check(seed, /*symbolic=*/false);
}

TEST_P(RowChainTest, SymbolicSizes) {
  for (int seed = 0; seed < getChainCount(); ++seed)
    check(1000 + seed, /*symbolic=*/true);
}

TEST_P(RowChainTest, SymbolsAtTheirLimits) {
  for (int seed = 0; seed < getChainCount(); ++seed)
    check(2000 + seed, /*symbolic=*/true, /*extreme=*/true);
}

INSTANTIATE_TEST_SUITE_P(All, RowChainTest,
                         ::testing::Values("f32", "f64", "bf16", "f16"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

} // namespace
