//===- ScheduleTest.cpp - Any legal schedule gives the same results -------===//
//
// A schedule is what a person may edit. Kernels of each class get schedules
// whose fields are drawn at random; what the verifiers accept is compiled and
// compared with the interpreter, and what they refuse is refused by name.
//
//===----------------------------------------------------------------------===//

#include "TC/Compiler/Compiler.h"
#include "TC/Fuzz/Check.h"
#include "TC/Fuzz/RandomSchedules.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {

struct Program {
  const char *name, *text;
};

void PrintTo(const Program &program, std::ostream *os) { *os << program.name; }

const Program kPrograms[] = {
    {"pointwise", R"(
func.func @main(%x: tensor<13x37xf32>, %b: tensor<37xbf16>) -> (tensor<13x37xf32>, tensor<13x37xi1>) {
  %0 = tc.cast %b : tensor<37xbf16> to tensor<37xf32>
  %1 = tc.broadcast %0 dims [1] : tensor<37xf32> -> tensor<13x37xf32>
  %2 = tc.mul %x, %1 : tensor<13x37xf32>
  %3 = tc.tanh %2 : tensor<13x37xf32>
  %4 = tc.lt %3, %x : tensor<13x37xf32>
  return %3, %4 : tensor<13x37xf32>, tensor<13x37xi1>
})"},
    {"pointwise_bytes", R"(
func.func @main(%x: tensor<?x5xi8, #tc.sizes<[s0, 5]>>) -> tensor<?x5xi8, #tc.sizes<[s0, 5]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.mul %x, %x : tensor<?x5xi8, #tc.sizes<[s0, 5]>>
  %1 = tc.add %0, %x : tensor<?x5xi8, #tc.sizes<[s0, 5]>>
  return %1 : tensor<?x5xi8, #tc.sizes<[s0, 5]>>
})"},
    {"row_reduction", R"(
func.func @main(%x: tensor<9x70xf32>, %y: tensor<3x64xi32>) -> (tensor<9x70xf32>, tensor<3xi32>, tensor<9xi64>) {
  %0 = tc.softmax %x dim 1 : tensor<9x70xf32>
  %1 = tc.layer_norm %0 rank 1 eps 1.0e-2 : tensor<9x70xf32>
  %2 = tc.reduce sum %y dims [1] : tensor<3x64xi32> -> tensor<3xi32>
  %3 = tc.arg_reduce argmax %x dim 1 : tensor<9x70xf32> -> tensor<9xi64>
  return %1, %2, %3 : tensor<9x70xf32>, tensor<3xi32>, tensor<9xi64>
})"},
    {"statistics", R"(
func.func @main(%x: tensor<?x23xf64, #tc.sizes<[s0, 23]>>) -> (tensor<?x23xf64, #tc.sizes<[s0, 23]>>, tensor<?xf64, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.softmax %x dim 1 : tensor<?x23xf64, #tc.sizes<[s0, 23]>>
  %1 = tc.rms_norm %0 rank 2 eps 1.0e-2 : tensor<?x23xf64, #tc.sizes<[s0, 23]>>
  %2 = tc.variance %1 dims [1] correction 1.0 : tensor<?x23xf64, #tc.sizes<[s0, 23]>> -> tensor<?xf64, #tc.sizes<[s0]>>
  return %1, %2 : tensor<?x23xf64, #tc.sizes<[s0, 23]>>, tensor<?xf64, #tc.sizes<[s0]>>
})"},
    {"column_reduction", R"(
func.func @main(%x: tensor<33x70xf32>, %y: tensor<40x90xi8>) -> (tensor<70xf32>, tensor<90xi8>) {
  %0 = tc.reduce max %x dims [0] : tensor<33x70xf32> -> tensor<70xf32>
  %1 = tc.reduce sum %y dims [0] : tensor<40x90xi8> -> tensor<90xi8>
  return %0, %1 : tensor<70xf32>, tensor<90xi8>
})"},
    {"transpose", R"(
func.func @main(%x: tensor<3x37x45xf32>, %y: tensor<50x33xbf16>) -> (tensor<45x3x37xf32>, tensor<33x50xbf16>) {
  %0 = tc.transpose %x [2, 0, 1] : tensor<3x37x45xf32> -> tensor<45x3x37xf32>
  %1 = tc.transpose %y [1, 0] : tensor<50x33xbf16> -> tensor<33x50xbf16>
  return %0, %1 : tensor<45x3x37xf32>, tensor<33x50xbf16>
})"},
    {"contraction", R"(
func.func @main(%x: tensor<19x33xf32>, %w: tensor<33x41xf32>, %b: tensor<41xf32>) -> tensor<19x41xf32> {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<19x33xf32>, tensor<33x41xf32> -> tensor<19x41xf32>
  %1 = tc.broadcast %b dims [1] : tensor<41xf32> -> tensor<19x41xf32>
  %2 = tc.add %0, %1 : tensor<19x41xf32>
  %3 = tc.relu %2 : tensor<19x41xf32>
  return %3 : tensor<19x41xf32>
})"},
    {"contraction_bf16", R"(
func.func @main(%x: tensor<?x32xbf16, #tc.sizes<[s0, 32]>>, %w: tensor<48x32xbf16>) -> tensor<?x48xbf16, #tc.sizes<[s0, 48]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<?x32xbf16, #tc.sizes<[s0, 32]>>, tensor<48x32xbf16> -> tensor<?x48xbf16, #tc.sizes<[s0, 48]>>
  return %0 : tensor<?x48xbf16, #tc.sizes<[s0, 48]>>
})"},
    {"convolution", R"(
func.func @main(%x: tensor<2x6x9x8xf32>, %w: tensor<10x6x3x3xf32>) -> tensor<2x10x9x8xf32> {
  %0 = tc.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] : tensor<2x6x9x8xf32>, tensor<10x6x3x3xf32> -> tensor<2x10x9x8xf32>
  return %0 : tensor<2x10x9x8xf32>
})"},
    {"attention", R"(
func.func @main(%q: tensor<2x21x8xf32>, %k: tensor<2x19x8xf32>, %v: tensor<2x19x12xf32>) -> tensor<2x21x12xf32> {
  %0 = tc.attention %q, %k, %v scale 0.25 : tensor<2x21x8xf32>, tensor<2x19x8xf32>, tensor<2x19x12xf32> -> tensor<2x21x12xf32>
  return %0 : tensor<2x21x12xf32>
})"},
    {"scan", R"(
func.func @main(%x: tensor<7x29xf32>, %y: tensor<31x11xi64>) -> (tensor<7x29xf32>, tensor<31x11xi64>) {
  %0 = tc.scan sum %x dim 1 : tensor<7x29xf32>
  %1 = tc.scan sum %y dim 0 : tensor<31x11xi64>
  return %0, %1 : tensor<7x29xf32>, tensor<31x11xi64>
})"},
    {"scatter", R"(
func.func @main(%x: tensor<8x21xf32>, %i: tensor<5x21xi64>, %u: tensor<5x21xf32>) -> tensor<8x21xf32> {
  %0 = tc.scatter sum %x[%i] = %u dim 0 : tensor<8x21xf32>, tensor<5x21xi64>, tensor<5x21xf32>
  return %0 : tensor<8x21xf32>
})"},
    {"sort", R"(
func.func @main(%x: tensor<6x17xf32>) -> (tensor<6x17xf32>, tensor<6x17xi64>) {
  %v, %i = tc.sort %x dim 1 : tensor<6x17xf32> -> tensor<6x17xf32>, tensor<6x17xi64>
  return %v, %i : tensor<6x17xf32>, tensor<6x17xi64>
})"},
};

