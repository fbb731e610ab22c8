//===- PassMeaningTest.cpp - Passes keep what a module means --------------===//
//
// Runs every function of the passes' lit tests through the reference
// interpreter, before and after the pass, on random arguments.
//
//===----------------------------------------------------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Reference/Interpreter.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace tc;
using reference::Tensor;

namespace {

/// A pass by the name of its lit test: `decompose-random`.
class PassMeaningTest : public ::testing::TestWithParam<const char *> {
protected:
  PassMeaningTest() {
    context.loadDialect<TCDialect, func::FuncDialect>();
    [[maybe_unused]] static bool registered =
        (registerTCTransformsPasses(), true);
  }

  /// Symbols have these values; other expressions follow.
  static int64_t getSize(SizeExpr size) {
    return *size.evaluate(
        [](StringRef name) { return std::optional(name == "s0" ? 4 : 6); });
  }

  /// Numbers of both signs, or of one, so that no root is only ever of
  /// negative numbers; integers are small and not negative.
  Tensor makeRandom(RankedTensorType type, bool isPositive) {
    SmallVector<int64_t> sizes =
        llvm::map_to_vector(tc::getSizes(type), getSize);
    Tensor shape(type.getElementType(), sizes);
    std::vector<double> values;
    for (int64_t index = 0; index < shape.getElementCount(); ++index)
      values.push_back(isa<FloatType>(type.getElementType())
                           ? std::uniform_real_distribution(
                                 isPositive ? 0.1 : -2.0, 2.0)(engine)
                           : std::uniform_int_distribution(0, 5)(engine));
    return Tensor::fromDoubles(type.getElementType(), sizes, values);
  }

  /// Results of every function, in order.
  std::vector<Tensor> run(ModuleOp module, bool isPositive) {
    engine.seed(7);
    reference::Options options;
    // What is folded is rounded as it would be at run time; everything else
    // is the same number without rounding.
    bool isFolded = GetParam() == StringRef("fold-constants");
    options.precision =
        isFolded ? reference::Precision::Native : reference::Precision::Double;
    std::map<std::string, Tensor> parameters;
    for (auto source : module.getOps<ParameterSourceOp>())
      parameters[source.getSymName().str()] =
          makeRandom(cast<RankedTensorType>(source.getType()), true);
    options.parameter = [&](ParameterSourceOp source) {
      return FailureOr<Tensor>(parameters[source.getSymName().str()]);
    };
    std::vector<Tensor> all;
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    for (auto function : module.getOps<func::FuncOp>()) {
      std::vector<Tensor> arguments;
      for (Type type : function.getArgumentTypes())
        arguments.push_back(
            makeRandom(cast<RankedTensorType>(type), isPositive));
      auto results = reference::evaluateFunction(function, arguments, options);
      // One that fails before and after, as an out-of-range pad does, keeps
      // its meaning too: it adds no result to either list.
      if (succeeded(results))
        all.insert(all.end(), results->begin(), results->end());
    }
    return all;
  }

  static void compare(const Tensor &before, const Tensor &after) {
    ASSERT_EQ(before.getElementType(), after.getElementType());
    ASSERT_EQ(before.getSizes(), after.getSizes());
    for (int64_t index = 0; index < before.getElementCount(); ++index) {
      double expected = before.getDouble(index),
             actual = after.getDouble(index);
      if (std::isnan(expected) && std::isnan(actual))
        continue;
      if (expected == actual)
        continue;
      // Constants of the module are in the element type, not in double.
      ASSERT_NEAR(expected, actual, 1e-5 * std::max(1.0, std::fabs(expected)))
          << "element " << index;
    }
  }

  MLIRContext context;
  std::mt19937 engine;
};

TEST_P(PassMeaningTest, ResultsStayTheSame) {
  std::string name = GetParam();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      std::string(TC_SOURCE_ROOT) + "/test/Transforms/" + name + ".mlir",
      &context);
  ASSERT_TRUE(module);
  std::vector<Tensor> signedBefore = run(*module, false),
                      positiveBefore = run(*module, true);
  PassManager manager(&context);
  ASSERT_TRUE(
      succeeded(parsePassPipeline("func.func(tc-" + name + ")", manager)));
  ASSERT_TRUE(succeeded(manager.run(*module)));
  std::vector<Tensor> signedAfter = run(*module, false),
                      positiveAfter = run(*module, true);
  ASSERT_FALSE(signedBefore.empty());
  ASSERT_EQ(signedBefore.size(), signedAfter.size());
  for (size_t index = 0; index < signedBefore.size(); ++index) {
    SCOPED_TRACE("result " + std::to_string(index));
    compare(signedBefore[index], signedAfter[index]);
    compare(positiveBefore[index], positiveAfter[index]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PassMeaningTest,
    ::testing::Values("decompose-adaptive-avg-pool", "decompose-batch-norm",
                      "decompose-group-norm", "decompose-log-softmax",
                      "decompose-pad-modes", "decompose-random",
                      "decompose-resample", "decompose-variance",
                      "fold-algebraic-identities", "fold-batch-norm",
                      "fold-constants", "propagate-reshapes",
                      "propagate-transposes"),
    [](const auto &info) {
      std::string name = info.param;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
