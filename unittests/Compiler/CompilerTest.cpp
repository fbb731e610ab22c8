//===- CompilerTest.cpp - The compiler as a library -----------------------===//

#include "TC/Compiler/Compiler.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runtime/Call.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <array>
#include <ctime>

using namespace mlir;
using namespace tc;

/// y = x * FACTOR on 64 elements, four launches of one kernel each.
static std::string scaleModule(const std::string &factor) {
  return R"mlir(
module attributes {tc.phase = "generate"} {
  func.func @main(%x: memref<64xf32>) attributes {tc.signature = {inputs = ["x"]}} {
    %o = tc.output_buffer 0 : memref<64xf32>
    tc.launch @scale count <64> grain <64> (%x, %o) : memref<64xf32>, memref<64xf32>
    return
  }
  func.func private @scale(%context: !llvm.ptr, %begin: i64, %end: i64) {
    %one = arith.constant 1 : i64
    %factor = arith.constant )mlir" +
         factor + R"mlir( : f32
    %x = llvm.load %context : !llvm.ptr -> !llvm.ptr
    %slot = llvm.getelementptr %context[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %o = llvm.load %slot : !llvm.ptr -> !llvm.ptr
    scf.for %i = %begin to %end step %one : i64 {
      %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %to = llvm.getelementptr %o[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %from : !llvm.ptr -> f32
      %r = arith.mulf %v, %factor : f32
      llvm.store %r, %to : f32, !llvm.ptr
    }
    return
  }
})mlir";
}

namespace {
class CompilerTest : public ::testing::Test {
protected:
  CompilerTest() : context(registry()) {}

  static DialectRegistry &registry() {
    static DialectRegistry dialects;
    static bool filled = (registerDialects(dialects), true);
    (void)filled;
    return dialects;
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
};
} // namespace

TEST_F(CompilerTest, CompilesAndRuns) {
  auto module = parse(scaleModule("3.0"));
  ASSERT_TRUE(module);
  auto compiled = compile(*module);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  const ManifestFunction *function = compiled->manifest().find("main");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->signature(), "main(x: 64xf32) -> (64xf32)");
  EXPECT_EQ(compiled->statistics().launches, 1);
  EXPECT_EQ(compiled->statistics().kernels, 1);

  std::array<float, 64> values;
  values.fill(2);
  std::array<int64_t, 1> sizes{64};
  auto x = runtime::Tensor::copyOf(runtime::DType::F32, sizes,
                                   std::span<const float>(values));
  ASSERT_TRUE(x.ok());
  auto outputs =
      runtime::Call(compiled->function("main")).input(*x).outputs(1).run();
  ASSERT_TRUE(outputs.ok()) << outputs.error().toString();
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ((*outputs)[0].dataAs<float>()[i], 6.0f);
}

TEST_F(CompilerTest, NamesTheWrongInput) {
  auto module = parse(scaleModule("3.0"));
  auto compiled = compile(*module);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  std::array<int64_t, 1> sizes{63};
  auto x = runtime::Tensor::zeros(runtime::DType::F32, sizes);
  auto outputs =
      runtime::Call(compiled->function("main")).input(*x).outputs(1).run();
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().message(),
            "input 0 (x) is 63xf32, expected 64xf32");
  auto none = runtime::Call(compiled->function("main")).outputs(1).run();
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message(), "'main' has 1 input, the call has 0");
}

TEST_F(CompilerTest, CollectsDiagnostics) {
  auto module = parse(R"mlir(
module attributes {tc.phase = "generate"} {
  func.func @main(%x: memref<?xf32, #tc.sizes<[s0 * s1]>>)
      attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} { return }
})mlir");
  ASSERT_TRUE(module);
  CompileOptions options;
  options.collectDiagnostics = true;
  options.reproducer = false;
  auto compiled = compile(*module, options);
  ASSERT_FALSE(bool(compiled));
  std::string message = llvm::toString(compiled.takeError());
  EXPECT_NE(message.find("declares symbol 's0', but no input has a size that "
                         "gives its value"),
            std::string::npos)
      << message;
}

TEST_F(CompilerTest, RefusesUnknownTargets) {
  auto module = parse(scaleModule("3.0"));
  CompileOptions options;
  options.target = "cpu:pentium99";
  auto compiled = compile(*module, options);
  ASSERT_FALSE(bool(compiled));
  std::string message = llvm::toString(compiled.takeError());
  EXPECT_NE(message.find("the cpu 'pentium99'"), std::string::npos) << message;
}

// Not a benchmark: prints what the phases of a small module take in a process
// that has compiled before.
TEST_F(CompilerTest, SecondCompileIsShort) {
  double milliseconds = 0;
  for (const char *factor : {"1.5", "2.5", "3.5"}) {
    auto module = parse(scaleModule(factor));
    std::clock_t begin = std::clock();
    auto compiled = compile(*module);
    milliseconds = double(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC;
    ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
    for (const PhaseTiming &timing : compiled->statistics().timings)
      llvm::outs() << timing.name << " "
                   << llvm::format("%.2f ms ", timing.seconds * 1e3);
    llvm::outs() << llvm::format("cpu time %.2f ms\n", milliseconds);
  }
  EXPECT_LT(milliseconds, 150);
}