class ScheduleTest : public ::testing::TestWithParam<Program> {
protected:
  void SetUp() override {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// A schedule that is accepted; each that is not names a field, or itself
  /// where it is of the wrong kind.
  ScheduleAttrInterface drawLegal(KernelOp kernel, Random &random) {
    return drawLegalSchedule(kernel, random, [](StringRef refusal) {
      EXPECT_TRUE(llvm::any_of(
          ArrayRef<StringRef>{"#tc.", "vector_dim", "vector_width", "unroll"},
          [&](StringRef name) { return refusal.contains(name); }))
          << refusal.str();
    });
  }

  void check(uint64_t seed) {
    Random random(seed);
    auto module = parseSourceString<ModuleOp>(GetParam().text, &context);
    ASSERT_TRUE(module);
    SampledFunction function;
    function.function = module->lookupSymbol<func::FuncOp>("main");
    function.symbols = {{.name = "s0", .value = random.between(1, 19)},
                        {.name = "s1", .value = random.between(1, 19)}};
    for (Type type : function.function.getArgumentTypes()) {
      InputSpec input{cast<RankedTensorType>(type)};
      if (input.type.getElementType().isInteger(64))
        input.limit = SizeExpr::constant(&context, 8);
      function.inputs.push_back(input);
    }
    std::string text;
    CheckOptions options;
    options.editKernels = [&](ModuleOp fused) {
      fused->walk([&](KernelOp kernel) {
        kernel.setScheduleAttr(drawLegal(kernel, random));
      });
      text.clear();
      llvm::raw_string_ostream(text) << fused;
    };
    for (const Finding &finding : checkModule(*module, function, seed, options))
      ADD_FAILURE() << "seed " << seed << ": " << finding.message << "\n"
                    << text;
  }

  DialectRegistry registry;
  MLIRContext context;
};

TEST_P(ScheduleTest, IsRightOrRefused) {
  // TC_TEST_FULL=1 asks for many schedules.
  const char *full = std::getenv("TC_TEST_FULL");
  int count = full && full[0] == '1' ? 100 : 8;
  for (int seed = 0; seed < count; ++seed)
    check(seed);
}

INSTANTIATE_TEST_SUITE_P(All, ScheduleTest, ::testing::ValuesIn(kPrograms),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
