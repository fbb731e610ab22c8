//===- WorkTest.cpp - What is drawn is interpreted in a moment ------------===//

#include "TC/Fuzz/Work.h"
#include "SampledOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {

/// The steps of the op in `text`, a function's body but for its return.
double workOf(const std::string &arguments, const std::string &text) {
  auto module = parseSourceString<ModuleOp>("func.func @main(" + arguments +
                                                ") {\n" + text + "\nreturn\n}",
                                            &getContext());
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  return estimateWork(&function.front().front(),
                      [](StringRef) { return std::optional<int64_t>(7); });
}

TEST(WorkTest, CountsWhatEachElementTakes) {
  EXPECT_EQ(workOf("%x: tensor<?x3xf32, #tc.sizes<[s0, 3]>>",
                   "%0 = tc.exp %x : tensor<?x3xf32, #tc.sizes<[s0, 3]>>"),
            2 * 7 * 3);
  EXPECT_EQ(workOf("%x: tensor<4x8xf32>, %w: tensor<16x8xf32>",
                   "%0 = tc.contract \"mk,nk->mn\" %x, %w : tensor<4x8xf32>, "
                   "tensor<16x8xf32> -> tensor<4x16xf32>"),
            4 * 8 + 16 * 8 + 4 * 8 * 16);
  EXPECT_EQ(workOf("%x: tensor<2x3x9xf32>, %w: tensor<5x3x4xf32>",
                   "%0 = tc.convolution %x, %w stride [1] padding [0] dilation "
                   "[1] : tensor<2x3x9xf32>, tensor<5x3x4xf32> -> "
                   "tensor<2x5x6xf32>"),
            2 * 3 * 9 + 5 * 3 * 4 + 2 * 5 * 6 * 3 * 4);
  EXPECT_EQ(workOf("%x: tensor<2x3x9xf32>, %w: tensor<3x5x4xf32>",
                   "%0 = tc.convolution %x, %w stride [2] padding [0] dilation "
                   "[1] {transposed} : tensor<2x3x9xf32>, tensor<3x5x4xf32> -> "
                   "tensor<2x5x20xf32>"),
            2 * 3 * 9 + 3 * 5 * 4 + 2 * 3 * 9 * 5 * 4);
  EXPECT_EQ(workOf("%x: tensor<2x3x4x5xf32>",
                   "%0 = tc.resample linear %x : tensor<2x3x4x5xf32> -> "
                   "tensor<2x3x8x9xf32>"),
            2 * 3 * 4 * 5 + 2 * 3 * 8 * 9 * 4);
}

class SampledWorkTest : public SampledOpTest {};

/// Every op of every sampled function, and all that is made for it.
TEST_P(SampledWorkTest, IsBounded) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    OwningOpRef<ModuleOp> module =
        ModuleOp::create(UnknownLoc::get(&getContext()));
    SampleOptions options;
    options.symbolicSizes = options.extremeSymbols = true;
    options.views = seed % 2;
    options.reuse = 75;
    options.largestSize = 140;
    Sampler sampler(*module, "main", seed, options);
    for (int op = 0; op < 3; ++op)
      sampleOp(sampler, getName());
    SampledFunction sampled = sampler.finish();
    auto valueOf = [&](StringRef name) { return sampled.valueOf(name); };
    // Returning a result counts its elements once more.
    for (Operation &op : sampled.function.front().without_terminator())
      EXPECT_LE(estimateWork(&op, valueOf), kMostWork)
          << "seed " << seed << ": " << op.getName().getStringRef().str();
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, SampledWorkTest, getSampledOpNames(),
                         getTestName);

} // namespace
