//===- ConvolutionTimesTest.cpp - Own code or a library's -----------------===//

#include "TC/Analysis/LibraryConvolution.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tc;

namespace {

/// A convolution of squares by square windows, with channels last.
struct Shape {
  int64_t batches = 8, size = 56, channels = 64, filters = 64, window = 3;
  std::string element = "bf16";
};

std::string makeText(const Shape &shape) {
  auto number = [](int64_t value) { return std::to_string(value); };
  auto type = [&](int64_t first, int64_t second, int64_t last) {
    return "tensor<" + number(first) + "x" + number(second) + "x" +
           number(second) + "x" + number(last) + "x" + shape.element + ">";
  };
  const int64_t places = shape.size - shape.window + 1;
  const std::string x = type(shape.batches, shape.size, shape.channels),
                    w = type(shape.filters, shape.window, shape.channels),
                    y = type(shape.batches, places, shape.filters);
  auto dim = [&](StringRef name, StringRef kind, int64_t size) {
    return "#tc.dim<\"" + name.str() + "\", " + kind.str() + ", " +
           number(size) + ">";
  };
  auto access = [](StringRef indices) {
    return "[affine_map<(n, o, p, q, c, k, l) -> (" + indices.str() + ")>] : ";
  };
  const bool isWide = shape.element == "f32";
  return "module attributes {tc.libraries = [\"cudnn\"], tc.target = "
         "#tc.target<\"cuda\", chip = \"sm_90a\", features = \"\">} {\n"
         "func.func @f(%x: " +
         x + ", %w: " + w + ") -> " + y + " {\n%e = tc.empty : " + y +
         "\n%0 = tc.kernel \"convolution\" contraction dims [" +
         dim("n", "parallel", shape.batches) + ", " +
         dim("o", "parallel", shape.filters) + ", " +
         dim("p", "parallel", places) + ", " + dim("q", "parallel", places) +
         ", " + dim("c", "reduced", shape.channels) + ", " +
         dim("k", "reduced", shape.window) + ", " +
         dim("l", "reduced", shape.window) + "] ins(%a = %x : " + x +
         ", %b = %w : " + w + ") outs(%r = %e : " + y + ") {\n" +
         "%i = tc.read %a" + access("n, p + k, q + l, c") + x + " -> " +
         shape.element + "\n%j = tc.read %b" + access("o, k, l, c") + w +
         " -> " + shape.element +
         "\n%s = tc.contract_stage %i, %j over [4, 5, 6] : " + shape.element +
         ", " + shape.element + " -> f32\n" +
         (isWide ? "" : "%t = tc.cast %s : f32 to " + shape.element + "\n") +
         "tc.write " + (isWide ? "%s" : "%t") + ", %r" + access("n, p, q, o") +
         shape.element + ", " + y + "\n}\nreturn %0 : " + y + "\n}\n}";
}

class ConvolutionTimesTest : public ::testing::Test {
protected:
  ConvolutionTimesTest() {
    context.loadDialect<TCDialect, func::FuncDialect>();
  }

  KernelOp parse(const Shape &shape) {
    module = parseSourceString<ModuleOp>(makeText(shape), &context);
    KernelOp kernel;
    if (module)
      module->walk([&](KernelOp op) { kernel = op; });
    return kernel;
  }

  /// The time of TC's own code in those of the library.
  double getRatio(const Shape &shape) {
    KernelOp kernel = parse(shape);
    if (!kernel)
      return 0;
    LibraryConvolution convolution =
        llvm::cantFail(LibraryConvolution::find(kernel));
    auto times = ConvolutionTimes::estimate(kernel, convolution,
                                            MachineModel::get(kernel));
    return times.own / times.library;
  }

  bool isForLibrary(const Shape &shape) {
    KernelOp kernel = parse(shape);
    return kernel && isConvolutionForLibrary(kernel, MachineModel::get(kernel));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ConvolutionTimesTest, ChannelsThatFillStepsAreTheSame) {
  for (int64_t channels : {64, 128, 256}) {
    EXPECT_DOUBLE_EQ(getRatio({.channels = channels}), 1) << channels;
    EXPECT_FALSE(isForLibrary({.channels = channels})) << channels;
  }
}

TEST_F(ConvolutionTimesTest, FewChannelsAreLoadedByThreads) {
  EXPECT_GT(getRatio({.channels = 8, .filters = 256, .window = 5}), 1.25);
  EXPECT_TRUE(
      isForLibrary({.size = 112, .channels = 8, .filters = 256, .window = 5}));
}

TEST_F(ConvolutionTimesTest, ChannelsThatEndWithinSteps) {
  // 40 of 64 elements of a step are channels.
  double ratio = getRatio({.batches = 32, .channels = 40, .filters = 256});
  EXPECT_GT(ratio, 1);
  EXPECT_LT(ratio, 64.0 / 40);
}

TEST_F(ConvolutionTimesTest, FewMultiplicationsAreNoCall) {
  EXPECT_FALSE(isForLibrary(
      {.batches = 1, .size = 8, .channels = 8, .filters = 16, .window = 3}));
}

TEST_F(ConvolutionTimesTest, ConvolutionIsFound) {
  KernelOp kernel = parse({.batches = 2, .channels = 8, .window = 5});
  ASSERT_TRUE(kernel);
  LibraryConvolution convolution =
      llvm::cantFail(LibraryConvolution::find(kernel));
  EXPECT_EQ(convolution.groups, 1);
  EXPECT_TRUE(convolution.schedule.getChannelsLast());
  EXPECT_TRUE(convolution.windowPoints.isConstant(25));
  EXPECT_TRUE(convolution.places.isConstant(52 * 52));
  EXPECT_EQ(convolution.countMultiplications(kernel),
            2.0 * 52 * 52 * 25 * 8 * 64);
}

} // namespace
